// The loading engine among the fixes of input_bound: from facts of a report to what is advised.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "advise/advise.h"
#include "run/report.h"

namespace flatout::advise {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Of `workers` for any number of them, and of the engine.
class Gains final : public run::Predictor {
 public:
  Gains(double workers, std::optional<double> engine) : workers_(workers), engine_(engine) {}
  std::optional<run::Speedup> loader(const run::LoaderSetting& to) const override {
    return around(to.workers > 0 ? workers_ : 1);
  }
  std::optional<run::Speedup> remove_share(double share) const override {
    return around(1 / (1 - share));
  }
  std::optional<run::Speedup> engine(const run::EngineSpeed&) const override {
    return engine_ ? std::optional(around(*engine_)) : std::nullopt;
  }

 private:
  static run::Speedup around(double ratio) { return {ratio, ratio * 0.95, ratio * 1.05}; }
  double workers_;
  std::optional<double> engine_;
};

run::Report waiting(std::optional<std::string> refusal, run::EngineMeasurement measured) {
  run::Report report;
  report.host.cpus = 2;
  report.steps.emplace();
  report.steps->steady_count = 100;
  report.steps->phases = {{"data_wait", 0.8}, {"forward", 0.2}};
  report.loader.emplace();
  report.loader->built_at = "train.py:41";
  report.loader->sample_cpu_share = 1;
  report.loader->native_refusal = std::move(refusal);
  if (measured.speed || !measured.skipped.empty()) report.loader->engine_measured = measured;
  run::Finding& finding = report.findings.emplace_back();
  finding.id = "input_bound";
  finding.severity = run::Severity::kCritical;
  finding.share = 0.8;
  return report;
}

run::EngineMeasurement fast() {
  return {.speed = run::EngineSpeed{.samples_per_s = 1000, .cpu_ms = 2, .threads = 2}};
}

std::vector<run::Advice> ask_of(run::Report report, const run::Predictor& predictor) {
  advise(report, predictor);
  return report.findings.front().advice;
}

std::vector<std::string> knobs(const std::vector<run::Advice>& advice) {
  std::vector<std::string> out;
  for (const auto& one : advice) out.push_back(one.knob);
  return out;
}

TEST(EngineChoice, ComesFirstWhereItGainsMost) {
  const auto advice = ask_of(waiting("", fast()), Gains(1.3, 2.6));
  ASSERT_THAT(knobs(advice),
              ElementsAre("dataloader.engine", "dataloader.num_workers", "dataset.sample_cost"));
  EXPECT_EQ(advice[0].to, "\"native\"");
  ASSERT_TRUE(advice[0].predicted);
  EXPECT_DOUBLE_EQ(advice[0].predicted->ratio, 2.6);
  EXPECT_THAT(how_text(advice[0]), HasSubstr("flatout.torch"));
  EXPECT_EQ(advice[0].risk, run::Risk::kRounding);
  EXPECT_TRUE(advice[0].other_draws);
  EXPECT_THAT(how_text(advice[1]), HasSubstr("without the engine"));
  EXPECT_THAT(how_text(advice[2]), Not(HasSubstr("cannot help")));
}

TEST(EngineChoice, ComesBehindWorkersThatGainMore) {
  const auto advice = ask_of(waiting("", fast()), Gains(3, 2));
  EXPECT_EQ(knobs(advice).front(), "dataloader.num_workers");
  EXPECT_THAT(how_text(advice[0]), Not(HasSubstr("without")));
  EXPECT_EQ(knobs(advice).at(1), "dataloader.engine");
}

TEST(EngineChoice, WhereWorkersCannotHelpItIsTheWordBeforeThat) {
  // No number of workers gains, the cores being the limit.
  const auto advice = ask_of(waiting("", fast()), Gains(1, 2.6));
  EXPECT_EQ(knobs(advice).front(), "dataloader.engine");
  for (const auto& one : advice)
    EXPECT_THAT(how_text(one), Not(HasSubstr("cannot help"))) << how_text(one);
}

// The engine makes more of the same cores: what is said after it neither calls them the limit, nor
// refers to workers that are not advised.
TEST(EngineChoice, WhatStandsBesideItAgreesWithIt) {
  struct Row {
    std::string what;
    double workers;
    std::optional<double> engine;
    double cpu_share;
    std::string fixes, last;
  };
  const std::string cheaper = "make samples cheaper (cache, resize beforehand)";
  const std::string nearer = "read less or from nearer storage (cache, pack small files)";
  const std::string either = "with the engine or without it: ";
  const std::vector<Row> rows = {
      {"known, workers do not help", 1, 2.6, 1, "engine cost", either + cheaper},
      {"known, workers help less", 1.3, 2.6, 1, "engine workers cost", either + cheaper},
      {"known, workers help more", 3, 2, 1, "workers engine cost", either + cheaper},
      {"unknown, workers do not help", 1, {}, 1, "engine cost", either + cheaper},
      {"unknown, workers help", 1.3, {}, 1, "workers engine cost", either + cheaper},
      {"known, samples that wait", 1, 2.6, 0.1, "engine cost", either + nearer},
      {"unknown, samples that wait", 1.3, {}, 0.1, "workers engine cost", either + nearer},
  };
  for (const Row& row : rows) {
    run::Report report = waiting("", fast());
    report.loader->sample_cpu_share = row.cpu_share;
    const auto advice = ask_of(report, Gains(row.workers, row.engine));
    std::string fixes;
    for (const auto& one : advice) {
      const bool cost = one.knob == "dataset.sample_cost";
      const bool engine = one.knob == "dataloader.engine";
      fixes += (fixes.empty() ? "" : " ") + std::string(cost     ? "cost"
                                                        : engine ? "engine"
                                                                 : "workers");
    }
    EXPECT_EQ(fixes, row.fixes) << row.what;
    EXPECT_EQ(how_text(advice.back()), row.last) << row.what;
    if (row.fixes.starts_with("workers")) {
      EXPECT_THAT(how_text(advice[1]), HasSubstr("instead of more workers")) << row.what;
    }
  }
}

TEST(EngineChoice, WithoutItTheCoresAreTheLimit) {
  const run::Report report = waiting("Lambda has no native form", {});
  EXPECT_THAT(how_text(ask_of(report, Gains(1.3, {})).back()),
              HasSubstr("beyond that the 2 CPUs are the limit: make samples cheaper"));
  run::Report full = report;
  full.loader->workers = 2;
  EXPECT_THAT(how_text(ask_of(full, Gains(1, {})).back()),
              HasSubstr("more workers alone cannot help"));
}

// Who reads that workers cannot help is also told of the engine, where pictures are decoded.
TEST(EngineChoice, WhereItIsNotAdvisedItIsNamedAllTheSame) {
  const auto says = [](std::optional<std::string> refusal, run::EngineMeasurement measured,
                       const char* stage) {
    run::Report report = waiting(std::move(refusal), std::move(measured));
    report.loader->workers = 2;
    report.loader->stages = {{stage, 0.6}, {"other", 0.4}};
    const std::string how = how_text(ask_of(report, Gains(1, {})).back());
    EXPECT_THAT(how, HasSubstr("more workers alone cannot help"));
    return how;
  };
  EXPECT_THAT(says("Lambda has no native form", {}, "JPEG decode"),
              HasSubstr("; flatout's engine does not fit: Lambda has no native form; slowest:"));
  const char* const measures =
      "; `flatout bench data FOLDER` measures what flatout.data.images makes of them";
  EXPECT_THAT(says(std::nullopt, {}, "JPEG decode"), HasSubstr(measures));
  EXPECT_THAT(says(std::nullopt, {.skipped = "--quiet was given"}, "JPEG decode"),
              HasSubstr(measures));
  EXPECT_THAT(says(std::nullopt, fast(), "JPEG decode"), Not(HasSubstr("flatout.data")))
      << "it was measured, and gains nothing";
  EXPECT_THAT(says(std::nullopt, {}, "tokenize"), Not(HasSubstr("flatout.data")))
      << "it makes pictures";
}

TEST(EngineChoice, IsNotAdvisedWhereItGainsNothing) {
  EXPECT_THAT(knobs(ask_of(waiting("", fast()), Gains(1.5, 1.0))),
              Not(testing::Contains("dataloader.engine")));
}

TEST(EngineChoice, SaysWhyNoGainIsKnown) {
  struct Case {
    std::string name;
    run::Report report;
    std::optional<double> gain;
    std::string says;
  };
  std::vector<Case> cases;
  cases.push_back(
      {"gone", waiting("", {.skipped = "its files are gone"}), 2, "its files are gone"});
  cases.push_back({"nobody looked", waiting("", {}), 2, "was not measured"});
  cases.push_back(
      {"uneven steps", waiting("", fast()), std::nullopt, "does not match these steps"});
  cases.push_back({"few steps", waiting("", fast()), std::nullopt, "9 steady steps are too few"});
  cases.back().report.steps->steady_count = 9;
  cases.push_back({"storage", waiting("", fast()), 2, "how fast the storage is"});
  cases.back().report.findings[0].cause = run::Cause::kStorageIo;
  cases.back().report.findings[0].detail = run::InputDetail{.waits_for_storage = true};
  for (const Case& one : cases) {
    const auto advice = ask_of(one.report, Gains(1.3, one.gain));
    const auto engine = std::ranges::find(advice, "dataloader.engine", &run::Advice::knob);
    ASSERT_NE(engine, advice.end()) << one.name;
    EXPECT_FALSE(engine->predicted) << one.name;
    EXPECT_THAT(engine->how, HasSubstr(one.says)) << one.name;
  }
}

TEST(EngineChoice, NotWhereItMakesTheBatchesOrRefuses) {
  run::Report own = waiting("", fast());
  own.loader->engine = "native";
  EXPECT_THAT(knobs(ask_of(own, Gains(1.3, 2.6))), Not(testing::Contains("dataloader.engine")));
  EXPECT_THAT(knobs(ask_of(waiting("Lambda has no native form", fast()), Gains(1.3, 2.6))),
              Not(testing::Contains("dataloader.engine")));
}

// Nobody knows what its own __getitem__ does: a line that went in place of the loader would train
// another program.
TEST(EngineChoice, OfADatasetOfTheProgramThereIsAnEstimateAndNoLineToPaste) {
  run::EngineMeasurement assumed = fast();
  assumed.speed->size = {224, 192};
  run::Report report = waiting(std::nullopt, assumed);
  report.loader->files_folder = "/data/train";
  report.loader->batch_size = 64;
  const auto advice = ask_of(report, Gains(1.3, 2.6));
  ASSERT_THAT(knobs(advice),
              ElementsAre("dataloader.num_workers", "dataset.sample_cost", "dataset.engine"))
      << "behind what can be done";
  const run::Advice& estimate = advice.back();
  EXPECT_EQ(estimate.to, "") << "no knob sets it";
  EXPECT_EQ(how_text(estimate),
            "an estimate, not a line to paste: flatout's engine makes 1000 samples/s of these "
            "files, cropped at random to 224 x 192; what else this Dataset does to them is yours "
            "to write in its terms (docs/data.md): at most this");
  ASSERT_TRUE(estimate.predicted);
  EXPECT_EQ(estimate.predicted->lo, 1) << "a bound";
  EXPECT_DOUBLE_EQ(estimate.predicted->ratio, 2.6 * 1.05);
  EXPECT_DOUBLE_EQ(estimate.predicted->hi, 2.6 * 1.05);
  EXPECT_THAT(how_text(advice[1]), Not(HasSubstr("engine"))) << "which is no fix";
}

TEST(EngineChoice, AnEstimateNeedsAReason) {
  run::EngineMeasurement assumed = fast();
  assumed.speed->size = {224, 224};
  const auto estimates = [](const run::Report& report, std::optional<double> gain) {
    return knobs(ask_of(report, Gains(1, gain))).back() == "dataset.engine";
  };
  run::Report report = waiting(std::nullopt, assumed);
  EXPECT_FALSE(estimates(report, std::nullopt)) << "nothing is promised where nothing is known";
  EXPECT_FALSE(estimates(report, 1.0));
  report.loader->max_samples_per_s = 300;
  EXPECT_TRUE(estimates(report, std::nullopt)) << "1000 samples/s against 300 say enough";
  EXPECT_FALSE(ask_of(report, Gains(1, std::nullopt)).back().predicted);
  report.loader->max_samples_per_s = 900;
  EXPECT_FALSE(estimates(report, std::nullopt));
  EXPECT_FALSE(estimates(waiting(std::nullopt, {}), 2.6)) << "nothing was measured";
  EXPECT_FALSE(estimates(waiting("Lambda has no native form", assumed), 2.6));
}

}  // namespace
}  // namespace flatout::advise
