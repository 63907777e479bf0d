// The chips of the page and its verdict, of any report.
#include "report/chips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/examples.h"
#include "report/fixes.h"
#include "report/quantity.h"
#include "report/text.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

const Chip* chip_named(const std::vector<Chip>& chips, std::string_view name) {
  const auto found = std::ranges::find(chips, name, &Chip::name);
  return found == chips.end() ? nullptr : &*found;
}

void expect_agreement(const run::Report& report) {
  const std::vector<Chip> chips = chips_of(report);
  for (const Chip& chip : chips) {
    EXPECT_EQ(std::ranges::count(chips, chip.name, &Chip::name), 1) << chip.name;
  }
  const Chip* busy = chip_named(chips, "device busy");
  const Chip* waiting = chip_named(chips, "waiting for data");
  const Chip* computing = chip_named(chips, "computing");
  const Chip* gain = chip_named(chips, "first fix, predicted");
  EXPECT_EQ(waiting != nullptr && computing != nullptr, false);
  if (waiting != nullptr) {
    EXPECT_EQ(report.verdict.finding, "input_bound");
  }
  if (computing != nullptr) {
    EXPECT_EQ(report.verdict.finding, "compute_bound");
    EXPECT_EQ(busy, nullptr) << "two figures for one thing";
  }

  const run::Finding* finding = finding_of_verdict(report);
  if (report.steps && finding != nullptr && std::isfinite(finding->share)) {
    const std::string percent = format_percent(finding->share);
    const auto same = std::ranges::find(chips, percent, &Chip::shown);
    ASSERT_NE(same, chips.end()) << percent;
    if (busy != nullptr && speaks(*finding) && !finding->of_run) {
      EXPECT_LE(busy->value + finding->share, 1.006);
    }
  }
  if (report.failure) {
    EXPECT_TRUE(fixes_of(report).empty());
    for (const Chip* chip : {busy, waiting, computing, gain}) EXPECT_EQ(chip, nullptr);
  }
  if (gain != nullptr) {
    const Fix first = fixes_of(report).front();
    EXPECT_EQ(gain->value, first.advice->predicted->ratio);
    EXPECT_TRUE(gain_text(*first.advice).starts_with(gain->shown));
  }
}

TEST(Chips, NeverContradictTheVerdictOfAnyReport) {
  int with_finding = 0;
  int with_gain = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const run::Report report = random_report(seed);
    expect_agreement(report);
    const auto chips = chips_of(report);
    with_finding += finding_of_verdict(report) != nullptr ? 1 : 0;
    with_gain += chip_named(chips, "first fix, predicted") != nullptr ? 1 : 0;
    if (HasFailure()) break;
  }
  EXPECT_GT(with_finding, 150) << "or the test shows nothing";
  EXPECT_GT(with_gain, 30);
}

// The sentence of the verdict and the chip are made at two places; the examples hold both.
TEST(Chips, HaveTheFigureOfTheVerdictsSentence) {
  for (const auto& [name, report] : example_reports()) {
    SCOPED_TRACE(name);
    expect_agreement(report);
    const run::Finding* finding = finding_of_verdict(report);
    if (finding == nullptr) continue;
    EXPECT_NE(report.verdict.summary.find(format_percent(finding->share)), std::string::npos);
  }
}

TEST(Chips, OfADeviceThatIsBusyBesideAWaitingHost) {
  run::Report report = example_reports().front().report;
  report.steps->phases["data_wait"] = 0.9;  // of the host
  report.findings[0].share = 0.4;           // no more is lost than the device is idle
  report.steps->device_busy = 0.6;
  const auto chips = chips_of(report);
  EXPECT_EQ(chip_named(chips, "waiting for data")->shown, "40 %");
  EXPECT_EQ(chip_named(chips, "device busy")->shown, "60 %");
}

TEST(Chips, ASmallGainHasTheDigitsOfItsText) {
  run::Report report = example_reports().front().report;
  report.findings[0].advice[0].predicted = run::Speedup{1.04, 1.01, 1.06};
  const auto chips = chips_of(report);
  EXPECT_EQ(chip_named(chips, "first fix, predicted")->shown, "x1.04");
  EXPECT_EQ(chip_named(chips, "first fix, predicted")->more, "1.01 to 1.06");
}

TEST(Fixes, ComeInOneOrder) {
  run::Report report = example_reports().front().report;
  run::Finding other = report.findings[0];
  other.id = "host_bound";
  other.advice.resize(1);
  run::Finding chance = other;
  chance.id = "memory_headroom";
  chance.severity = run::Severity::kInfo;
  report.findings.insert(report.findings.begin(), {chance, other});
  std::vector<std::string> order;
  for (const Fix& fix : fixes_of(report)) order.push_back(fix.finding->id);
  EXPECT_EQ(order, (std::vector<std::string>{"input_bound", "input_bound", "host_bound",
                                             "memory_headroom"}));
}

}  // namespace
}  // namespace flatout::report
