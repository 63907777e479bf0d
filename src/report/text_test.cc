// Golden pages: what each kind of report looks like, read by people and kept
// as text under golden/. A change there is a change of the product's face.
#include "report/text.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "report/examples.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

TEST(Text, EveryExampleReadsAsItsGoldenPage) {
  const std::string golden = FLATOUT_SOURCE_DIR "/src/report/golden/";
  for (const auto& [name, report] : example_reports()) {
    const auto expected = base::read_file(golden + name + ".txt");
    ASSERT_TRUE(expected) << expected.error().message;
    EXPECT_EQ(to_text(report), *expected) << name;
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
  EXPECT_NE(to_text(report).find("Engine  1024 threads: idle 39 %, transform 20 %, mix 19 %, "
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
    const std::string header = header_line(report);
    EXPECT_NE(header.find("312 steps (10 warm-up)"), std::string::npos) << header;
    EXPECT_LE(header.size(), 80U) << header;
    EXPECT_NE(to_text(report).find("verdict on 95 %"), std::string::npos);
  }
}

TEST(Text, TheWholeRunIsTwoLinesAtMost) {
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
  EXPECT_NE(text.find("Run     100 s, verdict on 40 %: start-up 10 %, warm-up 10 %, steps 40 %,\n"
                      "        evaluation 20 %, checkpoints 5 %, epoch gaps 5 %, end 10 %\n"),
            std::string::npos)
      << text;
  report.account.reset();
  EXPECT_EQ(to_text(report).find("Run     "), std::string::npos);
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
