// NVIDIA devices through NVML: their facts and series (docs/devices.md). Calls
// into the driver may block for ever, so it belongs into an OffThreadSource.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "collect/nvml/processes.h"
#include "collect/nvml/readers.h"
#include "collect/nvml/visible.h"
#include "collect/nvml/xid.h"
#include "run/source.h"

namespace flatout::collect::nvml {

struct NvmlOptions {
  std::string library;  // another file than the system's; "" = the system's
  VisibleSetting visible = {};
  PidNumbers pid_numbers = PidNumbers::kMachines;
};

// The run's processes, as the recorder's thread knows them, for the source's thread.
class RunProcesses {
 public:
  void set(std::set<pid_t> pids) {
    const std::scoped_lock lock(mutex_);
    pids_ = std::move(pids);
  }
  std::set<pid_t> get() const {
    const std::scoped_lock lock(mutex_);
    return pids_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<pid_t> pids_;
};

// One thread. The first sample() opens the library.
class NvmlSource final : public run::Source {
 public:
  // `clock` must outlive it; `call_name` gets the name of each call (see Driver).
  NvmlSource(NvmlOptions options, const base::Clock& clock,
             std::shared_ptr<const RunProcesses> processes, std::shared_ptr<CallName> call_name);
  ~NvmlSource() override;
  NvmlSource(const NvmlSource&) = delete;
  NvmlSource& operator=(const NvmlSource&) = delete;

  std::string_view name() const override { return "GPU"; }
  // kUnavailable with an empty message: there is no NVIDIA GPU here.
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;
  base::Result<void> last_sample(base::TimeNs now, run::SampleSink& out) override;
  std::vector<run::Device> take_devices() override;
  std::vector<std::string> take_notes() override;

 private:
  enum class Part : std::uint8_t { kWhole, kParent, kInstance };  // of MIG
  struct Device {
    Device(Session opened, Part kind, Handle gpu_of_instance)
        : session(std::move(opened)), part(kind), gpm(gpu_of_instance) {}
    Session session;
    Part part;
    Activity activity;
    Gauges gauges;
    Throttle throttle;
    Links links;
    Gpm gpm;
  };

  base::Result<void> open();
  void list_devices(unsigned count);
  struct Instance {
    Handle handle;
    Handle gpu;
    run::Device facts;
  };
  // `gpu_of_instance`: null for a whole device.
  void add_device(Handle handle, run::Device facts, Part part, Handle gpu_of_instance);
  std::vector<Instance> instances(Handle gpu, run::Device& parent) const;
  void mark_visible();
  std::vector<Session*> sessions(Part without) const;
  static void read_instance(Device& device);
  void read_slowly();

  NvmlOptions options_;
  std::shared_ptr<const RunProcesses> processes_;
  std::shared_ptr<CallName> call_name_;
  std::unique_ptr<Driver> driver_;
  DriverClock clock_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::string> notes_;
  ProcessUse use_;
  XidWatch xid_;
  std::size_t next_slow_ = 0;
};

}  // namespace flatout::collect::nvml
