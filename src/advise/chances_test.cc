// Advice of findings about devices, copies, memory and ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "advise/advise.h"

namespace flatout::advise {
namespace {

// A test that reads an absent figure must fail, and does.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

using run::Advice;
using run::Finding;
using run::Report;
using run::Risk;
using run::Severity;
using run::Speedup;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class BoundOnly final : public run::Predictor {
 public:
  std::optional<Speedup> loader(const run::LoaderSetting&) const override { return std::nullopt; }
  std::optional<Speedup> remove_share(double share) const override {
    return Speedup{.ratio = 1 / (1 - share), .lo = 1, .hi = 1 / (1 - share)};
  }
};

Finding finding_of(const std::string& id, double share, run::Cause cause = run::Cause::kNone,
                   Severity severity = Severity::kWarn) {
  Finding finding;
  finding.id = id;
  finding.cause = cause;
  finding.share = share;
  finding.severity = severity;
  return finding;
}

run::DeviceReport device(const std::string& name, const std::string& kind) {
  run::DeviceReport out;
  out.name = name;
  out.kind = kind;
  return out;
}

Report report_of_findings(std::vector<Finding> findings) {
  Report report;
  report.host.cpus = 4;
  report.steps.emplace();
  report.steps->steady_count = 100;
  report.loader.emplace();
  report.loader->workers = 12;
  report.loader->pin_memory = false;
  report.loader->persistent_workers = false;
  report.loader->built_at = "train.py:41";
  report.devices = {device("GPU", "cuda")};
  report.findings = std::move(findings);
  return report;
}

std::vector<Advice> ask(Report report) {
  advise(report, BoundOnly());
  return report.findings.front().advice;
}
std::vector<Advice> ask(const Finding& finding) { return ask(report_of_findings({finding})); }

TEST(CopyBound, PinsTheLoaderAndNamesTheCopy) {
  Finding finding = finding_of("copy_bound", 0.2, run::Cause::kPageableMemory);
  finding.at = "train.py:58";
  const auto advice = ask(finding);
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "dataloader.pin_memory");
  EXPECT_EQ(advice[0].at, "train.py:41");
  EXPECT_THAT(how_text(advice[0]), HasSubstr("non_blocking=True) at train.py:58"));
  EXPECT_NEAR(advice[0].predicted->ratio, 1.25, 1e-9);
  EXPECT_EQ(advice[0].predicted->lo, 1);
  EXPECT_EQ(advice[0].risk, Risk::kSameMaths);
}

TEST(CopyBound, OfAPinnedLoaderTheCopyIsTheOneToChange) {
  Report report = report_of_findings({finding_of("copy_bound", 0.2, run::Cause::kPageableMemory)});
  report.loader->pin_memory = true;
  report.findings[0].at = "train.py:58";
  const auto advice = ask(report);
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "copy.pinned");
  EXPECT_EQ(advice[0].at, "train.py:58");
}

TEST(CopyBound, ABetterLinkSavesTheDifferenceOnly) {
  Finding finding = finding_of("copy_bound", 0.4, run::Cause::kPcieDegraded);
  finding.detail = run::CopyDetail{.link_of_best = 0.25};
  EXPECT_NEAR(ask(finding)[0].predicted->ratio, 1 / (1 - 0.3), 1e-9);
}

TEST(SyncBound, IsABound) {
  const auto advice = ask(finding_of("sync_bound", 0.5));
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_THAT(how_text(advice[0]), HasSubstr("at most this"));
  EXPECT_NEAR(advice[0].predicted->hi, 2, 1e-9);
}

TEST(PrecisionUnused, RoundsOtherwiseAndPromisesNothing) {
  for (const Severity severity : {Severity::kInfo, Severity::kWarn}) {
    const auto advice = ask(finding_of("precision_unused", 0.9, run::Cause::kNone, severity));
    ASSERT_THAT(advice, SizeIs(2));
    for (const Advice& one : advice) {
      EXPECT_EQ(one.risk, Risk::kRounding);
      EXPECT_FALSE(one.predicted.has_value());
    }
  }
}

TEST(PrecisionUnused, AGpuWithoutTf32IsGivenFloat16) {
  const auto advice = ask(finding_of("precision_unused", 0.9, run::Cause::kFloat16Only));
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].to, "\"float16\"");
}

TEST(MemoryHeadroom, ChangesTraining) {
  Finding finding = finding_of("memory_headroom", 0, run::Cause::kNone, Severity::kInfo);
  EXPECT_THAT(ask(finding), IsEmpty());  // of an unknown batch
  Report report = report_of_findings({finding});
  report.loader->batch_size = 64;
  const auto advice = ask(report);
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].from, "64");
  EXPECT_EQ(advice[0].to, "128");
  EXPECT_EQ(advice[0].risk, Risk::kChangesTraining);
  EXPECT_THAT(how_text(advice[0]), HasSubstr("learning rate"));
  EXPECT_FALSE(advice[0].predicted.has_value());
}

TEST(Throttled, HeatIsCooledAndFullPowerLeftAlone) {
  EXPECT_EQ(ask(finding_of("throttled", 0.2, run::Cause::kThermal))[0].knob, "device.cooling");
  EXPECT_THAT(ask(finding_of("throttled", 0.3, run::Cause::kPower, Severity::kInfo)), IsEmpty());
  EXPECT_EQ(ask(finding_of("throttled", 0.3, run::Cause::kPower))[0].knob, "device.power");
}

TEST(DeviceUnused, ByWhatIsMissing) {
  EXPECT_EQ(ask(finding_of("device_unused", 0, run::Cause::kNone, Severity::kInfo))[0].knob,
            "launch.processes");
  Report report = report_of_findings({finding_of("device_unused", 0.9)});
  report.devices.insert(report.devices.begin(), device("CPU", "cpu"));
  EXPECT_EQ(ask(report)[0].knob, "model.device");
  report.findings[0].cause = run::Cause::kCpuBuild;
  EXPECT_EQ(ask(report)[0].knob, "torch.build");
}

TEST(TooManyWorkers, AsManyAsCoresLeave) {
  const auto advice = ask(finding_of("too_many_workers", 0.2));
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].from, "12");
  EXPECT_EQ(advice[0].to, "3");
  EXPECT_TRUE(advice[0].other_draws);
  EXPECT_THAT(ask(finding_of("too_many_workers", 0, run::Cause::kNone, Severity::kInfo)),
              IsEmpty());
}

TEST(Advise, WhatWasSaidIsNotRepeated) {
  Report report =
      report_of_findings({finding_of("epoch_restart", 0.4), finding_of("epoch_gap", 0.3)});
  advise(report, BoundOnly());
  ASSERT_THAT(report.findings[0].advice, SizeIs(1));
  EXPECT_EQ(report.findings[0].advice[0].knob, "dataloader.persistent_workers");
  EXPECT_THAT(report.findings[1].advice, IsEmpty());
}

TEST(Advise, ALateRankIsHelpedByWhatMakesItLate) {
  using run::Cause;
  std::set<std::string> knobs;
  for (const Cause cause : {Cause::kNone, Cause::kLateData, Cause::kLateCopies,
                            Cause::kLateCheckpoint, Cause::kLateHost, Cause::kLateCompute}) {
    const auto advice = ask(finding_of("rank_imbalance", 0.3, cause));
    ASSERT_THAT(advice, SizeIs(1)) << run::cause_name(cause);
    EXPECT_TRUE(knobs.insert(advice[0].knob).second) << advice[0].knob;
  }
}

TEST(Advise, EachOfTheOtherFindingsHasItsAdvice) {
  for (const char* id : {"rank_imbalance", "device_shared", "memory_pressure"}) {
    const auto advice = ask(finding_of(id, 0.3));
    ASSERT_THAT(advice, SizeIs(1)) << id;
    EXPECT_TRUE(advice[0].to.empty());
    EXPECT_FALSE(how_text(advice[0]).empty());
  }
  EXPECT_EQ(ask(finding_of("unfused_optimizer", 0.2))[0].risk, Risk::kRounding);
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace
}  // namespace flatout::advise
