// What the environment asks of the simulated machine. Read once, at the first use in a process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device_spec.h"

namespace simgpu {

struct Config {
  std::vector<const DeviceSpec*> devices;  // SIMGPU_DEVICE=a100[,t4...], repeated to
                                           // SIMGPU_DEVICES; SIMGPU_MEMORY_GB in `memory_bytes`
  std::uint64_t memory_bytes = 0;          // of each device; 0: what its table says
  double slower = 1;         // SIMGPU_SLOWER: all that a device does takes this many times as long
  bool spin = false;         // SIMGPU_WAIT=spin
  std::string truth_folder;  // SIMGPU_TRUTH: one set of files a process; empty: none is written
  bool truth_calls = false;  // SIMGPU_TRUTH_CALLS=1: each call of the host in it, too
  std::string machine_folder;  // SIMGPU_MACHINE: what the processes of one simulated machine share;
                               // default /dev/shm/simgpu-UID
  std::uint64_t copied_bytes = 1 << 20;  // SIMGPU_COPIED_BYTES: pinned copies larger than this take
                                         // their time, but move nothing
  bool numbers = true;  // SIMGPU_NUMBERS=0: what is written into device memory stays 0, so that a
                        // loss is the same in every run
  std::uint64_t fault_at_launch =
      0;  // SIMGPU_FAULT=N: the Nth kernel of the process ends with an illegal address; 0: none
  double power_limit_w = 0;  // SIMGPU_POWER_LIMIT_W; 0: the table's
  double ambient_c = 25;     // SIMGPU_AMBIENT_C: air at the device
  bool log_stubs =
      false;  // SIMGPU_LOG=1: entry points met that are not simulated, on standard error
};

const Config& config();

int device_count();
const DeviceSpec& spec_of(int device);
std::uint64_t memory_of(int device);

}  // namespace simgpu
