// The model against a loader whose samples are Python alone, on a real GPU with 16 CPUs:
// tests/whatif/held_handover.json. A batch that is ready waits up to 80 ms for its worker, which
// computes the next one and holds the interpreter lock that the hand-over needs too. That time is
// no ceiling: with more workers the others' batches come at once.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "analyse/whatif.h"

namespace flatout::analyse {
namespace {

nlohmann::json measured() {
  std::ifstream file(FLATOUT_SOURCE_DIR "/tests/whatif/held_handover.json");
  return nlohmann::json::parse(file);
}

WhatIfInput input_of(const nlohmann::json& all, const nlohmann::json& run) {
  WhatIfInput input;
  input.cores = all["cores"];
  input.compute_cores = 1;
  input.batch_bytes = all["batch_bytes"].get<double>();
  input.present = run::LoaderSetting{run["workers"].get<int>(), 2};
  input.handover_ns = run["handover_us"].get<double>() * 1e3;
  input.held_handover_ns = run["held_handover_us"].get<double>() * 1e3;
  const auto ns = [](const nlohmann::json& us) { return us.get<std::int64_t>() * 1000; };
  for (const nlohmann::json& step : run["steps_us"]) {
    input.steps.push_back({.data_wait_ns = ns(step[0]),
                           .compute_ns = ns(step[1]),
                           .host_ns = ns(step[2]),
                           .device_ns = ns(run["device_us"])});
  }
  for (const nlohmann::json& fetch : run["fetches_us"]) {
    input.fetches.push_back({.wall_ns = ns(fetch[0]), .cpu_ns = ns(fetch[1])});
  }
  return input;
}

TEST(WhatIfHeldHandOver, EveryGainOfMoreWorkersIsWithinItsInterval) {
  const nlohmann::json all = measured();
  int compared = 0;
  for (const nlohmann::json& run : all["runs"]) {
    const int now = run["workers"];
    const WhatIf what_if(input_of(all, run));
    ASSERT_TRUE(what_if.calibration_error());
    EXPECT_NEAR(*what_if.calibration_error(), 0, 0.1) << now;
    const double present_ms = all["measured_ms"][std::to_string(now)];
    for (const auto& [workers, step_ms] : all["measured_ms"].items()) {
      const int to = std::stoi(workers);
      if (to <= now) continue;
      const auto predicted = what_if.loader({to, 2});
      ASSERT_TRUE(predicted) << now << " to " << to;
      const double gain = present_ms / step_ms.get<double>();
      EXPECT_LE(predicted->lo, gain) << now << " to " << to;
      EXPECT_GE(predicted->hi, gain) << now << " to " << to;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 7);
}

// With one worker no draw meets an idle one, so that the plain hand-over is not seen.
TEST(WhatIfHeldHandOver, WhereOnlyHeldOnesWereSeenTheUsualCostIsTaken) {
  WhatIfInput input;
  input.cores = 16;
  input.compute_cores = 1;
  input.present = run::LoaderSetting{1, 2};
  input.held_handover_ns = 80e6;
  input.steps.assign(100, {.data_wait_ns = 90'000'000, .compute_ns = 10'000'000});
  input.fetches.assign(100, {.wall_ns = 100'000'000, .cpu_ns = 100'000'000});
  const auto eight = WhatIf(input).loader({8, 2});
  ASSERT_TRUE(eight);
  EXPECT_GT(eight->lo, 4);
}

}  // namespace
}  // namespace flatout::analyse
