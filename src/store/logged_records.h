// Records of a kernel trace in a run's log as run::Records: a day's windows hold tens of millions
// of them, so that only where their frames lie is held in memory. The log stays open, also where it
// is sealed and removed meanwhile. Any thread may ask, one does at a time. Internal to store/.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "run/timeline.h"
#include "store/log_file.h"
#include "store/sealed/sealed_records.h"

namespace flatout::store {

struct LogRecords {
  explicit LogRecords(OpenLog opened) : log(std::move(opened)) {}
  std::mutex mutex;
  OpenLog log;
  std::set<std::uint64_t> unread;  // offsets of frames that were whole, and gave nothing when asked
};

// T is DeviceActivity or HostSpan. The seq of a place is its frame's offset.
template <typename T>
run::Records<T> logged_events(std::shared_ptr<LogRecords> log, EventBlocks blocks);

}  // namespace flatout::store
