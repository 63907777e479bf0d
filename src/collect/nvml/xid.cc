#include "collect/nvml/xid.h"

#include <algorithm>

namespace flatout::collect::nvml {
namespace {

using run::Metric;

constexpr base::DurationNs kXidPeriod = base::kSecond;
constexpr int kMostEvents = 16;  // in one look; the rest comes with the next

}  // namespace

void XidWatch::start(Driver& driver, std::span<Session* const> devices) {
  const auto& f = driver.f;
  EventSet set{};
  const Return made = driver.call(f.event_set, &set);
  for (Session* device : devices) {
    const Return code =
        made == Return::kSuccess ? device->call(f.register_events, kEventXid, set) : made;
    if (code == Return::kSuccess) {
      set_ = set;
    } else {
      device->unavailable(key(Metric::kDeviceXid), reason(code, driver.last_call()));
    }
  }
  if (!set_ && made == Return::kSuccess) (void)driver.call(f.event_set_free, set);
}

void XidWatch::read(Driver& driver, std::span<Session* const> devices, base::TimeNs now) {
  if (!set_ || now < next_ns_) return;
  next_ns_ = now + kXidPeriod - kXidPeriod / 50;
  for (int i = 0; i < kMostEvents; ++i) {
    EventData event{};
    if (driver.call(driver.f.event_wait, *set_, &event, 0U) != Return::kSuccess) return;
    if ((event.type & kEventXid) == 0) continue;
    const auto device = std::ranges::find_if(
        devices, [&](const Session* each) { return each->handle() == event.device; });
    if (device == devices.end()) continue;
    // Several at one look get times of their own, or all but one would be lost.
    (*device)->add(Metric::kDeviceXid, static_cast<double>(event.data), now + i);
    (*device)->note((*device)->label() + ": the driver reported XID " + std::to_string(event.data) +
                    "; NVIDIA's list of XID errors says what it means, dmesg which program");
  }
}

void XidWatch::stop(Driver& driver) {
  if (set_) (void)driver.call(driver.f.event_set_free, *set_);
  set_.reset();
}

}  // namespace flatout::collect::nvml
