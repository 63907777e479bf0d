#include "collect/devices.h"

#include <filesystem>
#include <thread>

#include "base/recording_clock.h"
#include "collect/amdgpu/amdgpu_source.h"
#include "collect/nvml/nvml_source.h"
#include "collect/off_thread.h"

namespace flatout::collect {
namespace {

// Behind all of NVIDIA's, where its driver is loaded too.
constexpr int kFirstAmdBesideNvidia = 100;
constexpr base::DurationNs kBetweenLooks = base::kSecond / 4;
constexpr int kLooks = 5;

// Outlives every thread that is left behind in a driver's call.
const base::Clock& system_clock() {
  static const base::RecordingClock clock;
  return clock;
}

nvml::VisibleSetting visible(const std::function<const char*(const char*)>& get, const char* name,
                             const char* order) {
  nvml::VisibleSetting setting;
  if (const char* value = get(name)) setting.devices = value;
  const char* by = order != nullptr ? get(order) : nullptr;
  if (by != nullptr) setting.order = by;
  return setting;
}

std::unique_ptr<OffThreadSource> nvidia(const DeviceOptions& options, const ProcessTree* tree) {
  auto processes = std::make_shared<nvml::RunProcesses>();
  auto call_name = std::make_shared<nvml::CallName>(nullptr);
  auto source =
      std::make_unique<nvml::NvmlSource>(nvml::NvmlOptions{.library = options.nvml_library,
                                                           .visible = options.cuda_visible,
                                                           .pid_numbers = nvml::pid_numbers()},
                                         system_clock(), processes, call_name);
  OffThreadOptions off;
  off.doing = [call_name] {
    const char* call = call_name->load(std::memory_order_relaxed);
    return std::string(call != nullptr ? call : "");
  };
  if (tree != nullptr) {
    off.prepare = [tree, processes] {
      std::set<pid_t> pids;
      for (const auto& [pid, entry] : tree->processes()) pids.insert(pid);
      processes->set(std::move(pids));
    };
  }
  return std::make_unique<OffThreadSource>(std::move(source), std::move(off));
}

struct KeptInLook final : run::SampleSink {
  explicit KeptInLook(std::vector<run::Sample>& into) : samples(into) {}
  void add(const run::Sample& sample) override { samples.push_back(sample); }
  std::vector<run::Sample>& samples;
};

// One call of `source`; false when it gave an error.
bool look_once(run::Source& source, DeviceLook& look) {
  KeptInLook kept(look.samples);
  const auto done = source.sample(system_clock().monotonic(), kept);
  for (auto& device : source.take_devices()) {
    std::erase_if(look.devices, [&](const auto& known) { return known.index == device.index; });
    look.devices.push_back(std::move(device));
  }
  for (auto& note : source.take_notes()) look.notes.push_back(std::move(note));
  if (!done) look.problem = done.error().message;
  return done.has_value();
}

}  // namespace

DeviceOptions device_options(const std::function<const char*(const char*)>& get) {
  DeviceOptions options;
  if (const char* library = get("FLATOUT_NVML_LIBRARY")) options.nvml_library = library;
  options.cuda_visible = visible(get, "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER");
  options.hip_visible = visible(get, "HIP_VISIBLE_DEVICES", nullptr);
  return options;
}

std::vector<std::unique_ptr<run::Source>> make_device_sources(const host::Paths& paths,
                                                              const ProcessTree& tree,
                                                              const DeviceOptions& options) {
  std::vector<std::unique_ptr<run::Source>> sources;
  sources.push_back(nvidia(options, &tree));
  std::error_code error;
  const bool beside = !options.nvml_library.empty() ||
                      std::filesystem::exists(paths.proc / "driver/nvidia/version", error);
  sources.push_back(std::make_unique<OffThreadSource>(
      std::make_unique<AmdgpuSource>(
          paths, AmdgpuOptions{.visible = options.hip_visible,
                               .first_index = beside ? kFirstAmdBesideNvidia : 0}),
      OffThreadOptions{}));
  return sources;
}

DeviceLook look_at_nvidia(const DeviceOptions& options, base::DurationNs patience) {
  DeviceLook look;
  const auto source = nvidia(options, nullptr);
  for (int i = 0; i < kLooks; ++i) {
    if (!look_once(*source, look)) return look;
    if (!source->wait_idle(patience)) {
      look.problem = "the driver has not answered for " + std::to_string(patience / base::kSecond) +
                     " s; nvidia-smi will hang as well, see dmesg";
      return look;
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(kBetweenLooks));
  }
  (void)look_once(*source, look);
  return look;
}

DeviceLook look_at_amd(const host::Paths& paths, const DeviceOptions& options) {
  DeviceLook look;
  AmdgpuSource source(paths, {.visible = options.hip_visible, .first_index = 0});
  (void)look_once(source, look);
  return look;
}

}  // namespace flatout::collect
