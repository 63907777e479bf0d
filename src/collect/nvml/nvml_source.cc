#include "collect/nvml/nvml_source.h"

#include <algorithm>
#include <utility>

#include "collect/nvml/facts.h"

namespace flatout::collect::nvml {
namespace {

constexpr unsigned kMostDevices = 256;
}  // namespace

NvmlSource::NvmlSource(NvmlOptions options, const base::Clock& clock,
                       std::shared_ptr<const RunProcesses> processes,
                       std::shared_ptr<CallName> call_name)
    : options_(std::move(options)),
      processes_(std::move(processes)),
      call_name_(std::move(call_name)),
      clock_(clock),
      use_(options_.pid_numbers) {}

NvmlSource::~NvmlSource() {
  if (!driver_) return;
  for (auto& device : devices_) device->gpm.free(*driver_);
  xid_.stop(*driver_);
}

base::Result<void> NvmlSource::open() {
  auto opened = Driver::open(options_.library, call_name_);
  if (!opened) return std::unexpected(opened.error());
  unsigned count = 0;
  const Return code = (*opened)->call((*opened)->f.device_count, &count);
  if (code != Return::kSuccess) {
    return base::fail(base::ErrorCode::kUnavailable, reason(code, (*opened)->last_call()));
  }
  if (count == 0) return base::fail(base::ErrorCode::kUnavailable, "");
  driver_ = std::move(*opened);
  list_devices(std::min(count, kMostDevices));
  mark_visible();
  xid_.start(*driver_, sessions(Part::kInstance));
  return {};
}

// Whole devices first, in the driver's order; then the instances of MIG.
void NvmlSource::list_devices(unsigned count) {
  struct Found {
    Handle handle;
    run::Device facts;
    Part part;
  };
  std::vector<Found> whole;
  for (unsigned i = 0; i < count; ++i) {
    Handle handle{};
    const Return code = driver_->call(driver_->f.device, i, &handle);
    if (code == Return::kSuccess) {
      whole.push_back({handle, read_facts(*driver_, handle, static_cast<int>(i)), Part::kWhole});
    } else {
      notes_.push_back("GPU " + std::to_string(i) +
                       " cannot be read: " + reason(code, driver_->last_call()));
    }
  }
  std::vector<Instance> parts;
  for (Found& found : whole) {
    unsigned mode = 0;
    unsigned pending = 0;
    if (driver_->call(driver_->f.mig_mode, found.handle, &mode, &pending) != Return::kSuccess) {
      continue;  // no MIG on this device: nothing to tell
    }
    if (mode == 0) {
      found.facts.mig = "off";
      continue;
    }
    found.part = Part::kParent;
    for (auto& part : instances(found.handle, found.facts)) parts.push_back(std::move(part));
  }
  for (Found& found : whole) {
    add_device(found.handle, std::move(found.facts), found.part, nullptr);
  }
  auto index = static_cast<int>(count);
  for (Instance& part : parts) {
    part.facts.index = index++;
    add_device(part.handle, std::move(part.facts), Part::kInstance, part.gpu);
  }
}

std::vector<NvmlSource::Instance> NvmlSource::instances(Handle gpu, run::Device& parent) const {
  std::vector<Instance> found;
  unsigned most = 0;
  if (driver_->call(driver_->f.mig_count, gpu, &most) != Return::kSuccess) most = 0;
  for (unsigned i = 0; i < std::min(most, kMostDevices); ++i) {
    Handle instance{};
    if (driver_->call(driver_->f.mig_device, gpu, i, &instance) != Return::kSuccess) continue;
    found.push_back({instance, gpu, read_instance_facts(*driver_, instance, 0, parent)});
  }
  parent.mig = "parent of " + std::to_string(found.size());
  return found;
}

void NvmlSource::add_device(Handle handle, run::Device facts, Part part, Handle gpu_of_instance) {
  devices_.push_back(std::make_unique<Device>(Session(*driver_, clock_, handle, std::move(facts)),
                                              part, gpu_of_instance));
}

void NvmlSource::mark_visible() {
  std::vector<Candidate> candidates;
  for (const auto& device : devices_) {
    const run::Device& facts = device->session.facts();
    candidates.push_back({.uuid = facts.uuid,
                          .name = facts.name,
                          .mig_parent = device->part == Part::kParent,
                          .mig_instance = device->part == Part::kInstance});
  }
  const Visible visible = visible_devices(options_.visible, candidates);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    run::Device facts = devices_[i]->session.facts();
    facts.visible_index = visible.index[i];
    if (!visible.unknown.empty()) facts.unavailable["visible_index"] = visible.unknown;
    devices_[i]->session.change(facts);
  }
}

std::vector<Session*> NvmlSource::sessions(Part without) const {
  std::vector<Session*> some;
  for (const auto& device : devices_) {
    if (device->part != without) some.push_back(&device->session);
  }
  return some;
}

base::Result<void> NvmlSource::sample(base::TimeNs now, run::SampleSink& out) {
  if (!driver_) {
    if (auto opened = open(); !opened) return opened;
  }
  clock_.update();
  for (auto& device : devices_) {
    Session& session = device->session;
    session.begin_round(now, out);
    if (session.lost()) continue;
    if (device->part == Part::kInstance) {
      read_instance(*device);
      continue;
    }
    device->activity.read(session);
    device->gauges.read(session);
    device->throttle.read(session);
    device->gpm.read(session);
    device->links.read(session);
  }
  xid_.read(*driver_, sessions(Part::kInstance), now);
  // A process on an instance stands in the list of the whole GPU too.
  use_.read(sessions(Part::kParent), processes_->get(), now, out);
  read_slowly();
  return {};
}

base::Result<void> NvmlSource::last_sample(base::TimeNs now, run::SampleSink& out) {
  for (auto& device : devices_) {
    device->activity.be_due();
    device->throttle.be_due();
  }
  return sample(now, out);
}

void NvmlSource::read_instance(Device& device) {
  device.activity.read_utilization(device.session);
  device.gauges.read_memory(device.session);
  device.gpm.read(device.session);
}

// One device a round, so that eight of them do not hold up the round.
void NvmlSource::read_slowly() {
  for (std::size_t tried = 0; tried < devices_.size(); ++tried) {
    Device& device = *devices_[next_slow_];
    next_slow_ = (next_slow_ + 1) % devices_.size();
    if (device.session.lost() || device.part == Part::kInstance) continue;
    if (device.gpm.gives_pcie()) {
      device.links.leave_pcie_to_gpm(device.session);
      continue;
    }
    device.links.read_slow(device.session);
    return;
  }
}

std::vector<run::Device> NvmlSource::take_devices() {
  std::vector<run::Device> changed;
  for (auto& device : devices_) {
    if (device->session.take_changed()) changed.push_back(device->session.facts());
  }
  return changed;
}

std::vector<std::string> NvmlSource::take_notes() {
  auto notes = std::exchange(notes_, {});
  for (auto& device : devices_) {
    for (auto& note : device->session.take_notes()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace flatout::collect::nvml
