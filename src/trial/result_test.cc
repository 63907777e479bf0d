// What a trial's run says of the load that other programs put on the machine beside it.
#include "trial/result.h"

#include <gtest/gtest.h>

#include <optional>

#include "analyse/loop_fixture.h"

namespace flatout::trial {
namespace {

using analyse::TimelineBuilder;
using run::Metric;

constexpr double kRounding = 0.01;

struct Row {
  const char* name;
  int cpus;
  double own;
  double all;
  double cpu_limit;
  std::optional<double> cpu_share;
};

apply::OutsideLoad outside_of(const Row& row) {
  TimelineBuilder run = analyse::run_of({.wait = 0.3});
  run.timeline().info.cpus = row.cpus;
  run.timeline().info.cpu_limit = row.cpu_limit;
  run.series(Metric::kProcessCpuCoresUsed, TimelineBuilder::kPid, row.own);
  run.series(Metric::kHostCpuCoresUsed, run::kHostSource, row.all);
  return trial_result(run.timeline(), {}).outside;
}

TEST(OutsideLoadOfATrial, CountsWhereNoCoreWasToSpare) {
  for (const Row& row : {
           Row{"alone on a busy machine", 2, 2, 2, 0, 0.0},
           Row{"others take what it wants", 2, 0.5, 1.97, 0, 1.47 / 2},
           Row{"others beside idle cores take nothing", 32, 2, 12, 0, 0.0},
           Row{"others and the run fill a large machine", 32, 8, 32, 0, 24.0 / 32},
           Row{"a part of the machine: nobody sees whose cores", 2, 0.5, 1.97, 1.5, std::nullopt},
       }) {
    const auto outside = outside_of(row);
    ASSERT_EQ(outside.cpu_share.has_value(), row.cpu_share.has_value()) << row.name;
    if (!row.cpu_share) continue;
    EXPECT_NEAR(*outside.cpu_share, *row.cpu_share, kRounding) << row.name;
  }
}

TEST(OutsideLoadOfATrial, OfAHostThatWasNotMeasuredIsAbsent) {
  const auto outside = trial_result(analyse::run_of({.wait = 0.3}).timeline(), {}).outside;
  EXPECT_FALSE(outside.cpu_share.has_value());
  EXPECT_FALSE(outside.device_share.has_value());
}

}  // namespace
}  // namespace flatout::trial
