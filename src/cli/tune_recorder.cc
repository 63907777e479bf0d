#include "cli/tune_recorder.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyse/analyse.h"
#include "base/file.h"
#include "cli/engine_speed.h"
#include "cli/explain.h"
#include "cli/tune_memory.h"
#include "cli/voice.h"
#include "launch/child.h"
#include "launch/loop.h"
#include "launch/signals.h"
#include "launch/trial_end.h"
#include "launch/trial_environment.h"
#include "launch/trial_memory.h"
#include "run/facts.h"

namespace flatout::cli {
namespace {

constexpr base::DurationNs kRarely = base::kSecond / 2;
constexpr base::DurationNs kLookPeriod = base::kSecond / 20;  // while the trial ends

const char* cause_word(launch::TrialCause cause) {
  switch (cause) {
    case launch::TrialCause::kMainEnded:
      return "main";
    case launch::TrialCause::kRanksEnded:
      return "ranks";
    case launch::TrialCause::kTimeout:
      return "timeout";
    case launch::TrialCause::kStopped:
      break;
  }
  return "stopped";
}

// A trial from start to end, with what is looked at on the way.
class Recording {
 public:
  Recording(const TrialOrder& order, launch::SignalRelay& relay)
      : order_(order),
        relay_(relay),
        voice_(/*quiet=*/true),
        session_(order.options, env_, clock_, voice_, order.under),
        memory_(clock_.wall()),
        processes_(relay),
        end_(processes_, limits()) {}

  void run();

 private:
  launch::TrialLimits limits() const {
    launch::TrialLimits limits;
    limits.deadline_ns = clock_.monotonic() + order_.timeout_ns;
    return limits;
  }
  base::Result<launch::Child> start();
  launch::ChildSetup limited(launch::ChildSetup enter) const;
  bool look(base::TimeNs now, bool main_ended);
  // What a launcher says after all ranks had their steps is no word on the training.
  launch::TrialCause end_cause() const {
    const auto& asked = session_.stops_requested();
    const bool all = !asked.empty() && asked.size() >= session_.training().size();
    const bool main = *end_.cause() == launch::TrialCause::kMainEnded;
    return main && all ? launch::TrialCause::kRanksEnded : *end_.cause();
  }
  launch::Exit end_all(launch::Child& child, launch::Exit exit);
  void find_engine_speed();
  void settle_files();
  void say(const std::string& line) {
    (void)base::write_all(order_.words, line + "\n", "the tuner");
  }

  const TrialOrder& order_;
  launch::SignalRelay& relay_;
  const base::SystemClock clock_;
  const launch::Environment env_ = launch::current_environment();
  Voice voice_;
  RunSession session_;
  launch::TrialMemory memory_;
  launch::DescendantProcesses processes_;
  launch::TrialEnd end_;
  bool memory_seen_ = false;
  base::TimeNs next_look_ns_ = 0;
};

// RLIMIT_DATA counts private memory that can be written, and neither reservations nor
// files: of the limits, the one that torch's use comes closest to.
launch::ChildSetup Recording::limited(launch::ChildSetup enter) const {
  if (!order_.data_limit_bytes) return enter;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return enter;
  limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(*order_.data_limit_bytes));
  return [enter = std::move(enter), limit]() -> launch::SetupFailure {
    (void)::setrlimit(RLIMIT_DATA, &limit);  // without it the trial is as safe as the others
    return enter ? enter() : launch::SetupFailure{};
  };
}

base::Result<launch::Child> Recording::start() {
  const std::string before = host_memory_now();  // the program itself holds nothing yet
  launch::Environment env = launch::trial_environment(env_, order_.spill);
  if (order_.unbuffered) env.emplace_back("PYTHONUNBUFFERED=1");
  if (order_.workspace != nullptr) env = order_.workspace->environment(env);
  env = session_.environment(env);
  for (std::string& entry : launch::write_environment(env, order_.writes, order_.write_rules)) {
    env.push_back(std::move(entry));
  }
  env.push_back("FLATOUT_TRIAL_READS=" + order_.reads.native());
  return launch::Child::start(
      order_.options.command, env, relay_,
      [&](pid_t program) {
        session_.begin(program, relay_.canary_pid());
        session_.note_fact(run::facts::kHostMemory, before);
      },
      limited(order_.workspace != nullptr ? order_.workspace->enter() : launch::ChildSetup{}));
}

// True once nothing of the trial is left.
bool Recording::look(base::TimeNs now, bool main_ended) {
  const auto& asked = session_.stops_requested();
  if (!asked.empty() && !memory_seen_) {
    memory_seen_ = true;
    memory_.look(processes_.living());
  }
  return end_.tick(now,
                   {.main_ended = main_ended, .asked = asked, .ranks = session_.training().size()});
}

launch::Exit Recording::end_all(launch::Child& child, launch::Exit exit) {
  while (!look(clock_.monotonic(), true)) {
    const timespec pause{.tv_sec = 0, .tv_nsec = kLookPeriod};
    (void)::ppoll(nullptr, 0, &pause, nullptr);
    exit = child.poll_exit().value_or(exit);  // reaps
  }
  return exit;
}

// Of the program as it is, and once nothing of it runs any more.
void Recording::find_engine_speed() {
  if (!order_.under.plan.entries.empty() || !end_.left().empty()) return;
  try {
    const run::Timeline timeline = session_.timeline();
    analyse::Analysis analysis = analyse::measure(timeline);
    const run::Report report = explain(timeline, analysis, {});
    if (!engine_speed_matters(timeline, analysis, report)) return;
    keep_engine_speed(measure_engine(timeline, analysis), analysis, session_);
  } catch (const std::exception&) {  // the tuner meets the same, and says it
  }
}

// The next trial shall find as much of its data in memory as this one did.
void Recording::settle_files() {
  const launch::TrialReads reads = launch::take_trial_reads(order_.reads);
  if (reads.paths.empty()) return;
  apply::DataFiles files{.cold = order_.file_cache == FileCache::kCold,
                         .files = reads.paths.size()};
  try {
    const run::Timeline timeline = session_.timeline();
    files.set_bytes = set_bytes(reads, analyse::measure(timeline));
    const auto room = trial_memory(timeline).host_limit_bytes;
    if (room && *room > 0) files.room_bytes = static_cast<std::uint64_t>(*room);
  } catch (const std::exception&) {  // the tuner meets the same, and says it
  }
  const bool known = files.set_bytes && files.room_bytes;
  if (order_.file_cache == FileCache::kAuto) {
    if (!known) return;
    files.cold = *files.set_bytes > *files.room_bytes;
  }
  if (files.cold) (void)launch::drop_from_page_cache(reads);
  say(kWordFiles + data_files_text(files));
}

void Recording::run() {
  if (!session_.hooks_off().empty()) {
    session_.discard();
    say(kWordTrouble + session_.hooks_off());
    return;
  }
  say(kWordRun + session_.id());
  auto child = start();
  if (!child) {
    session_.discard();
    say(kWordTrouble + child.error().message);
    return;
  }
  const auto exit =
      launch::watch(*child, relay_, clock_, base::kSecond / 10, [&](base::TimeNs now) {
        session_.tick(now);
        // It reads all of /proc: rarely, until the trial is about to end.
        if (now < next_look_ns_ && session_.stops_requested().empty()) return;
        next_look_ns_ = now + kRarely;
        (void)look(now, false);
      });
  if (!exit) {
    say(kWordTrouble + exit.error().message);
    return;
  }
  const launch::Exit ended = end_all(*child, *exit);
  session_.note_fact(run::facts::kHostMemory, host_memory_now());
  session_.finish(ended, end_.left());
  find_engine_speed();
  settle_files();
  if (end_.cause()) say(kWordEnded + std::string(cause_word(end_cause())));
  if (!end_.left().empty()) {
    say(kWordTrouble + std::to_string(end_.left().size()) +
        " processes of the trial could not be ended");
  }
  (void)memory_.remove(end_.seen());
  relay_.finish();
  session_.seal();
}

}  // namespace

void record_trial(const TrialOrder& order) {
  auto relay = launch::SignalRelay::start(order.options.command);
  if (!relay) {
    (void)base::write_all(order.words, kWordTrouble + relay.error().message + "\n", "the tuner");
    return;
  }
  Recording(order, *relay).run();
}

}  // namespace flatout::cli
