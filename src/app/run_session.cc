#include "app/run_session.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/run_info.h"
#include "app/stored_runs.h"
#include "app/tracked_headline.h"
#include "app/writable_home.h"
#include "apply/plan_file.h"
#include "base/process.h"
#include "collect/devices.h"
#include "collect/sources.h"
#include "launch/hook_loss.h"
#include "launch/interrupt.h"
#include "launch/ring_dir.h"
#include "launch/secrets.h"
#include "launch/torch_watch.h"
#include "record/ring_dir_reader.h"
#include "record/ring_file.h"
#include "run/facts.h"
#include "run/plausible.h"
#include "store/home.h"
#include "store/run_meta.h"
#include "store/run_reader.h"
#include "store/seal.h"
#include "store/staging.h"

namespace flatout::app {
namespace {

std::vector<pid_t> with_descendants(std::vector<pid_t> pids) {
  for (const pid_t pid : std::vector(pids)) {
    const std::vector<pid_t> below = launch::descendants(pid);
    pids.insert(pids.end(), below.begin(), below.end());
  }
  return pids;
}

void leave_out(std::vector<pid_t>& pids, const std::vector<pid_t>& those) {
  std::erase_if(pids, [&](pid_t pid) { return std::ranges::find(those, pid) != those.end(); });
}

// Other ranks are in the same step as the first that reached its end.
constexpr base::DurationNs kRankPatience = base::kSecond;

}  // namespace

RunSession::RunSession(const SessionOptions& options, const launch::Environment& env,
                       const base::Clock& clock, Voice& voice, RunUnder under)
    : options_(options),
      clock_(clock),
      voice_(voice),
      under_(std::move(under)),
      info_(run_facts(options, clock)) {
  open_store();
  info_.id = writer_->id();
  info_.parent = under_.parent;
  if (!under_.plan.entries.empty()) {
    run::Plan kept = under_.plan;
    for (auto& entry : kept.entries) {
      entry.setting.value = masked_value(entry.setting, entry.setting.value);
    }
    info_.plan_json = apply::plan_json(kept);
  }
  prepare_hooks(env);
  prepare_trace(env);
}

// Memory in use makes sense only beside the memory of the machine where it was read.
void RunSession::replay(const run::Timeline& recorded) {
  replayed_ = collect::recording_of(recorded);
  info_.memory_bytes = recorded.info.memory_bytes;
  info_.memory_limit_bytes = recorded.info.memory_limit_bytes;
}

void RunSession::open_store() {
  if (!run::plausible(info_)) {
    writer_ = store::RunWriter::in_memory(
        "this run is not kept: the clock says that it began " +
            std::to_string(info_.started_wall_ns / base::kSecond) +
            " s after 1970, which cannot be; set the clock (is libfaketime in LD_PRELOAD?)",
        clock_);
    info_.started_wall_ns = 0;
    return;
  }
  const auto home = open_home(options_.home);
  if (!home) {
    writer_ = store::RunWriter::in_memory(home.error().message, clock_);
    return;
  }
  store::WriterOptions options;
  options.staging_root =
      store::staging_root(*home, [](const char* name) { return std::getenv(name); });
  writer_ = store::RunWriter::open(*home, clock_, store::system_disk(), options);
  home_ = home->root().string();
  home_option_ = options_.home;
  if (!writer_->folder()) use_another_home();
}

// The home cannot be written: a folder of this user alone, which the line names.
void RunSession::use_another_home() {
  const auto other = folder_in_place_of_home();
  if (!other) return;
  auto writer = store::RunWriter::open(store::Home::at(*other), clock_, store::system_disk());
  if (!writer->folder()) return;
  const std::string problem = writer_->take_problem().value_or(home_ + " cannot be written");
  voice_.error(problem.substr(0, problem.find(';')) + "; this run is kept in " + other->string() +
               " instead: read it with flatout report --home " + other->string());
  writer_ = std::move(writer);
  home_ = home_option_ = other->string();
}

run::Timeline RunSession::timeline() {
  if (trace_ && stored()) {
    if (auto kept = on_disk()) return std::move(*kept);
  }
  return writer_->timeline();
}

std::optional<run::Timeline> RunSession::on_disk() {
  const auto folder = writer_->folder();
  if (!folder) return std::nullopt;
  auto timeline = store::read_run(*folder, store::viewpoint_here());
  if (!timeline) return std::nullopt;
  return std::move(*timeline);
}

// Below the run's folder; made by the first who writes there.
std::filesystem::path RunSession::track_files() const {
  const auto folder = writer_->folder();
  return folder ? *folder / store::kTrackedFolderName : std::filesystem::path();
}

TrackPlaces RunSession::track_places() const {
  if (!hooks_) return {};
  return {.rings = hooks_->ring_dir, .ipc = hooks_->ring_ipc, .files = hooks_->track_files};
}

launch::Environment RunSession::environment(const launch::Environment& env) const {
  const launch::RunPlan plan{.run_id = info_.id,
                             .recorder = {info_.recorder_pid, info_.recorder_start_ticks},
                             .hooks = hooks_,
                             .trace = trace_};
  return launch::child_environment(env, plan);
}

void RunSession::begin(pid_t program, pid_t not_of_the_run) {
  program_ = program;
  info_.program_pid = program;
  if (const auto id = base::process_id(program)) info_.program_start_ticks = id->start_ticks;
  collect::ProcessTreeOptions tree;
  tree.recorder = ::getpid();
  tree.clock = &clock_;
  if (under_.attached) tree.program = program;
  if (not_of_the_run > 0) tree.exclude = {not_of_the_run};
  tree.mask = [all = options_.argv](const std::vector<std::string>& argv) {
    return launch::stored_command(argv, all);
  };
  if (hooks_ && !under_.attached) {
    hook_watch_.emplace(info_.started_ns,
                        [this] { return launch::hook_losses_in_tree(program_, hooks_->site_dir); });
    torch_watch_.emplace(info_.started_ns, [this] { return launch::process_with_torch(program_); });
  }
  const host::Paths paths;
  tree_ = std::make_unique<collect::ProcessTree>(paths, std::move(tree));
  auto rings = hooks_ ? std::make_unique<record::RingDirReader>(hooks_->ring_dir) : nullptr;
  record::RecorderOptions recording;
  recording.root_pid = program;
  recording.mask_failure = with_masked_message;
  recording.branched = [this](pid_t pid, const run::TrackRunFact& fact) {
    bring_history(pid, fact);
  };
  auto sources = collect::make_sources(paths, *tree_, &clock_);
  const auto options = collect::device_options([](const char* name) { return std::getenv(name); });
  for (auto& source : collect::make_device_sources(paths, *tree_, options)) {
    sources.push_back(std::move(source));
  }
  if (replayed_) {
    sources = collect::with_replay(std::move(sources), std::move(*replayed_), info_.started_ns);
  }
  recorder_ = std::make_unique<record::Recorder>(clock_, *writer_, *tree_, std::move(sources),
                                                 std::move(rings), std::move(recording));
  if (const auto begun = recorder_->begin(info_); !begun) voice_.error(begun.error().message);
  tell_outside_knobs();
  tell_trace();
}

// What the command and the environment carry is set before any process can say so.
void RunSession::tell_outside_knobs() {
  for (const auto& entry : under_.plan.entries) {
    if (!apply::set_from_outside(entry.setting)) continue;
    // The environment of the program is the hooks' business: without them it is its own.
    const bool applied = !apply::is_variable(entry.setting) || hooks_.has_value();
    nlohmann::json said = {{"knob", entry.setting.knob}, {"applied", applied}};
    const auto json = [](const std::string& text) {
      return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    };
    const auto shown = [&](const std::string& text) {
      return json(masked_value(entry.setting, text));
    };
    said["value"] = shown(entry.setting.value);
    if (!entry.from.empty()) said["from"] = shown(entry.from);
    if (!applied) said["reason"] = "the hooks are off";
    note_fact(run::facts::kKnob,
              said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

void RunSession::note_fact(std::string_view key, std::string json) {
  (void)writer_->fact(
      program_, {.t_ns = clock_.monotonic(), .key = std::string(key), .json = std::move(json)});
}

void RunSession::note_found(pid_t pid, std::string_view key, std::string json) {
  (void)writer_->fact(pid, {.t_ns = ended_ns_, .key = std::string(key), .json = std::move(json)});
  (void)writer_->flush();
}

void RunSession::tick(base::TimeNs now) {
  recorder_->tick();
  if (!stops_requested().empty() && !stopped_ && !under_.trial) {
    if (!first_stop_ns_) first_stop_ns_ = now;
    const bool all = std::ranges::all_of(training(), [&](pid_t pid) {
      return std::ranges::find(stops_requested(), pid) != stops_requested().end();
    });
    if (all || now - *first_stop_ns_ >= kRankPatience) {
      stopped_ = true;
      stop_the_rest();
    }
  }
  look_for_lost_hooks(now);
  tell();
}

std::optional<base::DurationNs> RunSession::drains_every() const {
  constexpr base::DurationNs kSoon = 10 * base::kMillisecond;
  // The first to log of a program that asked for its recording does so at once.
  return under_.attached || recorder_->tracks() ? std::optional(kSoon) : std::nullopt;
}

void RunSession::drain() {
  constexpr double kLeast = 1.0 / 16;
  recorder_->drain(kLeast);
}

void RunSession::finish(const launch::Exit& exit, std::vector<pid_t> survivors) {
  if (options_.stop_after && !under_.trial) {
    recorder_->tick();  // it may have ended between two ticks
    const nlohmann::json stopped = {{"steps", *options_.stop_after}};
    if (!stops_requested().empty()) note_fact(run::facts::kStopped, stopped.dump());
  }
  run::RunEnd end;
  end.exit_code = exit.code;
  end.signal = exit.signal;
  end.survivors = std::move(survivors);
  finish_with(std::move(end));
}

launch::Exit RunSession::ending(const launch::Exit& exit) const {
  if (!options_.stop_after || stops_requested().empty()) return exit;
  return launch::ended_by_interrupt(exit) ? launch::Exit{} : exit;
}

void RunSession::finish_unseen(std::vector<pid_t> survivors) {
  run::RunEnd end;
  end.unseen = true;
  end.survivors = std::move(survivors);
  finish_with(std::move(end));
}

void RunSession::finish_with(run::RunEnd end) {
  admit_missing_hooks();
  end.t_ns = ended_ns_ = clock_.monotonic();
  recorder_->finish(std::move(end));
  tell();
  tell_unwritten();
  if (under_.before_rings_go) under_.before_rings_go();
  remove_rings();  // of what began after the recorder's last look, too
}

bool RunSession::write_rest() { return writer_->flush().has_value() && stored(); }

// A disk that stayed full to the end. Of a run that is nowhere on a disk it was said when it began.
void RunSession::tell_unwritten() {
  if (home_.empty() || writer_->stored()) return;
  const auto lost = writer_->unwritten();
  if (lost.values + lost.records == 0) return;
  const auto counted = [](std::uint64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  voice_.error("the disk was full to the end: " + counted(lost.values, "logged value") + " and " +
               counted(lost.records, "other record") + " (" + std::to_string(lost.bytes) +
               " bytes) of run " + info_.id + " are not written");
}

void RunSession::remove_rings() {
  if (!hooks_) return;
  record::remove_rings(hooks_->ring_dir);
  (void)launch::remove_ring_dir(hooks_->ring_dir);
}

void RunSession::discard() {
  remove_rings();
  const auto folder = writer_->folder();
  recorder_.reset();
  writer_.reset();
  std::error_code ignored;  // an empty folder left behind harms nobody
  if (folder) std::filesystem::remove_all(*folder, ignored);
}

// A process at its --stop-after has sent itself SIGINT. Ctrl-C would also have
// reached what started it, or a shell would go on with its next command. No rank gets
// it twice: the second would break into what it does on the first.
void RunSession::stop_the_rest() {
  std::vector<pid_t> rest = with_descendants({program_});
  leave_out(rest, with_descendants(stops_requested()));
  std::vector<pid_t> meanwhile;  // those that reached it since the last tick
  std::ranges::copy_if(rest, std::back_inserter(meanwhile),
                       [this](pid_t pid) { return !recorder_->claim_stop(pid); });
  leave_out(rest, with_descendants(std::move(meanwhile)));
  for (const pid_t pid : rest) ::kill(pid, launch::interrupt_signal(pid));
}

void RunSession::tell() {
  for (const std::string& line : recorder_->take_notes()) voice_.note(line);
  if (const auto problem = writer_->take_problem()) voice_.error(*problem);
}

// A list without this verdict is no reason to bother the user.
void RunSession::keep_outcome(const run::Report& report) {
  const auto folder = writer_->folder();
  if (!folder) return;
  (void)store::update_meta(*folder,
                           [&](store::RunMeta& meta) { meta.outcome = store::outcome_of(report); });
}

void RunSession::keep_tracked(const run::Timeline& timeline) {
  const auto folder = writer_->folder();
  if (folder) app::keep_tracked(*folder, timeline);
}

// Nobody waits for it noticeably: 0.1 % of the run's own time, at least a
// quarter of a second. What takes longer is left to a later command.
void RunSession::seal() {
  constexpr base::DurationNs kLeastBudget = base::kSecond / 4;
  const bool stored = writer_->folder().has_value() && writer_->stored();
  const std::string id = writer_->id();
  recorder_.reset();
  writer_.reset();  // it holds the log's lock
  const auto home = open_home(home_.empty() ? options_.home : home_);
  if (!stored || !home || !sealing_wanted()) return;
  const auto budget = std::max((clock_.monotonic() - info_.started_ns) / 1000, kLeastBudget);
  // Without success the log stays, and is as good.
  (void)store::seal_within(*home, id, store::viewpoint_here(), budget);
}

}  // namespace flatout::app
