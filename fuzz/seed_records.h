// Recordings to start from, as the records that a recorder writes of them.
#pragma once

#include <string>
#include <vector>

#include "store/frame_log.h"

namespace flatout::fuzz {

struct Record {
  store::FrameType type;
  std::string payload;
};

// A small one of each type.
std::vector<Record> each_type();
// Training runs in which there is much to find: a loader that cannot keep up, the native engine,
// and a device that is throttled.
std::vector<Record> loaded_run();
std::vector<Record> engine_run();
std::vector<Record> measured_run();
std::vector<Record> device_run();
// What records.h takes apart again.
std::string joined(const std::vector<Record>& records);

}  // namespace flatout::fuzz
