// Advice from reports written by hand, with a predictor that is a formula.
#include "advise/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "advise/advise_fixture.h"

namespace flatout::advise {
namespace {

using run::Advice;
using run::Finding;
using run::LoaderSetting;
using run::Report;
using run::Speedup;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST(InputBound, FewestWorkersNearTheBest) {
  // 50 ms a batch, 10 ms a step: five workers keep up.
  const auto advice = ask(report_with("input_bound", 50.0 / 60), pool(50, 10));
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "dataloader.num_workers");
  EXPECT_EQ(advice[0].from, "0");
  EXPECT_EQ(advice[0].to, "5");
  EXPECT_EQ(how_text(advice[0]), "DataLoader(..., num_workers=5)");
  EXPECT_EQ(advice[0].at, "train.py:41");
  EXPECT_EQ(advice[0].risk, run::Risk::kSameMaths);
  EXPECT_TRUE(advice[0].other_draws);
  ASSERT_TRUE(advice[0].predicted);
  EXPECT_NEAR(advice[0].predicted->ratio, 60 / 10.1, 1e-9);
}

TEST(InputBound, TheNativeEngineWhereItCouldMakeTheSamples) {
  Report report = report_with("input_bound", 50.0 / 60);
  report.loader->native_refusal = "";
  const auto advice = ask(report, pool(50, 10));
  ASSERT_THAT(advice, SizeIs(2));
  EXPECT_EQ(advice[1].knob, "dataloader.engine");
  EXPECT_EQ(advice[1].to, "\"native\"");
  EXPECT_FALSE(advice[1].predicted);
  report.loader->engine = "native";
  const auto already = ask(report, pool(50, 10));
  ASSERT_THAT(already, SizeIs(1)) << "no engine, and no workers, which it would not start";
  EXPECT_EQ(already[0].knob, "dataset.sample_cost");
  report.loader->engine = "";
  report.loader->native_refusal = "some reason";
  EXPECT_THAT(ask(report, pool(50, 10)), SizeIs(1));
}

TEST(InputBound, OfTheNativeEngineByWhereItsThreadsSpendTheirTime) {
  using run::EnginePart;
  const auto ask_with = [](const run::InputDetail& detail, std::int64_t fetched = 0) {
    Report report = report_with("input_bound", 0.5, run::Cause::kNativeLoading);
    report.loader->engine = "native";
    report.loader->fetched_batches = fetched;
    report.loader->engine_work.emplace();
    report.loader->engine_work->ahead = 2;
    report.findings[0].detail = detail;
    std::vector<std::string> how;
    for (const Advice& advice : ask(report, pool(50, 10))) {
      EXPECT_TRUE(advice.to.empty() && !advice.predicted);
      how.push_back(how_text(advice));
    }
    return how;
  };
  EXPECT_THAT(ask_with({.engine = run::EngineShares{.slowest = EnginePart::kDecode,
                                                    .slowest_share = 0.7,
                                                    .files = 0.1}}),
              ElementsAre(HasSubstr("flatout pack FOLDER PACKED")));
  EXPECT_THAT(ask_with({.engine = run::EngineShares{.slowest = EnginePart::kDecode,
                                                    .slowest_share = 0.3,
                                                    .files = 0.6}}),
              ElementsAre(HasSubstr("larger files: `flatout pack"), HasSubstr("threads=N"),
                          HasSubstr("--kind raw")));
  EXPECT_THAT(ask_with({.engine = run::EngineShares{.slowest = EnginePart::kTransform,
                                                    .slowest_share = 0.8}}),
              ElementsAre(HasSubstr("RandAugment")));
  EXPECT_THAT(ask_with({.engine = run::EngineShares{.slowest = EnginePart::kDecode,
                                                    .slowest_share = 0.4,
                                                    .underrun = 0.6}}),
              ElementsAre(HasSubstr("prefetch_factor=8")));
  EXPECT_THAT(
      ask_with({.engine = run::EngineShares{.slowest = EnginePart::kDecode, .slowest_share = 0.9},
                .engine_part = 0.2}),
      ElementsAre(HasSubstr("the sampler")));
  EXPECT_THAT(
      ask_with({.engine = run::EngineShares{.slowest = EnginePart::kDecode, .slowest_share = 0.9},
                .engine_part = 0.2},
               3),
      ElementsAre(HasSubstr("only Python can read")));
}

struct BoundCase {
  std::string name;
  int cpus;
  std::optional<double> cpu_share;
  std::optional<std::int64_t> memory_peak, memory_limit;
  std::string expected;  // num_workers advised when more is always better
};
class WorkerBound : public testing::TestWithParam<BoundCase> {};
TEST_P(WorkerBound, Holds) {
  const BoundCase& c = GetParam();
  Report report = report_with("input_bound", 0.95);
  report.host.cpus = c.cpus;
  report.loader->sample_cpu_share = c.cpu_share;
  report.host.memory_peak_bytes = c.memory_peak;
  report.host.memory_limit_bytes = c.memory_limit;
  const auto advice = ask(report, pool(1e6, 1));
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice[0].to, c.expected);
}
INSTANTIATE_TEST_SUITE_P(Inputs, WorkerBound,
                         testing::Values(BoundCase{"burning", 2, 1.0, {}, {}, "3"},
                                         BoundCase{"share_not_known", 2, {}, {}, {}, "3"},
                                         BoundCase{"half_waiting", 2, 0.5, {}, {}, "5"},
                                         BoundCase{"waiting_four_a_core", 2, 0.0, {}, {}, "8"},
                                         BoundCase{"waiting_at_most_32", 16, 0.0, {}, {}, "32"},
                                         BoundCase{"many_cores", 64, 1.0, {}, {}, "65"},
                                         BoundCase{"memory_holds_three_more", 2, 0.0, 10, 45, "3"}),
                         [](const auto& test) { return test.param.name; });

TEST(InputBound, CoresAreTheLimit) {
  // Two burning workers are as good as any number: 20 ms of CPU a batch.
  Report report = report_with("input_bound", 0.95);
  report.loader->sample_cpu_share = 1.0;
  report.loader->stages = {{"other", 0.5}, {"decode", 0.4}, {"crop", 0.1}};
  const auto advice = ask(report, pool(200, 10, 0, 2));
  ASSERT_THAT(advice, SizeIs(2));
  EXPECT_EQ(advice[0].to, "2");
  EXPECT_FALSE(advice[1].predicted);
  EXPECT_EQ(advice[1].from, "");
  EXPECT_THAT(how_text(advice[1]), HasSubstr("2 CPUs are the limit"));
  EXPECT_THAT(how_text(advice[1]), HasSubstr("slowest: decode 40 %"));
}

TEST(InputBound, WhatADiskGivesIsNotPredicted) {
  Report report = report_with("input_bound", 0.95, run::Cause::kStorageIo);
  report.findings[0].detail = run::InputDetail{.waits_for_storage = true};
  report.loader->sample_cpu_share = 0.1;
  EXPECT_FALSE(ask(report, pool(200, 10)).at(0).predicted);

  Report single = report_with("input_bound", 0.95, run::Cause::kSingleProcessLoading);
  single.loader->sample_cpu_share = 0.1;
  EXPECT_TRUE(ask(single, pool(200, 10)).at(0).predicted);
  single.findings[0].detail = run::InputDetail{.waits_for_storage = true};
  EXPECT_FALSE(ask(single, pool(200, 10)).at(0).predicted);
}

TEST(InputBound, MoreBurningWorkersThanCoresAreNeverAdvised) {
  Report report = report_with("input_bound", 0.6, run::Cause::kWorkerCpu);
  report.loader->workers = 2;
  report.loader->sample_cpu_share = 1.0;
  // Each more costs a little.
  const FormulaPredictor crowded([](const LoaderSetting& to) {
    return to.workers < 2 ? 0.5 : 1.02 - 0.02 * (to.workers - 1);
  });
  const auto advice = ask(report, crowded);
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_FALSE(advice[0].predicted);
  EXPECT_THAT(how_text(advice[0]), HasSubstr("make samples cheaper"));
}

// Two of three seconds of a sample went by without a core: no storage would fix that.
TEST(InputBound, SamplesThatWaitForACoreAreNotToldToReadNearer) {
  Report report = report_with("input_bound", 0.6, run::Cause::kWorkerCpu);
  report.loader->workers = 2;
  report.loader->sample_cpu_share = 0.3;
  const FormulaPredictor nothing_helps([](const LoaderSetting&) { return 1.0; });
  EXPECT_THAT(how_text(ask(report, nothing_helps).at(0)), HasSubstr("nearer storage"));
  report.findings[0].detail = run::InputDetail{.core_wait = 0.65};
  const std::string how = how_text(ask(report, nothing_helps).at(0));
  EXPECT_THAT(how, HasSubstr("a sample waits for one 65 % of its time"));
  EXPECT_THAT(how, HasSubstr("make samples cheaper"));
}

// The program alone does not decide there how much more workers gain.
TEST(InputBound, BesideOtherProgramsMoreWorkersTakeFromThem) {
  Report report = report_with("input_bound", 0.8, run::Cause::kSingleProcessLoading);
  report.findings[0].detail = run::InputDetail{.core_wait = 0.5};
  report.loader->workers = 0;
  report.verdict.loaded = "these are the figures of a loaded machine";
  // An interval from 0.98.
  const FormulaPredictor unsure([](const LoaderSetting&) { return 1.09; });
  const std::string how = how_text(ask(report, unsure).at(0));
  EXPECT_THAT(how, HasSubstr("more workers gain what they take from the other programs here"));
  EXPECT_THAT(how, Not(HasSubstr("cannot help")));
}

// 4 workers hid it all where this said that workers alone do not hide it.
TEST(InputBound, WhereOnlyTheModelSaysNoTheTunerIsToMeasure) {
  const FormulaPredictor no_gain([](const LoaderSetting&) { return 0.9; });
  Report report = report_with("input_bound", 0.75);
  EXPECT_THAT(how_text(ask(report, no_gain).at(0)),
              HasSubstr("the model expects little of more workers, `flatout tune` measures 3"));
  report.loader->sample_cpu_share = 0.9;  // yet one worker has a core of the two
  const std::string burning = how_text(ask(report, no_gain).at(0));
  EXPECT_THAT(burning, HasSubstr("`flatout tune` measures 2"));
  EXPECT_THAT(burning, Not(HasSubstr("cannot help")));
  report.loader->workers = 2;  // now both are taken
  EXPECT_THAT(how_text(ask(report, no_gain).at(0)), HasSubstr("more workers alone cannot help"));
  EXPECT_THAT(how_text(ask(report, silent()).at(0)), HasSubstr("more workers alone cannot help"));
}

// From few steps nothing is predicted: that is said, and no bound that is not there.
TEST(Advise, OfFewStepsItIsNotSure) {
  class Nothing final : public run::Predictor {
   public:
    std::optional<Speedup> loader(const LoaderSetting&) const override { return std::nullopt; }
    std::optional<Speedup> remove_share(double) const override { return std::nullopt; }
  };
  for (const char* finding : {"input_bound", "epoch_gap", "epoch_restart", "checkpoint_stall",
                              "host_bound", "copy_bound", "unfused_optimizer"}) {
    Report report = report_with(finding, 0.4);
    if (std::string(finding) == "host_bound") report.loader.reset();
    report.steps->steady_count = 6;
    const auto advice = ask(report, Nothing());
    ASSERT_FALSE(advice.empty()) << finding;
    EXPECT_FALSE(advice[0].predicted);
    EXPECT_THAT(how_text(advice[0]), HasSubstr("not sure")) << finding;
    EXPECT_THAT(how_text(advice[0]), HasSubstr("6 steady steps are too few")) << finding;
    EXPECT_THAT(how_text(advice[0]), Not(HasSubstr("at most this"))) << finding;
  }
}

TEST(InputBound, PrefetchOnlyWhenItHelps) {
  Report report = report_with("input_bound", 0.2);
  report.loader->workers = 2;
  report.loader->prefetch_factor = 2;
  for (const double gain : {1.015, 1.2}) {
    const FormulaPredictor deeper([&](const LoaderSetting& to) {
      return to.workers == 2 ? (to.prefetch_factor >= 4 ? gain : 1.0) : 0.9;
    });
    const auto advice = ask(report, deeper);
    if (gain < 1.02) {
      EXPECT_THAT(advice, IsEmpty());
    } else {
      ASSERT_THAT(advice, SizeIs(1));
      EXPECT_EQ(advice[0].knob, "dataloader.prefetch_factor");
      EXPECT_EQ(advice[0].from, "2");
      EXPECT_EQ(advice[0].to, "4");
      EXPECT_NEAR(advice[0].predicted->ratio, gain, 1e-9);
    }
  }
}

TEST(InputBound, AnIterableDatasetMustBeSharded) {
  Report report = report_with("input_bound", 0.8);
  report.loader->iterable = true;
  const auto advice = ask(report, pool(50, 10));
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice[0].risk, run::Risk::kChangesTraining);
  EXPECT_THAT(how_text(advice[0]), HasSubstr("get_worker_info"));
}

TEST(InputBound, PinningOnlyForCuda) {
  for (const bool cuda : {false, true}) {
    Report report = report_with("input_bound", 0.3);
    report.loader->pin_memory = false;
    report.steps->phases["h2d"] = 0.05;
    run::DeviceReport device;
    device.kind = cuda ? "cuda" : "cpu";
    report.devices.push_back(device);
    const auto advice = ask(report, pool(3, 10, 0));
    const bool pins = std::ranges::any_of(
        advice, [](const Advice& a) { return a.knob == "dataloader.pin_memory"; });
    EXPECT_EQ(pins, cuda);
  }
}

TEST(InputBound, WithoutAPredictionNoNumberOfWorkers) {
  const auto advice = ask(report_with("input_bound", 0.8), silent());
  for (const Advice& a : advice) {
    EXPECT_NE(a.knob, "dataloader.num_workers");
    EXPECT_FALSE(a.predicted);
  }
  Report no_loader = report_with("input_bound", 0.8);
  no_loader.loader.reset();
  EXPECT_THAT(ask(no_loader, silent()), IsEmpty());
}

TEST(Advise, LeavesTheRestAlone) {
  EXPECT_THAT(ask(report_with("compute_bound", 0.9), silent()), IsEmpty());
  Report info = report_with("input_bound", 0.9);
  info.findings[0].severity = run::Severity::kInfo;
  info.findings[0].advice.emplace_back();
  EXPECT_THAT(ask(info, pool(50, 10)), IsEmpty());
}

// No advice that is predicted to gain less than 1 %, whatever is predicted.
TEST(Advise, NeverBelowOnePercent) {
  for (const std::string id :
       {"input_bound", "host_bound", "cpu_contention", "epoch_gap", "checkpoint_stall"}) {
    for (int present = 0; present < 4; ++present) {
      for (const double share : {0.0, 0.004, 0.3, 0.99}) {
        for (const double slope : {-0.2, 0.0, 0.001, 0.1}) {
          Report report = report_with(id, share);
          report.loader->workers = present;
          report.loader->persistent_workers = false;
          const FormulaPredictor line([&](const LoaderSetting& to) {
            return std::max(0.01, 1 + slope * (to.workers - present));
          });
          for (const Advice& a : ask(report, line)) {
            EXPECT_FALSE(how_text(a).empty());
            const double gain = a.predicted ? a.predicted->ratio : 2;
            EXPECT_GE(gain, 1.01 - 1e-9) << id << " " << a.knob;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace flatout::advise
