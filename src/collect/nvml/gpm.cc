#include <cmath>
#include <memory>

#include "collect/nvml/readers.h"

namespace flatout::collect::nvml {
namespace {

using run::Metric;

// Two samples must be more than 100 ms apart, since the device renews them no faster; what
// is nearer, the driver refuses, which would end them for good.
constexpr base::DurationNs kGpmPeriod = base::kSecond / 5;
constexpr base::DurationNs kLeast = base::kSecond / 10;
constexpr double kPerKibi = 1 / 1024.0;

struct Wanted {
  GpmId id;
  Metric metric;
  double grains;  // a percent, or a MiB/s; what is finer is noise and would fill the store
  double grains_per_unit;
};
constexpr std::array<Wanted, 8> kWanted = {{
    {GpmId::kSm, Metric::kDeviceGpmSm, 100, 1e4},
    {GpmId::kOccupancy, Metric::kDeviceGpmOccupancy, 100, 1e4},
    {GpmId::kTensor, Metric::kDeviceGpmTensor, 100, 1e4},
    {GpmId::kDram, Metric::kDeviceGpmDram, 100, 1e4},
    {GpmId::kPcieReceived, Metric::kDeviceGpmPcieReceived, 1024, kPerKibi},
    {GpmId::kPcieSent, Metric::kDeviceGpmPcieSent, 1024, kPerKibi},
    {GpmId::kNvlinkReceived, Metric::kDeviceGpmNvlinkReceived, 1024, kPerKibi},
    {GpmId::kNvlinkSent, Metric::kDeviceGpmNvlinkSent, 1024, kPerKibi},
}};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& wanted : kWanted) names.push_back(key(wanted.metric));
  return names;
}

}  // namespace

Gpm::Gpm(Handle gpu_of_instance)
    : gpu_of_instance_(gpu_of_instance),
      support_(all_names(), 0),
      sample_(all_names(), kGpmPeriod),
      report_(all_names(), 0) {
  for (const auto& wanted : kWanted) metrics_.push_back({{key(wanted.metric)}, 0});
}

// Before Hopper the driver says "not supported" in one way or the other.
bool Gpm::supported(Session& device) {
  Driver& driver = device.driver();
  const Handle gpu = gpu_of_instance_ != nullptr ? gpu_of_instance_ : device.handle();
  GpmSupport support{.version = 1, .supported = 0};
  if (!device.answered(support_, driver.call(driver.f.gpm_support, gpu, &support))) return false;
  if (support.supported != 0) return true;
  for (const auto& name : support_.names) {
    device.unavailable(name, "the device has no GPM: it came with Hopper");
  }
  support_.given_up = true;
  return false;
}

// Asked once.
bool Gpm::start(Session& device) {
  if (started_) return true;
  if (!device.due(support_) || !supported(device)) return false;
  const auto& f = device.driver().f;
  if (gpu_of_instance_ != nullptr &&
      !device.answered(support_, device.call(f.gpu_instance, &instance_))) {
    return false;
  }
  for (auto& buffer : buffers_) {
    if (!device.answered(support_, device.driver().call(f.gpm_alloc, &buffer))) return false;
  }
  started_ = true;
  return true;
}

Return Gpm::take_sample(Session& device, GpmSample sample) const {
  Driver& driver = device.driver();
  if (gpu_of_instance_ == nullptr) return device.call(driver.f.gpm_sample, sample);
  return driver.call(driver.f.gpm_instance_sample, gpu_of_instance_, instance_, sample);
}

void Gpm::read(Session& device) {
  if (report_.given_up || !start(device)) return;
  if (has_first_ && device.clock().live() - first_ns_ <= kLeast) return;
  if (!device.due(sample_)) return;
  if (!device.answered(sample_, take_sample(device, buffers_[1]))) {
    has_first_ = false;
    return;
  }
  if (has_first_) report(device);
  std::swap(buffers_[0], buffers_[1]);
  has_first_ = true;
  first_ns_ = device.clock().live();
}

void Gpm::report(Session& device) {
  const auto request = std::make_unique<GpmRequest>();
  request->version = 1;
  request->count = kWanted.size();
  request->first = buffers_[0];
  request->second = buffers_[1];
  for (std::size_t i = 0; i < kWanted.size(); ++i) request->metrics[i].id = kWanted[i].id;
  Driver& driver = device.driver();
  if (!device.answered(report_, driver.call(driver.f.gpm_metrics, request.get()))) return;
  for (std::size_t i = 0; i < kWanted.size(); ++i) {
    const GpmMetric& got = request->metrics[i];
    if (!device.answered(metrics_[i], got.outcome) || !std::isfinite(got.value) || got.value < 0) {
      continue;
    }
    device.add(kWanted[i].metric,
               std::round(got.value * kWanted[i].grains) / kWanted[i].grains_per_unit);
    gives_pcie_ = gives_pcie_ || kWanted[i].id == GpmId::kPcieReceived;
  }
}

void Gpm::free(Driver& driver) {
  for (GpmSample& buffer : buffers_) {
    if (buffer != nullptr) (void)driver.call(driver.f.gpm_free, buffer);
    buffer = nullptr;
  }
}

}  // namespace flatout::collect::nvml
