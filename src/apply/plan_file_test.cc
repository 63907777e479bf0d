#include "apply/plan_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace flatout::apply {
namespace {

run::PlanEntry entry(const std::string& knob, const std::string& value) {
  run::PlanEntry out;
  out.setting = {knob, value};
  return out;
}

run::Plan parsed(const std::string& text) {
  const auto plan = parse_plan(text, "a.toml");
  EXPECT_TRUE(plan) << plan.error().message;
  return plan.value_or(run::Plan{});
}

std::string error_of(const std::string& text) {
  const auto plan = parse_plan(text, "a.toml");
  EXPECT_FALSE(plan);
  return plan ? "" : plan.error().message;
}

TEST(PlanFile, ReadsKnobsInTheirOrder) {
  const auto plan = parsed(
      "[knobs]\nprecision.bf16 = true\ndataloader.prefetch_factor = 4\n"
      "dataloader.num_workers = 6\n\"compile.mode\" = \"default\"\nx = 0.5\n");
  std::vector<run::KnobSetting> settings;
  for (const auto& e : plan.entries) settings.push_back(e.setting);
  EXPECT_THAT(settings, testing::ElementsAre(run::KnobSetting{"precision.bf16", "true"},
                                             run::KnobSetting{"dataloader.prefetch_factor", "4"},
                                             run::KnobSetting{"dataloader.num_workers", "6"},
                                             run::KnobSetting{"compile.mode", "\"default\""},
                                             run::KnobSetting{"x", "0.5"}));
  EXPECT_EQ(plan_json(plan), R"({"precision.bf16":true,"dataloader.prefetch_factor":4,)"
                             R"("dataloader.num_workers":6,"compile.mode":"default","x":0.5})");
}

TEST(PlanFile, GivesBackWhatWasWritten) {
  run::Plan plan;
  plan.made_by = "flatout 0.1.0 tune k7f2";
  plan.entries = {entry("dataloader.num_workers", "6"), entry("odd name.with \"quotes\"", "\"a\"")};
  plan.entries[0].from = "0";
  plan.entries[0].predicted = run::Speedup{2.4, 2.25, 2.5};
  plan.entries[0].measured = run::Speedup{2.46, 2.41, 2.5};
  plan.entries[0].runs = {"k7f2", "m3qa"};
  const std::string text = plan_text(plan, {"how to use it"});
  EXPECT_THAT(text, testing::StartsWith("# how to use it\n"));
  const auto again = parsed(text);
  EXPECT_EQ(plan_text(again, {"how to use it"}), text);
  ASSERT_EQ(again.entries.size(), 2U);
  EXPECT_EQ(again.made_by, plan.made_by);
  EXPECT_EQ(again.entries[1].setting, plan.entries[1].setting);
  EXPECT_EQ(again.entries[0].from, "0");
  EXPECT_EQ(again.entries[0].runs, plan.entries[0].runs);
  ASSERT_TRUE(again.entries[0].measured);
  EXPECT_EQ(again.entries[0].measured->lo, 2.41);
  EXPECT_FALSE(again.entries[1].predicted);
}

TEST(PlanFile, KnobsOfTheUserSayHowTheyAreSet) {
  const std::string text =
      "\n[knobs]\nprogram.depth = 8\n"
      "\n[[knob]]\nname = \"workers\"\nargument = \"--workers={}\"\nvalue = 4\n"
      "\n[[knob]]\nname = \"omp\"\nenvironment = \"OMP_NUM_THREADS={}\"\nvalue = \"2\"\n"
      "\n[[evidence]]\nknob = \"user.workers\"\nfrom = 1\nmeasured = [2.46, 2.41, 2.5]\n";
  const auto plan = parsed(text);
  ASSERT_EQ(plan.entries.size(), 3U);
  EXPECT_EQ(plan.entries[0].setting, (run::KnobSetting{"program.depth", "8"}));
  EXPECT_EQ(plan.entries[1].setting, (run::KnobSetting{"user.workers", "4", "--workers={}"}));
  EXPECT_EQ(plan.entries[1].from, "1");
  EXPECT_EQ(plan.entries[2].setting,
            (run::KnobSetting{"user.omp", "\"2\"", "env:OMP_NUM_THREADS={}"}));
  EXPECT_EQ(plan_text(plan), text);
  // In whichever order they were kept, the file has those of the user last.
  run::Plan turned = plan;
  std::ranges::reverse(turned.entries);
  EXPECT_EQ(parsed(plan_text(turned)).entries.back().setting, turned.entries[1].setting);
}

TEST(PlanFile, MistakesInKnobsOfTheUserAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {"[[knob]]\nvalue = 4\nargument = \"-w{}\"", "line 2: [[knob]] must have a name"},
      {"[[knob]]\nname = \"a b\"\nvalue = 4\nargument = \"-w{}\"", "must have a name"},
      {"[[knob]]\nname = \"w\"\nargument = \"-w{}\"", "w must have a value"},
      {"[[knob]]\nname = \"w\"\nvalue = [1]\nargument = \"-w{}\"", "w must have a value"},
      {"[[knob]]\nname = \"w\"\nvalue = \"a\\u0000b\"\nargument = \"-w{}\"", "holds a NUL"},
      {"[[knob]]\nname = \"w\"\nvalue = 4", "must say how it is set"},
      {"[[knob]]\nname = \"w\"\nvalue = 4\nargument = \"-w{}\"\nenvironment = \"W={}\"",
       "must say how it is set"},
      {"[[knob]]\nname = \"w\"\nvalue = 4\nargument = \"--w=4\"", "must have {} once"},
      {"[[knob]]\nname = \"w\"\nvalue = 4\nargument = \"{}\"", "text before the braces"},
      {"[[knob]]\nname = \"w\"\nvalue = 4\nargument = \"--w\\u0000={}\"", "NUL"},
      {"[[knob]]\nname = \"w\"\nvalue = 4\nargument = \"env:W={}\"", "environment = "},
      {"[[knob]]\nname = \"w\"\nvalue = 4\nenvironment = \"FLATOUT_PLAN={}\"", "flatout's own"},
      {"[[knob]]\nname = \"w\"\nvalue = 4\nargument = \"-w{}\"\n"
       "[[knob]]\nname = \"w\"\nvalue = 4\nargument = \"-w{}\"",
       "line 6: user.w is there twice"},
      {"[knob]\nname = \"w\"\nvalue = 4\nargument = \"-w{}\"", "with two brackets"},
      {"knob = 3", "with two brackets"},
      {"knob = [3]", "with two brackets"},
  };
  for (const auto& [text, words] : cases) {
    const bool key = std::string_view(text).starts_with("knob");
    const std::string head = key ? "" : "[knobs]\n";
    EXPECT_THAT(error_of(head + text + (key ? "\n[knobs]\n" : "\n")), testing::HasSubstr(words))
        << text;
  }
}

TEST(PlanFile, TextsOfAnyLanguageTravelAsAscii) {
  run::Plan plan;
  plan.made_by = "caf\xc3\xa9 \xf0\x9f\x98\x80 \"q\" \\ \n";
  plan.entries = {entry("\xc3\xa9.x", "\"\xf0\x9f\x98\x80\"")};
  const std::string text = plan_text(plan);
  for (const char c : text) EXPECT_GE(c, 0);
  const auto again = parsed(text);
  EXPECT_EQ(again.made_by, plan.made_by);
  ASSERT_EQ(again.entries.size(), 1U);
  EXPECT_EQ(again.entries[0].setting.knob, "\xc3\xa9.x");
  EXPECT_EQ(again.entries[0].setting.value, "\"\xf0\x9f\x98\x80\"");
}

TEST(PlanFile, ErrorsNameFileLineAndWhatIsWanted) {
  EXPECT_THAT(error_of("[knobs]\nx = [1, 2]\n"),
              testing::AllOf(testing::HasSubstr("a.toml, line 2: x must be a number")));
  EXPECT_THAT(error_of("[knobs]\nx = \n"), testing::HasSubstr("a.toml, line 2"));
  EXPECT_EQ(error_of("[knobs]\nx = 1\n[knobs.dataloader]\nnum_workers = \"six\"\n"),
            "a.toml, line 4: dataloader.num_workers = \"six\": its value must be a whole number "
            "from 0 to 1024");
  EXPECT_EQ(error_of("[knobs]\ncompile.mode = \"defualt\"\n"),
            "a.toml, line 2: compile.mode = \"defualt\": its value must be \"default\" or "
            "\"reduce-overhead\"; did you mean \"default\"?");
  EXPECT_THAT(error_of("x = 1\n"), testing::HasSubstr("needs a table [knobs]"));
  EXPECT_THAT(error_of("[knobs]\n# caf\xc3\xa9\nx = 1\n"),
              testing::HasSubstr("line 2: a plan is ASCII"));
  EXPECT_THAT(error_of("[[[a]]]"), testing::HasSubstr("not TOML"));
  EXPECT_THAT(error_of(""), testing::HasSubstr("needs a table [knobs]"));
  EXPECT_THAT(error_of("[knobs]\nx = nan\n"), testing::HasSubstr("must be a number"));
  EXPECT_THAT(error_of("[knobs]\nx = 1\n[[evidence]]\nknob = \"x\"\nmeasured = [1, 2]\n"),
              testing::HasSubstr("three numbers above 0"));
  EXPECT_THAT(error_of("[knobs]\nx = 1\n[[evidence]]\nfrom = 2\n"),
              testing::HasSubstr("must name its knob"));
  EXPECT_EQ(read_plan("/nonexistent/plan.toml").error().code, base::ErrorCode::kNotFound);
  EXPECT_EQ(parse_plan(std::string(kMaxPlanBytes + 1, '#'), "a").error().code,
            base::ErrorCode::kTooLarge);
}

TEST(PlanFile, EvidenceOfAKnobThatIsGoneIsLeftOut) {
  const auto plan = parsed("[knobs]\nx = 1\n[[evidence]]\nknob = \"y\"\nfrom = 2\n");
  ASSERT_EQ(plan.entries.size(), 1U);
  EXPECT_EQ(plan.entries[0].from, "");
}

TEST(PlanFile, LaterPlansWinAndKeepThePlace) {
  const auto both = compose({parsed("[knobs]\na = 1\nb = 2\n"), parsed("[knobs]\nc = 3\na = 4\n")});
  EXPECT_EQ(plan_json(both), R"({"a":4,"b":2,"c":3})");
  EXPECT_EQ(plan_json(compose({})), "");
}

TEST(PlanFile, TheUnprovedIsKeptApartAndGivenBack) {
  run::Plan plan;
  plan.entries = {entry("dataloader.num_workers", "6")};
  plan.unproved = {entry("precision.bf16", "true"), entry("user.w", "4")};
  plan.unproved[0].measured = run::Speedup{1.63, 1.34, 1.98};
  plan.unproved[1].setting.pattern = "--w={}";
  const std::string text = plan_text(plan);
  EXPECT_THAT(text, testing::HasSubstr("[unproved]\nprecision.bf16 = true\n"));
  const auto again = parsed(text);
  EXPECT_EQ(plan_json(again), R"({"dataloader.num_workers":6})") << "nothing applies it unasked";
  ASSERT_EQ(again.unproved.size(), 2U);
  EXPECT_EQ(again.unproved[0].measured->lo, 1.34);
  EXPECT_EQ(again.unproved[1].setting.pattern, "--w={}");
  EXPECT_EQ(plan_text(again), text);
  EXPECT_EQ(planned_command(again, {"x"}), std::vector<std::string>{"x"});
}

TEST(PlanFile, WhatOnePlanProvesIsProved) {
  const auto open = parsed("[knobs]\n[unproved]\na = 1\nb = 2\n");
  const auto both = compose({open, parsed("[knobs]\na = 1\n")});
  EXPECT_EQ(plan_json(both), R"({"a":1})");
  ASSERT_EQ(both.unproved.size(), 1U);
  EXPECT_EQ(both.unproved[0].setting.knob, "b");
  EXPECT_THAT(error_of("[knobs]\na = 1\n[unproved]\na = 1\n"),
              testing::HasSubstr("line 3: a is in [knobs] and in [unproved]"));
  EXPECT_THAT(error_of("[knobs]\n[unproved]\na = [1]\n"), testing::HasSubstr("line 3"));
  EXPECT_THAT(error_of("[knobs]\n[[knob]]\nname = \"w\"\nargument = \"-w={}\"\nvalue = 1\n"
                       "unproved = \"true\"\n"),
              testing::HasSubstr("unproved must be true or false"));
  EXPECT_THAT(error_of("unproved = 3\n[knobs]\n"), testing::HasSubstr("is a table [unproved]"));
}

TEST(PlanFile, ThreadsAreSetInTheEnvironment) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(plan_environment(parsed("[knobs]\na = 1\nenv.intraop_threads = 3\n")),
            (Pairs{{"OMP_NUM_THREADS", "3"}, {"MKL_NUM_THREADS", "3"}}));
  run::Plan wrong;
  wrong.entries = {entry("env.intraop_threads", "\"x\""), entry("env.intraop_threads", "0")};
  EXPECT_EQ(plan_environment(wrong), Pairs{});
}

TEST(PlanFile, SegmentsAreSetBesideWhatTheUserSaysOfTheAllocator) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  const run::Plan plan = parsed("[knobs]\nalloc.expandable_segments = true\n");
  const auto of = [&](std::vector<std::string> environment) {
    return plan_environment(plan, environment);
  };
  EXPECT_EQ(of({"A=1"}), (Pairs{{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"}}));
  EXPECT_EQ(of({"PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128"}),
            (Pairs{{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:128,expandable_segments:True"}}));
  EXPECT_EQ(of({"PYTORCH_ALLOC_CONF=expandable_segments:False,a:1,"}),
            (Pairs{{"PYTORCH_ALLOC_CONF", "a:1,expandable_segments:True"}}));
  EXPECT_EQ(of({"PYTORCH_CUDA_ALLOC_CONF="}),
            (Pairs{{"PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"}}));
  run::Plan wrong;
  wrong.entries = {entry("alloc.expandable_segments", "3")};
  EXPECT_EQ(plan_environment(wrong, {}), Pairs{});
}

TEST(PlanFile, DamagedTextNeverBreaksTheReader) {
  run::Plan plan;
  plan.entries = {entry("dataloader.num_workers", "6"), entry("precision.bf16", "true")};
  plan.entries[0].measured = run::Speedup{2.46, 2.41, 2.5};
  plan.entries.push_back(entry("user.w", "4"));
  plan.entries.back().setting.pattern = "--w={}";
  plan.unproved = {entry("layout.channels_last", "true")};
  const std::string whole = plan_text(plan, {"x"});
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    std::string text = whole.substr(0, random() % (whole.size() + 1));
    for (int i = 0; i < 3 && !text.empty(); ++i) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    const auto read = parse_plan(text, "a.toml");
    if (!read) continue;
    (void)plan_json(*read);
    (void)plan_environment(*read);
    (void)planned_command(*read, {"program"});
  }
}

}  // namespace
}  // namespace flatout::apply
