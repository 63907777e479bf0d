#include <algorithm>

#include "collect/nvml/readers.h"

namespace flatout::collect::nvml {
namespace {

using run::Metric;

// Where the counters' own absence is reported, since the metrics then come from polls.
constexpr const char* kCounters = "throttle_counters";

// A counter took 1 ms of a core to read on an H200 (driver 580). Nothing is lost in between.
constexpr base::DurationNs kPause = 2 * base::kSecond;
constexpr base::DurationNs kPauseOfOthers = 10 * base::kSecond;

}  // namespace

Throttle::Throttle()
    : power_{Policy::kPower, {{kCounters}, kPause}},
      thermal_{Policy::kThermal, {{kCounters}, kPause}},
      others_{{{Policy::kSyncBoost, {{}, kPauseOfOthers}},
               {Policy::kBoardLimit, {{}, kPauseOfOthers}},
               {Policy::kReliability, {{}, kPauseOfOthers}}}},
      reasons_({key(Metric::kDeviceThrottlePower), key(Metric::kDeviceThrottleThermal),
                key(Metric::kDeviceThrottleOther)},
               kEachRound) {}

std::optional<double> Throttle::share(Session& device, Counter& counter) {
  if (!device.due(counter.question)) return std::nullopt;
  ViolationTime now{};
  const Return code = device.call(device.driver().f.violation, counter.policy, &now);
  if (!device.answered(counter.question, code)) return std::nullopt;
  const auto last = std::exchange(counter.last, now);
  const base::DurationNs elapsed = device.now() - std::exchange(counter.last_ns, device.now());
  if (!last || now.violation_ns < last->violation_ns || elapsed <= 0) return std::nullopt;
  // The driver's own time where it moves: its counters are of that moment.
  const double whole = now.reference_us > last->reference_us
                           ? static_cast<double>(now.reference_us - last->reference_us) * 1000
                           : static_cast<double>(elapsed);
  return std::min(1.0, static_cast<double>(now.violation_ns - last->violation_ns) / whole);
}

void Throttle::be_due() {
  for (Counter* counter : {&power_, &thermal_}) counter->question.next_ns = 0;
  for (Counter& counter : others_) counter.question.next_ns = 0;
}

void Throttle::read(Session& device) {
  if (const auto power = share(device, power_)) device.add(Metric::kDeviceThrottlePower, *power);
  if (const auto thermal = share(device, thermal_)) {
    device.add(Metric::kDeviceThrottleThermal, *thermal);
  }
  std::optional<double> other;
  for (Counter& counter : others_) {
    if (const auto part = share(device, counter)) other = other.value_or(0) + *part;
  }
  if (other) device.add(Metric::kDeviceThrottleOther, std::min(1.0, *other));
  const bool counted = power_.question.worked && thermal_.question.worked &&
                       !power_.question.failing && !thermal_.question.failing;
  if (!counted) read_reasons(device);
}

// 1 where a reason held at this moment: the mean over polls is the share.
void Throttle::read_reasons(Session& device) {
  if (!device.due(reasons_)) return;
  unsigned long long bits = 0;
  if (!device.answered(reasons_, device.call(device.driver().f.reasons, &bits))) return;
  const bool power = (bits & (kReasonSwPowerCap | kReasonHwPowerBrake)) != 0;
  const bool thermal = (bits & (kReasonSwThermal | kReasonHwThermal)) != 0;
  // The general hardware bit is set along with its cause, where that is known.
  const bool hardware =
      (bits & kReasonHwSlowdown) != 0 && (bits & (kReasonHwThermal | kReasonHwPowerBrake)) == 0;
  device.add(Metric::kDeviceThrottlePower, power ? 1 : 0);
  device.add(Metric::kDeviceThrottleThermal, thermal ? 1 : 0);
  device.add(Metric::kDeviceThrottleOther, hardware || (bits & kReasonSyncBoost) != 0 ? 1 : 0);
}

}  // namespace flatout::collect::nvml
