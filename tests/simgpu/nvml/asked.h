// What SIMGPU_NVML asks for: a list of words, for drivers and containers that flatout meets.
//   no_processes      the list of processes is empty, as in many containers
//   processes_denied  questions about processes are NO_PERMISSION
//   no_samples        there are no buffers of past samples
//   mig               each device is in MIG mode with one instance that is all of it
#pragma once

namespace simgpu::nvml {

struct Asked {
  bool no_processes = false;
  bool processes_denied = false;
  bool no_samples = false;
  bool mig = false;
};

const Asked& asked();  // read once, at the first use in a process

}  // namespace simgpu::nvml
