// The sources of accelerators: NVIDIA's and AMD's, each on a thread of its own
// and held to a source's budget. Where there is no such device they are dropped
// without a word.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collect/nvml/visible.h"
#include "collect/process_tree.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

struct DeviceOptions {
  std::string nvml_library;           // another file than the driver's own; "" = that
  nvml::VisibleSetting cuda_visible;  // of the environment that the program gets
  nvml::VisibleSetting hip_visible;
};

// From FLATOUT_NVML_LIBRARY, CUDA_VISIBLE_DEVICES, CUDA_DEVICE_ORDER and
// HIP_VISIBLE_DEVICES. `get` gives a variable's value, or null.
DeviceOptions device_options(const std::function<const char*(const char*)>& get);

// `tree` must outlive them and be updated before they are sampled.
std::vector<std::unique_ptr<run::Source>> make_device_sources(const host::Paths& paths,
                                                              const ProcessTree& tree,
                                                              const DeviceOptions& options);

// What doctor tells: all that one look at a kind of device gave.
struct DeviceLook {
  std::string problem = {};  // why there is nothing, "" = there is no such device, or all is well
  std::vector<run::Device> devices = {};
  std::vector<run::Sample> samples = {};
  std::vector<std::string> notes = {};
};
// Looks a few times over about a second; waits `patience` at most for the driver.
DeviceLook look_at_nvidia(const DeviceOptions& options, base::DurationNs patience);
DeviceLook look_at_amd(const host::Paths& paths, const DeviceOptions& options);

}  // namespace flatout::collect
