// The recording of one running program: rings, sources, recorder and store,
// put together and driven by ticks. Main thread.
//
// Fail soft: whatever is missing (hooks, shared memory, a writable home) is
// said in one line through the Voice, and the rest goes on.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/session_options.h"
#include "app/voice.h"
#include "base/file.h"
#include "base/time.h"
#include "collect/process_tree.h"
#include "collect/replay/replay_source.h"
#include "launch/child.h"
#include "launch/hook_watch.h"
#include "launch/plan.h"
#include "launch/torch_watch.h"
#include "record/recorder.h"
#include "run/observed.h"
#include "run/plan.h"
#include "run/report.h"
#include "run/timeline.h"
#include "store/run_writer.h"

namespace flatout::app {

// What a run is started under, beside its options.
struct RunUnder {
  run::Plan plan = {};
  bool trial = false;  // with stop_after: the program ends there at once, not as by Ctrl-C
  std::uint64_t seed_shift = 0;            // of a trial, see launch::HookPlan
  std::optional<std::string> parent = {};  // id of the run that it is a trial of
  // The program was started by somebody else and asked to be recorded: no hooks, but its rings.
  bool attached = false;
  // Called when everything was said, before the ring directory goes.
  std::function<void()> before_rings_go = {};
};

// Where a program's tracker writes.
struct TrackPlaces {
  std::filesystem::path rings;  // "" = nowhere
  std::string ipc;              // of rings in segments (launch/ring_memory.h)
  std::filesystem::path files;  // "" = nowhere
};

class RunSession {
 public:
  // Before the program starts: takes a run id, a folder and a ring directory.
  // `options`, `clock` and `voice` must outlive the session.
  RunSession(const SessionOptions& options, const launch::Environment& env,
             const base::Clock& clock, Voice& voice, RunUnder under = {});

  const std::string& id() const { return info_.id; }
  // Why the program is not looked into; "" where it is.
  const std::string& hooks_off() const { return info_.hooks_off; }
  // The processes that reached their --stop-after. After begin.
  const std::vector<pid_t>& stops_requested() const { return recorder_->stops_requested(); }

  TrackPlaces track_places() const;
  // The folder that keeps the run; "" if it is kept in memory alone.
  std::filesystem::path folder() const { return writer_->folder().value_or(""); }
  // What the program said when its last tracked run was finished. After begin.
  const std::optional<int>& closed() const { return recorder_->closed(); }
  // How soon to call drain() again; absent where ticks suffice. After begin.
  std::optional<base::DurationNs> drains_every() const;
  // Between ticks: makes room in rings that fill fast.
  void drain();

  // Those that take steps. After begin.
  const std::set<pid_t>& training() const { return recorder_->training(); }

  // Updates of weights so far, of the process with the most. Between begin and finish.
  std::uint64_t updates() const { return recorder_->updates(); }
  std::uint64_t events() const { return recorder_->counts().events; }

  // Before begin: devices and host figures come from `recorded`.
  void replay(const run::Timeline& recorded);

  // The environment of the program.
  launch::Environment environment(const launch::Environment& env) const;

  // The program is about to run as `program`; `not_of_the_run` is the canary.
  void begin(pid_t program, pid_t not_of_the_run);
  void tick(base::TimeNs now);
  // Of the run as a whole, beside what its processes say (run/facts.h). Between begin and finish.
  void note_fact(std::string_view key, std::string json);
  // The same after finish: of a process of the run, found out once the program had ended.
  void note_found(pid_t pid, std::string_view key, std::string json);
  // The program has ended. The recording is complete and on disk after this.
  void finish(const launch::Exit& exit, std::vector<pid_t> survivors);
  // What flatout ends as, of a program that ended as `exit`: the same, but a success where the
  // --stop-after ended it, as was asked for. After finish.
  launch::Exit ending(const launch::Exit& exit) const;
  // Instead, where nothing says how it ended.
  void finish_unseen(std::vector<pid_t> survivors);
  // Instead of finish: the program did not start. Leaves nothing behind.
  void discard();

  // Keeps the headline of the report beside the recording, for `ls`. After finish.
  void keep_outcome(const run::Report& report);
  // And what its first tracked run is called and came to, where it has one. After finish.
  void keep_tracked(const run::Timeline& timeline);

  // Last, after the report was shown: turns the log into the run's final form
  // if that takes a moment only. The session can then do nothing more.
  void seal();

  // After finish, where the disk was full: tries again. True once all is written.
  bool write_rest();
  // Whether all that was recorded is on disk.
  bool stored() const { return writer_->folder().has_value() && writer_->stored(); }
  // The --home by which a later report finds it; "" where it looks there by itself.
  const std::string& home_option() const { return home_option_; }
  // What a later report will find; absent where that is nothing.
  std::optional<run::Timeline> on_disk();

  // All that was recorded, from disk and memory.
  // Of a run with a kernel trace that of its file, which stays there; else it lies in memory.
  run::Timeline timeline();

 private:
  void open_store();
  void use_another_home();
  void prepare_hooks(const launch::Environment& env);
  std::filesystem::path track_files() const;
  void drop_hooks();
  void prepare_trace(const launch::Environment& env);
  void tell_trace();
  void look_for_lost_hooks(base::TimeNs now);
  void admit_missing_hooks();
  void remove_rings();
  void stop_the_rest();
  void tell();
  void tell_outside_knobs();
  void tell_problem(const std::string& line);
  void finish_with(run::RunEnd end);
  void tell_unwritten();
  void bring_history(pid_t pid, const run::TrackRunFact& fact);

  const SessionOptions& options_;
  const base::Clock& clock_;
  Voice& voice_;
  const RunUnder under_;
  run::RunInfo info_;
  std::optional<launch::HookPlan> hooks_;
  std::optional<launch::TracePlan> trace_;
  std::string no_trace_;      // why a trace that was asked for is not taken
  base::UniqueFd ring_lock_;  // says that the ring directory is in use (launch/owner_mark.h)
  std::optional<collect::Recording> replayed_;
  std::string home_;  // where the run is kept; "" = nowhere
  std::string home_option_;
  std::unique_ptr<store::RunWriter> writer_;
  std::unique_ptr<collect::ProcessTree> tree_;
  std::unique_ptr<record::Recorder> recorder_;
  pid_t program_ = 0;
  base::TimeNs ended_ns_ = 0;
  std::map<std::string, pid_t> histories_;  // that were copied, and for whom
  bool stopped_ = false;
  std::optional<base::TimeNs> first_stop_ns_;
  std::optional<launch::HookWatch> hook_watch_;
  std::optional<launch::TorchWatch> torch_watch_;
  bool losses_said_ = false;  // why the hooks are not there is known
};

}  // namespace flatout::app
