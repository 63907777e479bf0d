// Builds a run::Timeline from the frames of a log, in any order that a log may
// have. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/timeline.h"
#include "store/codec.h"
#include "store/frame_log.h"
#include "store/logged_records.h"
#include "store/sealed/sealed_records.h"

namespace flatout::store {

// What the end says; without one `running` while the recorder is alive, else `lost`.
run::RunState state_of(const std::optional<run::RunEnd>& end, bool alive);

// What a process recorded, as it lies in a sealed run.
struct SealedTrack {
  EventBlocks phases, batches, device_phases, values, activities, trace_windows;
  EventBlocks host_spans{Touching::kOneBlock};  // of which an outer one may begin as its inner ones
  run::PhaseCounter counter;                    // of phases
};

class TimelineBuilder {
 public:
  // A frame that cannot be decoded, and what it states that cannot be
  // (run/plausible.h), becomes a note and changes nothing else.
  void add(const Frame& frame);
  // The same of a sealed run's rows and chunks, whose events and points stay in the file: finish()
  // makes Records of `file` of them. All frames are to come so, or none.
  void add(const Frame& frame, StatedRow row);
  void add(const ChunkHead& head, std::span<const std::int64_t> times);
  // A frame of a log that stays open: what a kernel trace holds of it stays there, too, and
  // finish() makes Records of `log` of it.
  void add_logged(const Frame& frame);
  void note(std::string line);
  // What the timeline takes in memory so far, about; events count also where they stay in a file,
  // readings do not.
  std::uint64_t held_bytes() const { return held_bytes_; }
  bool has_info() const { return has_info_; }
  const run::RunInfo& info() const { return timeline_.info; }

  // Sorts and hands over; the builder is then empty. State: see state_of;
  // a run that its --stop-after ended has finished.
  run::Timeline finish(bool alive, const std::shared_ptr<SealedFile>& file = nullptr);
  run::Timeline finish(bool alive, const std::shared_ptr<LogRecords>& log);

 private:
  void take(const run::RunInfo& info);
  void take(run::Proc proc);
  void take(OfProcess<run::Lane> lane);
  void take(OfProcess<std::vector<run::PhaseEvent>> events);
  void take(OfProcess<std::vector<run::Batch>> batches);
  void take(OfProcess<std::vector<run::DevicePhase>> phases);
  void take(OfProcess<std::vector<run::NamedValue>> values);
  void take(OfProcess<std::vector<run::TraceName>> names);
  void take(OfProcess<std::vector<run::DeviceActivity>> activities);
  void take(OfProcess<std::vector<run::HostSpan>> spans);
  void take(OfProcess<std::vector<run::TraceWindow>> windows);
  void take(OfProcess<run::Fact> fact);
  void take(const std::vector<run::Sample>& samples);
  void take(run::Device device);
  void take(const run::RingCounts& counts);
  void take(run::RunEnd end);
  void take(const Dropped& dropped);
  void take(const Recovered& recovered);
  template <typename T>
  bool fits(const T& item);
  template <typename T>
  void keep_plausible(std::vector<T>& items);
  template <typename T>
  void keep(std::vector<T>& items, run::Records<T>& to, EventBlocks SealedTrack::* rows, pid_t pid);
  bool has_records(pid_t pid) const;
  void sort();
  void attach(const std::shared_ptr<SealedFile>& file);
  void attach(const std::shared_ptr<LogRecords>& log);
  run::Timeline finished(bool alive);
  run::ProcessTrack& track(pid_t pid);
  void saw(std::int64_t t_ns);

  run::Timeline timeline_;
  std::shared_ptr<run::NameTable> names_;  // the timeline's; null until there is one
  std::optional<StatedRow> row_;           // that is being added
  std::map<pid_t, SealedTrack> sealed_;
  std::map<run::SeriesKey, ChunkBlocks> chunks_;
  Dropped dropped_;
  bool has_info_ = false;
  bool recovered_ = false;
  std::uint64_t held_bytes_ = 0;
  std::size_t undecodable_ = 0;
  std::size_t implausible_ = 0;
};

}  // namespace flatout::store
