// The page of each kind of report.
#include "report/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/joined.h"
#include "report/examples.h"
#include "report/golden_test.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

TEST(Text, EveryExampleReadsAsItsGoldenPage) {
  for (const auto& [name, report] : example_reports()) {
    expect_golden(name, [&](const Style& style) { return to_text(report, style); });
  }
}

TEST(Text, TheNativeEngineIsNamedInPlaceOfWorkers) {
  int seen = 0;
  for (auto [name, report] : example_reports()) {
    if (!report.loader) continue;
    report.loader->engine = "native";
    const std::string text = to_text(report);
    if (text.find("Loader ") == std::string::npos) continue;  // a longer page has no room for it
    ++seen;
    const auto line = text.substr(text.find("Loader "));
    EXPECT_NE(line.find("flatout's native engine"), std::string::npos) << name;
    EXPECT_EQ(line.find("Python"), std::string::npos) << name;
    EXPECT_EQ(line.find("kept"), std::string::npos) << name;
    report.loader->fetched_batches = 3;
    EXPECT_NE(to_text(report).find("native engine (Python: 3 batches)"), std::string::npos) << name;
    report.loader->cache = "decoded";
    EXPECT_NE(to_text(report).find("native engine, decoded samples kept"), std::string::npos)
        << name;
  }
  EXPECT_GT(seen, 0);
}

TEST(Text, TheEnginesThreadsHaveOneLine) {
  run::Report report = example_reports().front().report;
  report.loader->engine = "native";
  report.loader->sample_ms.reset();
  report.loader->stages.clear();
  run::EngineWork work;
  work.threads = 1024;
  work.stages = {{run::EnginePart::kRead, 10, 10},
                 {run::EnginePart::kDecode, 1, 0},
                 {run::EnginePart::kTransform, 20, 0.5},
                 {run::EnginePart::kMix, 19, 0.5}};
  work.idle_starved_s = 38.8;
  work.idle_full_s = 0.2;
  report.loader->engine_work = work;
  EXPECT_NE(to_text(report).find("Engine   1024 threads: idle 39 %, transform 20 %, mix 19 %, "
                                 "waiting 11 %\n"),
            std::string::npos)
      << to_text(report);
  report.loader->engine_work = run::EngineWork{};
  EXPECT_EQ(to_text(report).find("Engine"), std::string::npos);
}

TEST(Text, TheWarmUpIsAlwaysSaid) {
  run::Report report = example_reports().front().report;
  for (const std::size_t length : {1U, 16U, 40U, 200U}) {
    report.run.name = std::string(length, 'n');
    report.run.command = {"python", std::string(length, 'p') + ".py"};
    for (const std::size_t columns : {20U, 40U, 60U, 80U, 160U, 300U}) {
      const auto lines = header_lines(report, {.columns = columns});
      const std::string header = finished(base::joined(lines), {});
      EXPECT_NE(header.find("312 steps (10 warm-up)"), std::string::npos) << header;
      EXPECT_NE(header.find("verdict over 3 min 24 s of 3 min 34 s, 95 %; warm-up 6.8 s"),
                std::string::npos)
          << header;
      for (const std::string& line : lines) EXPECT_LE(width_of(line), std::max(columns, 40UL));
    }
  }
}

TEST(Text, WithoutAnAccountTheHeaderSaysWhatIsKnown) {
  run::Report report = example_reports().front().report;
  report.verdict.rests_on_share.reset();
  EXPECT_NE(to_text(report).find("\nwarm-up 6.8 s of 3 min 34 s\n"), std::string::npos);
  report.account->warm_up_s = 0;
  EXPECT_EQ(header_lines(report, {}).size(), 1U);
  report.verdict.rests_on_share = 0.9;
  EXPECT_NE(to_text(report).find("90 %; no warm-up\n"), std::string::npos);
  report.account.reset();
  EXPECT_EQ(header_lines(report, {}).size(), 1U);
}

TEST(Text, MuchWarmUpIsAWarningThatIsNeverLeftOut) {
  run::Report report = example_reports().back().report;  // more to say than fits
  report.verdict.caution = "the verdict rests on 40 s of 100 s: 40 of 80 steps count as warm-up";
  report.notes.push_back(report.verdict.caution);
  const std::string text = to_text(report);
  EXPECT_NE(text.find("\nWarning  3 % of the run is warm-up ("), std::string::npos) << text;
  EXPECT_EQ(text.find("the verdict rests on"), std::string::npos) << "said once";
}

TEST(Text, TheWholeRunIsOneBar) {
  run::Report report = example_reports().front().report;
  report.account = run::RunAccount{.total_s = 100,
                                   .startup_s = 10,
                                   .warm_up_s = 10,
                                   .steps_s = 40,
                                   .eval_s = 20,
                                   .checkpoint_s = 5,
                                   .epoch_gap_s = 5,
                                   .end_s = 10};
  report.verdict.rests_on_share = 0.4;
  const std::string text = to_text(report);
  EXPECT_NE(
      text.find("Run      ......~~~~~~~######################===========++++----::::::  100 s\n"
                "         . start-up 10 %  ~ warm-up 10 %  # steps 40 %  = evaluation 20 %\n"
                "         + checkpoints 5 %  - epoch gaps 5 %  : end 10 %\n"),
      std::string::npos)
      << text;
  report.account.reset();
  EXPECT_EQ(to_text(report).find("Run     "), std::string::npos);
}

TEST(Text, EveryPartOfTheRunHasItsColumn) {
  run::Report report = example_reports().front().report;
  report.account = run::RunAccount{.total_s = 1000,
                                   .startup_s = 6,
                                   .warm_up_s = 6,
                                   .steps_s = 970,
                                   .eval_s = 6,
                                   .checkpoint_s = 0,
                                   .epoch_gap_s = 6,
                                   .end_s = 6};
  for (const std::size_t columns : {40U, 60U, 80U, 160U}) {
    const std::string text = to_text(report, {.columns = columns});
    const auto line = text.substr(text.find("\nRun "), 200);
    for (const char sign : {'.', '~', '#', '=', '-', ':'}) {
      EXPECT_LT(line.find(sign), line.find('\n', 1)) << columns << sign;
    }
  }
}

TEST(Text, TheClosingLeadsOn) {
  run::Report report = example_reports().front().report;
  report.run.command = {"python", "train.py", "--name", "two words", "caf\xc3\xa9"};
  EXPECT_NE(to_text(report).find(
                "\nNext: flatout tune -- python train.py --name 'two words' $'caf\\303\\251'\n"
                "Charts: flatout report k7f2 --format html\n"
                "Full report: flatout report k7f2 --format json\n"),
            std::string::npos)
      << to_text(report);
  EXPECT_NE(to_text(report, {.unicode = true}).find("'two words' 'caf\xc3\xa9'\n"),
            std::string::npos);
  report.run.command[1] = "--key=****";
  EXPECT_NE(to_text(report).find("\nNext: flatout tune -- CMD\n"), std::string::npos);
  EXPECT_EQ(to_text(report, {}, false).find("flatout report"), std::string::npos)
      << "a run that is not kept cannot be asked";
}

TEST(Text, TheClosingNamesNothingThatDoesNotApply) {
  const auto page = [](auto change) {
    run::Report report = example_reports().front().report;
    change(report);
    return to_text(report);
  };
  const auto next = [](const std::string& text) {
    return text.find("flatout tune --") != std::string::npos;
  };
  EXPECT_TRUE(next(page([](run::Report&) {})));
  EXPECT_FALSE(next(page([](run::Report& report) { report.run.plan_json = "{}"; })));
  EXPECT_FALSE(next(page([](run::Report& report) { report.run.parent = "aaaa"; })));
  EXPECT_FALSE(next(page([](run::Report& report) { report.state = run::RunState::kRunning; })));
  EXPECT_FALSE(next(page([](run::Report& report) {
    report.loader.reset();
    report.run.command = {"./train"};
  }))) << "a program whose settings flatout does not know";
  const std::string bare = page([](run::Report& report) { report.steps.reset(); });
  EXPECT_FALSE(next(bare));
  EXPECT_EQ(bare.find("Charts:"), std::string::npos) << bare;
}

TEST(Text, AFailedRunAdvisesNothing) {
  for (const auto& [name, report] : example_reports()) {
    if (!report.failure) continue;
    const std::string text = to_text(report);
    EXPECT_LE(std::ranges::count(text, '\n'), 15) << text;
    for (const char* const absent : {"Fix ", "Try ", "flatout tune", "Charts:", "Ruled out"}) {
      EXPECT_EQ(text.find(absent), std::string::npos) << name << ": " << absent;
    }
    if (report.failure->at.empty()) continue;
    EXPECT_NE(text.find("\nLine     train.py:58\n"), std::string::npos) << text;
  }
}

TEST(Text, ALineOfTheProgramIsNotDividedWhereItFitsOnOne) {
  run::Report report = example_reports()[0].report;
  report.failure.emplace();
  report.failure->at = "/" + std::string(70, 'p') + ".py:8";
  EXPECT_NE(to_text(report).find("\nLine\n" + report.failure->at + "\n"), std::string::npos)
      << to_text(report);
}

TEST(Text, NoSentenceIsCut) {
  run::Report report = example_reports().front().report;
  std::string words;
  for (int i = 0; i < 120; ++i) words += "word" + std::to_string(i) + " ";
  report.verdict.summary = words + "and the last of them.";
  report.findings[0].advice[0].how = " " + words + "and how";
  for (const std::size_t columns : {40U, 60U, 80U, 160U}) {
    const std::string text = to_text(report, {.columns = columns});
    EXPECT_EQ(text.find("..."), std::string::npos) << text;
    EXPECT_NE(text.find("word119"), text.rfind("word119")) << text;
  }
}

TEST(Text, ProgramName) {
  using Command = std::vector<std::string>;
  const std::pair<Command, const char*> cases[] = {
      {{"python", "-u", "/abs/train.py", "--lr", "1"}, "train.py"},
      {{"/usr/bin/python3.11", "-m", "pkg.train"}, "pkg.train"},
      {{"torchrun", "--nproc-per-node=2", "ddp.py"}, "ddp.py"},
      {{"python3", "-c", "print(1)"}, "python3 -c"},
      {{"uv", "run", "python", "-m", "pkg.train"}, "pkg.train"},
      {{"./build/a.out", "-m", "x"}, "a.out"},
      {{}, "?"}};
  for (const auto& [command, name] : cases) EXPECT_EQ(program_name(command), name);
}

TEST(Text, DeviceName) {
  EXPECT_EQ(short_device_name("Intel(R) Core(TM) i7-9700 CPU @ 3.00GHz"), "Core i7-9700");
  EXPECT_EQ(short_device_name("AMD EPYC 7763 64-Core Processor"), "AMD EPYC 7763 64-Core");
  EXPECT_EQ(short_device_name("NVIDIA A100-SXM4-40GB"), "A100-SXM4-40GB");
}

TEST(Text, PathsBelowTheWorkingDirectoryAreRelative) {
  EXPECT_EQ(relative_paths("at /home/u/a/t.py:4 (/home/u/b.py)", "/home/u/a"),
            "at t.py:4 (/home/u/b.py)");
  EXPECT_EQ(relative_paths("x/home/u/t.py", "/home/u"), "x/home/u/t.py");
  EXPECT_EQ(relative_paths("/t.py", "/"), "/t.py");
}

TEST(Text, ConfidenceInWords) {
  EXPECT_EQ(confidence_word(0.8), "high");
  EXPECT_EQ(confidence_word(0.5), "medium");
  EXPECT_EQ(confidence_word(0.49), "low");
}

}  // namespace
}  // namespace flatout::report
