// What the allocators of processes say of their devices (wire::AllocatorRecord) -> series of the
// machine's devices. Each process has an allocator of its own on a device, and its own number for
// it: the sum is that of the latest reading of each process that lives. Pure, one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "record/ring_decoder.h"
#include "run/device.h"
#include "run/sample.h"

namespace flatout::record {

class AllocatorReadings {
 public:
  // A driver named a device; again when it changes.
  void device(const run::Device& device);
  // What a process said: facts::kDevices names the devices that it sees.
  void facts(pid_t pid, std::span<const run::Fact> facts);
  void add(pid_t pid, std::span<const AllocatorReading> readings);
  // What was added since the last call, in order of time.
  std::vector<run::Sample> take();
  // Its memory is the device's again. What it was counted stays counted.
  void ended(pid_t pid);

 private:
  using Place = std::pair<pid_t, int>;  // process, device as that counts it
  struct Entry {
    AllocatorReading latest;
    bool lives = false;
    std::optional<std::int64_t> retries, ooms;  // over all that this number was the process of
  };

  int index_of(const Place& place) const;
  void learn(const Place& place, const AllocatorReading& reading);
  void sum_up(int index, std::int64_t t_ns, std::vector<run::Sample>& out);

  std::map<int, run::Device> devices_;
  std::map<Place, std::string> uuids_;
  std::map<Place, Entry> entries_;
  std::map<int, std::int64_t> last_ns_;  // of a device's series, whose times grow
  std::vector<std::pair<pid_t, AllocatorReading>> added_;
};

}  // namespace flatout::record
