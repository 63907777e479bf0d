#include "collect/nvml/readers.h"

namespace flatout::collect::nvml {
namespace {

using run::Metric;

constexpr double kKib = 1024;
constexpr double kKilobyte = 1000;
constexpr base::DurationNs kWaitForGpm = 2 * base::kSecond;

std::optional<unsigned long long> kibibytes(const FieldValue& field) {
  if (field.outcome != Return::kSuccess) return std::nullopt;
  if (field.type == ValueType::kUnsignedLongLong) return field.value.unsigned_long_long;
  if (field.type == ValueType::kUnsignedLong) return field.value.unsigned_long;
  if (field.type == ValueType::kUnsigned) return field.value.unsigned_int;
  return std::nullopt;
}

}  // namespace

Links::Links()
    : nvlink_({key(Metric::kDeviceNvlinkSent), key(Metric::kDeviceNvlinkReceived)}, base::kSecond),
      pcie_({key(Metric::kDevicePcieSent), key(Metric::kDevicePcieReceived)}, 5 * base::kSecond) {}

void Links::read(Session& device) {
  if (!device.due(nvlink_)) return;
  if (device.facts().nvlinks.value_or(0) == 0) {
    nvlink_.given_up = true;
    for (const auto& name : nvlink_.names) device.unavailable(name, "no NVLink of it is active");
    return;
  }
  std::array<FieldValue, 2> fields{};
  fields[0].field = kFieldNvlinkSent;
  fields[1].field = kFieldNvlinkReceived;
  for (auto& field : fields) field.scope = kAllLinks;
  Return code = device.call(device.driver().f.fields, 2, fields.data());
  if (code == Return::kSuccess) code = fields[0].outcome;  // each field has its own
  if (!device.answered(nvlink_, code)) return;
  const double seconds =
      static_cast<double>(device.now() - last_ns_) / static_cast<double>(base::kSecond);
  constexpr std::array kMetrics = {Metric::kDeviceNvlinkSent, Metric::kDeviceNvlinkReceived};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto kib = kibibytes(fields[i]);
    if (kib && last_kib_[i] && *kib >= *last_kib_[i] && seconds > 0) {
      device.add(kMetrics[i], static_cast<double>(*kib - *last_kib_[i]) * kKib / seconds);
    }
    last_kib_[i] = kib;
  }
  last_ns_ = device.now();
}

void Links::read_slow(Session& device) {
  // By then it is known whether GPM gives the same without waiting.
  if (!first_slow_ns_) first_slow_ns_ = device.now();
  if (device.now() - *first_slow_ns_ < kWaitForGpm || !device.due(pcie_)) return;
  const auto& f = device.driver().f;
  unsigned sent = 0;
  unsigned received = 0;
  if (!device.answered(pcie_, device.call(f.pcie_throughput, PcieCounter::kSent, &sent))) return;
  device.add(Metric::kDevicePcieSent, sent * kKilobyte);
  if (device.answered(pcie_, device.call(f.pcie_throughput, PcieCounter::kReceived, &received))) {
    device.add(Metric::kDevicePcieReceived, received * kKilobyte);
  }
}

void Links::leave_pcie_to_gpm(Session& device) {
  if (pcie_.worked) return;
  device.unavailable(key(Metric::kDevicePcieSent), "GPM gives it, as device.gpm.pcie.sent");
  device.unavailable(key(Metric::kDevicePcieReceived), "GPM gives it, as device.gpm.pcie.received");
}

}  // namespace flatout::collect::nvml
