#include "trial/recorder.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyse/analyse.h"
#include "app/engine_speed.h"
#include "app/explain.h"
#include "app/run_session.h"
#include "app/voice.h"
#include "apply/plan_settings.h"
#include "base/recording_clock.h"
#include "base/time.h"
#include "launch/child.h"
#include "launch/loop.h"
#include "launch/signals.h"
#include "run/facts.h"
#include "trial/control_page.h"
#include "trial/data_files.h"
#include "trial/end.h"
#include "trial/environment.h"
#include "trial/listeners.h"
#include "trial/memory.h"
#include "trial/shared_memory.h"
#include "trial/write_rules.h"

namespace flatout::trial {
namespace {

constexpr base::DurationNs kRarely = base::kSecond / 2;
constexpr base::DurationNs kLookPeriod = base::kSecond / 20;  // while the trial ends

const char* cause_word(TrialCause cause) {
  switch (cause) {
    case TrialCause::kMainEnded:
      return "main";
    case TrialCause::kRanksEnded:
      return "ranks";
    case TrialCause::kTimeout:
      return "timeout";
    case TrialCause::kStopped:
      break;
  }
  return "stopped";
}

app::RunUnder under_of(const TrialJob& job) {
  app::RunUnder under{.trial = true, .seed_shift = job.seed_shift, .parent = job.parent};
  for (const auto& setting : job.knobs) {
    run::PlanEntry entry;
    entry.setting = setting;
    under.plan.entries.push_back(std::move(entry));
  }
  return under;
}

app::SessionOptions options_of(const TrialJob& job, const run::Plan& plan) {
  app::SessionOptions options;
  options.home = job.home;
  options.stop_after = job.steps;
  options.name = job.name;
  options.quiet = true;
  options.argv = job.argv;
  options.capture = job.capture;
  options.command = apply::planned_command(plan, job.command);
  return options;
}

// A trial from start to end, with what is looked at on the way.
class Recording {
 public:
  Recording(const TrialJob& job, const TrialSite& site, app::RunUnder under,
            app::SessionOptions options, launch::SignalRelay& relay, const Recorded& recorded)
      : job_(job),
        site_(site),
        recorded_(recorded),
        plain_(under.plan.entries.empty()),
        options_(std::move(options)),
        relay_(relay),
        voice_(/*quiet=*/true),
        session_(options_, env_, clock_, voice_, std::move(under)),
        memory_(clock_.wall()),
        processes_(relay),
        end_(processes_, limits()) {}

  RecordedTrial run();

 private:
  TrialLimits limits() const {
    TrialLimits limits;
    limits.deadline_ns = clock_.monotonic() + job_.timeout_ns;
    return limits;
  }
  base::Result<launch::Child> start();
  launch::ChildSetup limited(launch::ChildSetup enter) const;
  bool look(base::TimeNs now, bool main_ended);
  // What a launcher says after all ranks had their steps is no word on the training.
  TrialCause end_cause() const {
    const auto asked = stops_requested();
    const bool all = !asked.empty() && asked.size() >= ranks();
    const bool main = *end_.cause() == TrialCause::kMainEnded;
    return main && all ? TrialCause::kRanksEnded : *end_.cause();
  }
  // Once the recording has ended, nobody reads what the processes say.
  std::vector<pid_t> stops_requested() const {
    if (!recording_ended_) return session_.stops_requested();
    return page_->end_is_asked() ? std::vector{page_->process()} : std::vector<pid_t>{};
  }
  std::size_t ranks() const { return recording_ended_ ? 1 : session_.training().size(); }
  void tick(base::TimeNs now);
  void finish(const launch::Exit& exit);
  void end_recording();
  launch::Exit end_all(launch::Child& child, launch::Exit exit);
  void find_engine_speed();
  void settle_files();

  const TrialJob& job_;
  const TrialSite& site_;
  const Recorded& recorded_;
  const bool plain_;  // the program as it is
  const app::SessionOptions options_;
  RecordedTrial out_;
  launch::SignalRelay& relay_;
  const base::RecordingClock clock_;
  const launch::Environment env_ = launch::current_environment();
  app::Voice voice_;
  app::RunSession session_;
  TrialSharedMemory memory_;
  TrialListeners listeners_;
  DescendantProcesses processes_;
  TrialEnd end_;
  std::optional<ControlPage> page_;  // of a driven job
  bool recording_ended_ = false;     // before the program
  bool memory_seen_ = false;
  base::TimeNs next_look_ns_ = 0;
};

// RLIMIT_DATA counts private memory that can be written, and neither reservations nor
// files: of the limits, the one that torch's use comes closest to.
launch::ChildSetup Recording::limited(launch::ChildSetup enter) const {
  if (!job_.data_limit_bytes) return enter;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return enter;
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(*job_.data_limit_bytes));
  return [enter = std::move(enter), limit]() -> launch::SetupFailure {
    (void)::setrlimit(RLIMIT_DATA, &limit);  // without it the trial is as safe as the others
    return enter ? enter() : launch::SetupFailure{};
  };
}

base::Result<launch::Child> Recording::start() {
  const std::string before = host_memory_now();  // the program itself holds nothing yet
  launch::Environment env = trial_environment(env_, site_.spill());
  if (job_.unbuffered) env.emplace_back("PYTHONUNBUFFERED=1");
  if (site_.workspace() != nullptr) env = site_.workspace()->environment(env);
  env = session_.environment(env);
  const WriteRules rules = trial_write_rules(site_.workspace(), job_.directory, job_.command);
  for (std::string& entry : write_environment(env, writes_file(job_), rules)) {
    env.push_back(std::move(entry));
  }
  env.push_back("FLATOUT_TRIAL_READS=" + reads_file(job_).native());
  if (job_.driven) env.push_back("FLATOUT_CONTROL=" + control_file(job_.output).native());
  return launch::Child::start(
      options_.command, env, relay_,
      [&](pid_t program) {
        session_.begin(program, relay_.canary_pid());
        session_.note_fact(run::facts::kHostMemory, before);
      },
      limited(site_.workspace() != nullptr ? site_.workspace()->enter() : launch::ChildSetup{}));
}

// True once nothing of the trial is left.
bool Recording::look(base::TimeNs now, bool main_ended) {
  const auto asked = stops_requested();
  if (!asked.empty() && !memory_seen_) {
    memory_seen_ = true;
    const auto living = processes_.living();
    memory_.look(living);
    listeners_.look(living);
  }
  return end_.tick(now, {.main_ended = main_ended, .asked = asked, .ranks = ranks()});
}

launch::Exit Recording::end_all(launch::Child& child, launch::Exit exit) {
  while (!look(clock_.monotonic(), true)) {
    base::pause_for(kLookPeriod);
    exit = child.poll_exit().value_or(exit);  // reaps
  }
  return exit;
}

// The program has to be as it is, and nothing of it may run any more, or all of it rests.
void Recording::find_engine_speed() {
  const bool mixed = page_ && !recording_ended_ && page_->has_switched();
  if (!plain_ || mixed || !end_.left().empty()) return;
  try {
    const run::Timeline timeline = session_.timeline();
    analyse::Analysis analysis = analyse::measure(timeline);
    const run::Report report = app::explain(timeline, analysis, {});
    if (!app::engine_speed_matters(timeline, analysis, report)) return;
    app::keep_engine_speed(app::measure_engine(timeline, analysis), analysis, session_);
  } catch (const std::exception&) {  // the tuner meets the same, and says it
  }
}

// The next trial shall find as much of its data in memory as this one did.
void Recording::settle_files() {
  const TrialReads reads = take_trial_reads(reads_file(job_));
  if (reads.paths.empty()) return;
  apply::DataFiles files{.cold = job_.file_cache == FileCache::kCold, .files = reads.paths.size()};
  try {
    const run::Timeline timeline = session_.timeline();
    files.set_bytes = set_bytes(reads, analyse::measure(timeline));
    const auto room = trial_memory(timeline).host_limit_bytes;
    if (room && *room > 0) files.room_bytes = static_cast<std::uint64_t>(*room);
  } catch (const std::exception&) {  // the tuner meets the same, and says it
  }
  const bool known = files.set_bytes && files.room_bytes;
  if (job_.file_cache == FileCache::kAuto) {
    if (!known) return;
    files.cold = *files.set_bytes > *files.room_bytes;
  }
  if (files.cold) (void)drop_from_page_cache(reads);
  out_.files = data_files_text(files);
}

void Recording::tick(base::TimeNs now) {
  if (recording_ended_) return;
  session_.tick(now);
  if (page_ && page_->rests_for_the_recording()) end_recording();
}

void Recording::finish(const launch::Exit& exit) {
  session_.note_fact(run::facts::kHostMemory, host_memory_now());
  session_.finish(exit, end_.left());
  find_engine_speed();
  settle_files();
}

// As at the end of a trial, but that the program lives and is about to go on.
void Recording::end_recording() {
  recording_ended_ = true;
  finish(launch::Exit{});
  out_.ended = cause_word(TrialCause::kRanksEnded);
  session_.seal();
  if (recorded_) recorded_(out_);
  page_->say_recording_ended();
}

RecordedTrial Recording::run() {
  if (!session_.hooks_off().empty()) {
    session_.discard();
    out_.trouble = session_.hooks_off();
    return out_;
  }
  out_.run = session_.id();
  if (job_.driven) {
    if (auto page = ControlPage::open(control_file(job_.output))) page_.emplace(std::move(*page));
    if (page_) page_->say_run(out_.run);
  }
  auto child = start();
  if (!child) {
    session_.discard();
    out_.trouble = child.error().message;
    return out_;
  }
  const auto exit =
      launch::watch(*child, relay_, clock_, base::kSecond / 10, [&](base::TimeNs now) {
        tick(now);
        // It reads all of /proc: rarely, until the trial is about to end.
        if (now < next_look_ns_ && stops_requested().empty()) return;
        next_look_ns_ = now + kRarely;
        (void)look(now, false);
      });
  if (!exit) {
    out_.trouble = exit.error().message;
    return out_;
  }
  const launch::Exit ended = end_all(*child, *exit);
  if (!recording_ended_) finish(ended);
  if (end_.cause()) out_.ended = cause_word(end_cause());
  if (!end_.left().empty()) {
    out_.trouble =
        std::to_string(end_.left().size()) + " processes of the trial could not be ended";
  }
  (void)memory_.remove(end_.seen());
  if (end_.left().empty()) (void)listeners_.remove();
  relay_.finish();
  if (!recording_ended_) session_.seal();
  return out_;
}

}  // namespace

std::filesystem::path writes_file(const TrialJob& job) { return job.output.string() + ".writes"; }
std::filesystem::path reads_file(const TrialJob& job) { return job.output.string() + ".reads"; }

RecordedTrial record_trial(const TrialJob& job, const TrialSite& site, const Recorded& recorded) {
  app::RunUnder under = under_of(job);
  app::SessionOptions options = options_of(job, under.plan);
  auto relay = launch::SignalRelay::start(options.command);
  if (!relay) return {.run = "", .ended = "", .files = "", .trouble = relay.error().message};
  return Recording(job, site, std::move(under), std::move(options), *relay, recorded).run();
}

}  // namespace flatout::trial
