#include <algorithm>
#include <cmath>

#include "collect/nvml/readers.h"

namespace flatout::collect::nvml {
namespace {

using run::Metric;

// A buffer of 100 places that is filled each 20 ms, the fastest known, lasts 2 s.
constexpr base::DurationNs kDrain = base::kSecond / 2;
// A drain of a utilization took 1.4 ms of a core on an H200 (driver 580), one of power 0.3 ms:
// each 0.5 s they would take more than all else together.
constexpr base::DurationNs kPauseOfUtilization = 2 * base::kSecond;
constexpr base::DurationNs kPauseOfMemory = 10 * base::kSecond;
constexpr base::DurationNs kPauseOfPower = base::kSecond;
// Drivers renew what they say of utilisation each sixth of a second to each second.
constexpr base::DurationNs kStale = 3 * base::kSecond;
constexpr unsigned kMostSamples = 4096;  // a buffer that claims more is not believed

std::optional<double> number(const Value& value, ValueType type) {
  switch (type) {
    case ValueType::kDouble:
      return value.real;
    case ValueType::kUnsigned:
      return value.unsigned_int;
    case ValueType::kUnsignedLong:
      return static_cast<double>(value.unsigned_long);
    case ValueType::kUnsignedLongLong:
      return static_cast<double>(value.unsigned_long_long);
    case ValueType::kSignedLongLong:
      return static_cast<double>(value.signed_long_long);
    case ValueType::kSigned:
      return value.signed_int;
    case ValueType::kUnsignedShort:
      return value.unsigned_short;
  }
  return std::nullopt;
}

}  // namespace

Buffer::Buffer(SamplingType type, Metric metric, double units, base::DurationNs pause)
    : type_(type),
      metric_(metric),
      units_(units),
      pause_(pause),
      question_({"samples." + key(metric)}, kDrain) {}

bool Buffer::fresh(base::TimeNs now) const {
  if (question_.given_up) return false;
  const base::TimeNs since = std::max(last_new_ns_, first_asked_ns_.value_or(now));
  return now - since < kStale + question_.period;
}

void Buffer::read(Session& device) {
  if (!device.due(question_)) return;
  Driver& driver = device.driver();
  if (!first_asked_ns_) {
    first_asked_ns_ = device.now();
    last_us_ = device.clock().now_us();  // what was before this run is not of it
  }
  ValueType type{};
  if (samples_.empty()) {
    unsigned capacity = 0;
    const Return code = device.call(driver.f.samples, type_, 0ULL, &type, &capacity,
                                    static_cast<BufferedSample*>(nullptr));
    if (!device.answered(question_, code)) return;
    if (capacity == 0) return;
    samples_.resize(std::min(capacity, kMostSamples));
  }
  auto count = static_cast<unsigned>(samples_.size());
  const Return code =
      device.call(driver.f.samples, type_, last_us_, &type, &count, samples_.data());
  if (!device.answered(question_, code)) return;
  count = std::min(count, static_cast<unsigned>(samples_.size()));
  const std::span<BufferedSample> got = std::span(samples_).first(count);
  std::ranges::sort(got, {}, &BufferedSample::time_us);
  pace(got);
  for (const BufferedSample& sample : got) take(device, sample, type);
}

void Buffer::pace(std::span<const BufferedSample> sorted) {
  // Full: it may have wrapped, so the next look comes sooner.
  if (sorted.size() == samples_.size()) {
    question_.period /= 2;
    return;
  }
  const auto first = std::ranges::upper_bound(sorted, last_us_, {}, &BufferedSample::time_us);
  const auto fresh = sorted.end() - first;
  if (fresh < 2) return;
  const auto span_us = static_cast<base::DurationNs>(sorted.back().time_us - first->time_us);
  const base::DurationNs lasts =
      span_us * 1000 / (fresh - 1) * static_cast<base::DurationNs>(samples_.size());
  question_.period = std::clamp(lasts / 3, std::min(question_.period, kDrain), pause_);
}

void Buffer::take(Session& device, const BufferedSample& sample, ValueType type) {
  // Places of the buffer that were never filled come as 0.
  if (sample.time_us <= last_us_) return;
  const auto t_ns = device.clock().monotonic(sample.time_us);
  const auto value = number(sample.value, type);
  if (!t_ns || !value || !std::isfinite(*value) || *value < 0) return;
  const double scaled = *value / units_;
  // A share above 1 is a known slip of some drivers and says nothing.
  if (metric_ != Metric::kDevicePower && scaled > 1) return;
  last_us_ = sample.time_us;
  last_new_ns_ = device.now();
  device.add(metric_, scaled, *t_ns);
}

Activity::Activity()
    : gpu_(SamplingType::kGpuUtilization, Metric::kDeviceUtilization, 100, kPauseOfUtilization),
      memory_(SamplingType::kMemoryUtilization, Metric::kDeviceMemoryUtilization, 100,
              kPauseOfMemory),
      power_(SamplingType::kPower, Metric::kDevicePower, 1000, kPauseOfPower),
      polled_({key(Metric::kDeviceUtilization), key(Metric::kDeviceMemoryUtilization)}, kEachRound),
      polled_power_({key(Metric::kDevicePower)}, kEachRound) {}

void Activity::be_due() {
  for (Buffer* buffer : {&gpu_, &memory_, &power_}) buffer->be_due();
}

void Activity::read(Session& device) {
  read_utilization(device);
  read_power(device);
}

void Activity::read_utilization(Session& device) {
  const auto& f = device.driver().f;
  gpu_.read(device);
  memory_.read(device);
  const bool gpu = !gpu_.fresh(device.now());
  const bool memory = !memory_.fresh(device.now());
  if ((gpu || memory) && device.due(polled_)) {
    Utilization now{};
    if (device.answered(polled_, device.call(f.utilization, &now))) {
      if (gpu) device.add(Metric::kDeviceUtilization, now.gpu / 100.0);
      if (memory) device.add(Metric::kDeviceMemoryUtilization, now.memory / 100.0);
    }
  }
}

void Activity::read_power(Session& device) {
  const auto& f = device.driver().f;
  power_.read(device);
  if (!power_.fresh(device.now()) && device.due(polled_power_)) {
    unsigned milliwatts = 0;
    if (device.answered(polled_power_, device.call(f.power, &milliwatts))) {
      device.add(Metric::kDevicePower, milliwatts / 1000.0);
    }
  }
}

}  // namespace flatout::collect::nvml
