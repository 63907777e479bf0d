// The model, from simple to simplest: at a share c of its clock a device that computes draws
// idle_w + c * (limit_w - idle_w) of its table, averaged over 100 ms with the time in which it
// computes nothing. Both limits act on c:
// - power: c is what keeps that average at the limit, so a device that is busy throughout under
//   half of its power above idle runs at half its clock;
// - heat: each degree above slowdown_c takes a tenth of the clock.
// Full power makes the device 15 degrees less hot than slowdown_c in air of 25 °C, idle power 10
// degrees hotter than the air. Real devices fall short of that in two ways: their power is not
// linear in the clock (voltage falls with it), and it depends on what the kernels do.
#include "core/power.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/config.h"

namespace simgpu {
namespace {

constexpr Nanoseconds kWindow = 100 * kMillisecond;
constexpr Nanoseconds kStep = 50 * kMillisecond;
constexpr Nanoseconds kFresh = 2 * kMillisecond;  // a launch costs little: most take what was found
constexpr Nanoseconds kRemembered = 15 * kSecond;  // BusyTime knows no more
constexpr double kHeating_s = 10;
constexpr double kIdleAboveAir_c = 10;
constexpr double kAirOfTheTable_c = 25;
constexpr double kFullBelowSlowdown_c = 15;
constexpr double kClockADegree = 0.1;
constexpr double kLowestClock = 0.1;

double limit_of(const DeviceSpec& spec) {
  const double asked = config().power_limit_w;
  return asked > 0 ? std::min(asked, spec.limit_w) : spec.limit_w;
}

double busy_share(const SharedDevice& device, Nanoseconds at) {
  return std::min(1.0, static_cast<double>(device.kernels.between(at - kWindow, at)) / kWindow);
}

double clock_under_heat(const DeviceSpec& spec, double temperature_c) {
  const double above = std::max(0.0, temperature_c - spec.slowdown_c);
  return std::clamp(1 - above * kClockADegree, kLowestClock, 1.0);
}

double clock_under_limit(const DeviceSpec& spec, double busy) {
  const double allowed = (limit_of(spec) - spec.idle_w) / (spec.limit_w - spec.idle_w);
  return busy <= allowed ? 1 : std::clamp(allowed / busy, kLowestClock, 1.0);
}

PowerState state_at(const SharedDevice& device, const DeviceSpec& spec, Nanoseconds at) {
  const double busy = busy_share(device, at);
  const double heat = clock_under_heat(spec, device.temperature_c);
  const double limit = clock_under_limit(spec, busy);
  const double clock = std::min(heat, limit);
  return {.power_w = spec.idle_w + busy * clock * (spec.limit_w - spec.idle_w),
          .limit_w = limit_of(spec),
          .temperature_c = device.temperature_c,
          .clock_share = clock,
          .power_capped = limit < 1 && limit <= heat,
          .thermally_slowed = heat < 1 && heat <= limit};
}

double settles_at_c(const DeviceSpec& spec, double power_w) {
  const double span = spec.slowdown_c - kFullBelowSlowdown_c - kAirOfTheTable_c - kIdleAboveAir_c;
  const double share = (power_w - spec.idle_w) / (spec.limit_w - spec.idle_w);
  return config().ambient_c + kIdleAboveAir_c + span * share;
}

void move_by(SharedDevice& device, const DeviceSpec& spec, Nanoseconds until) {
  const PowerState state = state_at(device, spec, until);
  const Nanoseconds passed = until - device.measured_at;
  const double seconds = static_cast<double>(passed) / kSecond;
  device.energy_j += state.power_w * seconds;
  const double settles_at = settles_at_c(spec, state.power_w);
  device.temperature_c =
      settles_at + (device.temperature_c - settles_at) * std::exp(-seconds / kHeating_s);
  device.power_capped_for += state.power_capped ? passed : 0;
  device.thermally_slowed_for += state.thermally_slowed ? passed : 0;
  device.measured_at = until;
}

// Nobody used the device nor asked about it for longer than is remembered: it was idle.
void skip_the_forgotten(SharedDevice& device, const DeviceSpec& spec, Nanoseconds until) {
  const Nanoseconds known_from = until - kRemembered;
  if (device.measured_at >= known_from) {
    return;
  }
  const double seconds = static_cast<double>(known_from - device.measured_at) / kSecond;
  device.energy_j += spec.idle_w * seconds;
  const double settles_at = settles_at_c(spec, spec.idle_w);
  device.temperature_c =
      settles_at + (device.temperature_c - settles_at) * std::exp(-seconds / kHeating_s);
  device.measured_at = known_from;
}

// Energy and heat are of what has passed; a launch may ask about a time ahead.
void move_to_now(SharedDevice& device, const DeviceSpec& spec) {
  const Nanoseconds until = now();
  skip_the_forgotten(device, spec, until);
  while (device.measured_at < until) {
    move_by(device, spec, std::min(until, device.measured_at + kStep));
  }
}

struct Found {
  Nanoseconds at = -kSecond;
  PowerState state{};
};

bool is_unlimited(const SharedDevice& device, const DeviceSpec& spec) {
  return limit_of(spec) >= spec.limit_w && device.temperature_c <= spec.slowdown_c;
}

}  // namespace

double clock_share(SharedDevice& device, int index, Nanoseconds at) {
  const DeviceSpec& spec = spec_of(index);
  if (now() - device.measured_at >= kStep) {
    move_to_now(device, spec);
  }
  return is_unlimited(device, spec) ? 1 : power_state(device, index, at).clock_share;
}

PowerState power_state(SharedDevice& device, int index, Nanoseconds at) {
  static std::array<Found, 64> found{};  // guarded by the device's own lock
  Found& last = found[static_cast<std::size_t>(index)];
  if (at < last.at || at >= last.at + kFresh) {
    const DeviceSpec& spec = spec_of(index);
    move_to_now(device, spec);
    last = {.at = at, .state = state_at(device, spec, at)};
  }
  return last.state;
}

}  // namespace simgpu
