// throttled: something holds the device's clocks down.
//
// What it costs: the share of time in which the clock was held down, times the
// part of the fastest clock that was missing then, times the part of the step
// in which the device computes. 10 % of the step is a warning, 20 % critical,
// as for the other shares of lost time (TraceML: 10 / 20 %).
//
//   thermal  the driver counts time held down by temperature. With less lost, a
//            temperature within 3 degrees of where clocks begin to fall, or a
//            twentieth of the time throttled, is information (TraceML warns at
//            85 degrees, gpuprof at 82 with a clock 15 % down; the driver's own
//            limit of the device is better than either).
//   power    a device that draws what it may does what it was built for: its
//            fastest clock is not meant for full load, so this is information.
//            It is a warning where the clocks are held down while the device
//            draws less than 80 % of its limit (TraceML's mark): then a supply,
//            a cable or a neighbour sets the limit.
#include <algorithm>
#include <cmath>

#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"

namespace flatout::analyse {
namespace {

constexpr Thresholds kThrottledThresholds = {.warn = 0.10, .critical = 0.20};
constexpr double kThrottledWorthSaying = 0.05;  // of the time, throttled
constexpr double kNearDegrees = 3;
constexpr double kFullPower = 0.8;

struct Held {
  run::Cause cause = run::Cause::kNone;
  double of_time = 0;
  double lost = 0;  // of step time
  bool expected = false;
};

// Of a clock that is lost the steps lose what they compute at it.
double of_step(const Analysis& analysis, std::optional<double> lost_clock) {
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  return lost_clock.value_or(0) * (busy ? busy->share : 0);
}

Held held_by(const Analysis& analysis, const DeviceStats& stats) {
  const Held thermal = {run::Cause::kThermal, stats.throttled.thermal.value_or(0),
                        of_step(analysis, stats.lost_to_thermal), false};
  Held power = {run::Cause::kPower, stats.throttled.power.value_or(0),
                of_step(analysis, stats.lost_to_power), true};
  if (stats.power_w && stats.power_limit_w.value_or(0) > 0) {
    power.expected = *stats.power_w >= kFullPower * *stats.power_limit_w;
  }
  // What is as it should be comes second.
  const bool thermal_speaks =
      thermal.of_time >= kThrottledWorthSaying || power.of_time < kThrottledWorthSaying;
  if (power.expected) return thermal_speaks ? thermal : power;
  return power.lost > thermal.lost ? power : thermal;
}

bool near_limit(const DeviceStats& stats) {
  const std::optional<double> limit = stats.temperature_limit_c();
  return limit && stats.temperature_c && *stats.temperature_c >= *limit - kNearDegrees;
}

std::string degrees(double celsius) { return std::to_string(std::lround(celsius)) + " C"; }

std::string summary_of(const Held& held, const DeviceStats& stats) {
  if (held.of_time < kThrottledWorthSaying) {
    return "the GPU reaches " + degrees(stats.temperature_c.value_or(0)) + "; from " +
           degrees(stats.temperature_limit_c().value_or(0)) + " on its clocks may fall.";
  }
  std::string text = held.cause == run::Cause::kThermal ? "heat" : "a power limit";
  text += " holds the GPU's clocks down " + percent(held.of_time) + " of the time, which costs ";
  text += (held.lost < 0.005 ? "less than 1 %" : percent(held.lost)) + std::string(" of each step");
  return text + ".";
}

}  // namespace

std::optional<run::Finding> judge_throttled(const Analysis& analysis) {
  const DeviceStats* stats = analysis.device();
  if (stats == nullptr) return std::nullopt;
  const Held held = held_by(analysis, *stats);
  if (held.of_time < kThrottledWorthSaying && !near_limit(*stats)) return std::nullopt;
  run::Finding finding;
  finding.id = "throttled";
  finding.cause = held.of_time < kThrottledWorthSaying ? run::Cause::kThermal : held.cause;
  finding.outside = true;
  finding.severity =
      held.expected ? run::Severity::kInfo : severity_of(held.lost, kThrottledThresholds);
  finding.share = std::min(1.0, held.lost);
  finding.confidence = confidence_of(analysis, held.lost, kThrottledThresholds.warn);
  finding.tier = stats->tier();
  finding.summary = summary_of(held, *stats);
  const auto add = [&](const char* metric, const std::optional<double>& value, const char* unit,
                       std::optional<double> threshold) {
    if (!value) return;
    finding.evidence.push_back(steady_evidence(analysis, metric, *value, unit));
    finding.evidence.back().threshold = threshold;
  };
  add("device.throttle.thermal", stats->throttled.thermal, "ratio", kThrottledWorthSaying);
  add("device.throttle.power", stats->throttled.power, "ratio", kThrottledWorthSaying);
  add("device.temperature", stats->temperature_c, "celsius", stats->temperature_limit_c());
  add("device.clock.sm", stats->sm_clock_mhz, "megahertz", stats->sm_clock_max_mhz);
  add("device.power", stats->power_w, "watts", stats->power_limit_w);
  return finding;
}

}  // namespace flatout::analyse
