// The recorder: at each tick it drains the rings, samples the sources, follows
// the processes and hands all of it to the sink, which writes it.
//
// Nothing that goes wrong here may stop it: a failing sink, source or ring is
// told of once (take_notes) and the rest goes on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "record/allocator_readings.h"
#include "record/process_table.h"
#include "record/ring_dir_reader.h"
#include "record/update_count.h"
#include "run/observed.h"
#include "run/sink.h"
#include "run/source.h"

namespace flatout::record {

struct RecorderOptions {
  pid_t root_pid = 0;  // the command that was launched
  // Takes the JSON of a failure (facts::kFailure), gives it back with secrets masked.
  std::function<std::string(const std::string& json)> mask_failure = {};
  // A process began a tracked run with the history of another (facts::kTrackRun with a branch):
  // called when all it said before that is in the sink, and before what it said since. May write to
  // the sink.
  std::function<void(pid_t pid, const run::TrackRunFact& fact)> branched = {};
  // CPU time of this process, ns (recorder.cpu.cores_used).
  std::function<std::int64_t()> cpu = [] { return base::read_clock_ns(CLOCK_PROCESS_CPUTIME_ID); };
};

// One thread. `clock`, `sink` and `watch` must outlive it.
class Recorder {
 public:
  // `rings` may be null: there are no hooks.
  Recorder(const base::Clock& clock, run::RunSink& sink, run::ProcessWatch& watch,
           std::vector<std::unique_ptr<run::Source>> sources, std::unique_ptr<RingDirReader> rings,
           RecorderOptions options);

  // First, once. The sink's error, if it has one; recording may go on.
  base::Result<void> begin(const run::RunInfo& info);
  void tick();
  // A last tick, then the end. Where `end.survivors` is empty, it is filled with
  // the processes of the run that still live, but for the root. Unlinks the rings
  // and lets the sources go.
  void finish(run::RunEnd end);

  // The processes that wrote a kStop record (--stop-after reached), the first one first.
  const std::vector<pid_t>& stops_requested() const { return stops_requested_; }
  // Before somebody else stops `pid`: true where it has not stopped itself and now never will.
  bool claim_stop(pid_t pid) { return !rings_ || rings_->claim_stop(pid); }
  // The processes that update weights, or mark steps, as far as they were seen.
  const std::set<pid_t>& training() const { return training_; }
  // What the root said when its last tracked run was finished (facts::kTrackClose).
  const std::optional<int>& closed() const { return closed_; }
  // A process of the run logs through a tracker (facts::kTrackRun): its ring may fill fast.
  bool tracks() const { return tracks_; }
  // Takes what waits in the rings where one is full to a share of `least`, and nothing else:
  // between two ticks.
  void drain(double least);
  // Updates of weights (or steps that the program marked), of the process with the most.
  std::uint64_t updates() const;
  run::RingCounts counts() const { return rings_ ? rings_->counts() : run::RingCounts{}; }
  // Lines for the user since the last call, each problem once, without "flatout:".
  // They are in the recording too, as facts (facts::kProblem) of the root.
  std::vector<std::string> take_notes();

 private:
  void drain_rings(base::TimeNs now);
  void write_allocators();
  void take(const RingOwner& owner, RingChunk& chunk);
  void look_at_trackers(pid_t pid, const std::vector<run::Fact>& facts);
  void write(pid_t pid, const RingChunk& chunk);
  void write_in_parts(pid_t pid, RingChunk& chunk);
  void follow_processes(base::TimeNs now, bool force);
  void sample_sources(base::TimeNs now, bool last);
  void sample_self(base::TimeNs now, std::int64_t cpu_ns);
  void write_processes();
  void write_counts();
  void collect_notes();
  void step(bool last);
  void check(const base::Result<void>& done);
  void note(std::string line);

  const base::Clock& clock_;
  run::RunSink& sink_;
  run::ProcessWatch& watch_;
  std::vector<std::unique_ptr<run::Source>> sources_;
  std::unique_ptr<RingDirReader> rings_;
  RecorderOptions options_;
  ProcessTable processes_;
  AllocatorReadings allocators_;
  std::vector<run::Sample> samples_;
  std::optional<base::TimeNs> last_self_ns_;
  std::int64_t last_self_cpu_ns_ = 0;
  run::RingCounts last_counts_;
  std::vector<pid_t> stops_requested_;
  std::set<pid_t> training_;
  std::map<pid_t, UpdateCount> updates_;
  std::optional<int> closed_;
  bool tracks_ = false;
  std::set<std::pair<pid_t, int>> branched_;  // tracks
  bool sink_failed_ = false;
  std::set<std::string> told_;
  std::vector<std::string> notes_;
};

}  // namespace flatout::record
