// The story of one run, in order: get out of the way of an outer flatout, take
// the signals, start the program, record it until it ends, explain, and end as
// it ended. From the start of the program on, nothing that fails in here may
// change what its caller sees of it.
#include "cli/run_verb.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "app/engine_speed.h"
#include "app/explain.h"
#include "app/report_file.h"
#include "app/run_session.h"
#include "app/stored_runs.h"
#include "app/sweep.h"
#include "app/voice.h"
#include "apply/plan_file.h"
#include "apply/plan_variables.h"
#include "base/recording_clock.h"
#include "base/time.h"
#include "cli/early_checks.h"
#include "cli/exit_status.h"
#include "cli/live_status.h"
#include "cli/report_style.h"
#include "cli/run_tune.h"
#include "cli/terminal.h"
#include "launch/child.h"
#include "launch/ending.h"
#include "launch/loop.h"
#include "launch/nested.h"
#include "launch/plan.h"
#include "launch/process_room.h"
#include "launch/secrets.h"
#include "launch/signals.h"
#include "launch/standard_fds.h"
#include "report/html/html.h"
#include "report/json.h"
#include "report/text.h"
#include "store/run_reader.h"

namespace flatout::cli {
namespace {

constexpr int kRefusedToFlatout = 125;  // launch::start_failure_code

// Only where there is no program to be recorded: it did not start.
int not_started(const base::Error& error, app::Voice& voice) {
  voice.error(error.message);
  return launch::start_failure_code(error);
}

std::uint64_t steps_of(const run::Report& report) {
  return report.steps ? static_cast<std::uint64_t>(report.steps->count) : 0;
}

// What a later `flatout report` will find, where that is not all. "" = all.
std::string lost_text(app::RunSession& session, const run::Report& explained,
                      const RunOptions& options) {
  if (session.stored()) return "";
  const auto kept = session.on_disk();
  const std::string all = std::to_string(steps_of(explained));
  const std::string now = "; --json FILE writes this report elsewhere";
  if (!kept) return "this run is not on disk: none of its " + all + " steps is kept" + now;
  const std::uint64_t steps = steps_of(app::explain(*kept, options.rules_off));
  return "the disk took " + std::to_string(steps) + " of " + all +
         " steps, and flatout report will know no more" + now;
}

// Where the steps wait for pictures that flatout's loading engine could make.
void find_engine_speed(const run::Timeline& timeline, analyse::Analysis& analysis,
                       const run::Report& report, app::RunSession& session,
                       const RunOptions& options, app::Voice& voice) {
  if (!app::engine_speed_matters(timeline, analysis, report)) return;
  run::EngineMeasurement measured;
  const int signal = timeline.end ? timeline.end->signal : 0;
  if (signal != 0 && signal != SIGINT) {
    // Whoever sent it, such as a scheduler at its time limit, may not wait for long.
    measured.skipped = "the program was ended by a signal";
  } else if (!options.bench || !options.argv || options.quiet) {
    measured.skipped = !options.bench  ? "--no-bench was given"
                       : !options.argv ? "--no-argv was given"
                                       : "--quiet was given";
  } else {
    voice.note(
        "the program has ended; measuring flatout's loading engine on some of its files, about "
        "1 s (--no-bench leaves it out)");
    measured = app::measure_engine(timeline, analysis);
  }
  app::keep_engine_speed(measured, analysis, session);
}

void report(app::RunSession& session, const RunOptions& options, app::Voice& voice) {
  try {
    const run::Timeline timeline = session.timeline();
    session.keep_tracked(timeline);
    const auto look = [&](analyse::Analysis& analysis, const run::Report& report) {
      find_engine_speed(timeline, analysis, report, session, options, voice);
    };
    const auto [explained, charts] = app::explain_with_charts(timeline, options.rules_off, look);
    const std::string lost = lost_text(session, explained, options);
    const bool readable = lost.empty() || session.on_disk().has_value();
    voice.page(
        report::to_text(explained, report_style(voice.fd()), readable, session.home_option()));
    if (!lost.empty()) voice.error(lost);
    if (options.rules_off.empty()) session.keep_outcome(explained);
    const auto keep = [&voice](const std::string& file, const std::string& text) {
      if (const auto done = app::write_report_file(file, text); !done)
        voice.error(done.error().message);
    };
    if (!options.json_file.empty()) keep(options.json_file, report::to_json(explained));
    if (!options.html_file.empty()) keep(options.html_file, report::to_html(explained, charts));
  } catch (const std::exception& problem) {
    voice.error(std::string("the report failed: ") + problem.what() +
                "; the recording is kept, see flatout report latest");
  }
}

void seal(app::RunSession& session, app::Voice& voice) {
  try {
    session.seal();
  } catch (const std::exception& problem) {
    voice.error(std::string("the recording stays a log, which is read all the same: ") +
                problem.what());
  }
}

// A setting that a tune found faster, without showing that the training stays the same, is applied
// on request only.
void take_unproved(const RunOptions& options, run::Plan& plan, app::Voice& voice) {
  if (plan.unproved.empty()) return;
  if (options.accept_unproved) {
    std::ranges::copy(plan.unproved, std::back_inserter(plan.entries));
    return;
  }
  std::string names;
  for (const auto& entry : plan.unproved) {
    names += (names.empty() ? "" : ", ") + entry.setting.knob;
  }
  voice.note("not applied: " + names +
             ", faster, but not proved to train the same; --accept-unproved applies it");
}

// A knob that this version does not know is no reason not to run.
base::Result<run::Plan> plan_of(const RunOptions& options, app::Voice& voice) {
  std::vector<run::Plan> plans;
  for (const std::string& file : options.plans) {
    auto plan = apply::read_plan(file);
    if (!plan) return std::unexpected(plan.error());
    plans.push_back(std::move(*plan));
  }
  run::Plan plan = apply::compose(plans);
  take_unproved(options, plan, voice);
  for (const auto& entry : plan.entries) {
    if (apply::can_be_set(entry.setting)) continue;
    voice.note("the plan's knob " + entry.setting.knob +
               " is not applied: " + apply::why_unknown(entry.setting));
  }
  if (const auto refused = apply::refused_variables(plan, options.allow_env); !refused.empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "the plan sets " + refused.front() +
                          ", which chooses what code runs; if you trust it, add --allow-env " +
                          refused.front());
  }
  if (const std::string set = apply::settings_line(plan); options.hooks && !set.empty()) {
    voice.note("the plan sets " + launch::mask_secrets_in(set));
  }
  if (!plan.entries.empty() && !options.hooks) {
    voice.note("the plan is not applied: --no-hooks was given");
  }
  return plan;
}

// By id, name or "latest"; with a slash in it, the folder of a run.
base::Result<run::Timeline> recorded_run(const RunOptions& options) {
  if (options.replay.find('/') != std::string::npos) {
    return store::read_run(options.replay, store::viewpoint_here());
  }
  auto run = app::open_run(options.home, options.replay);
  if (!run) return std::unexpected(run.error());
  return std::move(run->timeline);
}

// The program is on its way: what fails in here costs the recording alone. False
// where it did.
template <typename Part>
bool beside_the_program(app::Voice& voice, Part&& part) {
  try {
    part();
    return true;
  } catch (const std::exception& problem) {
    voice.error(std::string("the recording stops here: ") + problem.what() +
                "; the program runs on");
    return false;
  }
}

// What flatout wants for itself was refused (processes, memory, descriptors).
int run_unrecorded(const std::string& cause, const RunOptions& options, launch::SignalRelay* relay,
                   app::Voice& voice) {
  voice.error(cause + "; the program runs unrecorded");
  if (relay != nullptr) relay->give_back();
  return not_started(launch::exec_through(options.command), voice);
}

// Whether the program, which has our stdout and stderr, writes to the terminal behind `fd`.
bool is_shared(int fd) { return same_terminal(fd, 1) || same_terminal(fd, 2); }

// Step, rate and verdict so far, once a second at most.
class LiveRun {
 public:
  LiveRun(app::RunSession& session, const RunOptions& options, bool shared, app::Voice& voice)
      : session_(session),
        options_(options),
        status_(voice.fd(), options.live && !options.quiet
                                ? live_place(voice.fd(), shared, std::getenv("TERM"))
                                : LivePlace::kNowhere) {
    figures_.hooks = options.hooks;
    if (status_.wanted()) voice.before_writing([this] { status_.clear(); });
  }

  void tick(base::TimeNs now) {
    if (!status_.wanted()) return;
    if (begun_ns_ == 0) begun_ns_ = now;
    figures_.elapsed_ns = now - begun_ns_;
    if (now - shown_ns_ < base::kSecond) return;
    shown_ns_ = now;
    figures_.steps = session_.updates();
    figures_.steps_per_s = rate_.at(now, figures_.steps);
    if (figures_.elapsed_ns >= next_look_ns_ && figures_.steps > 0) look();
    status_.show(live_text(figures_));
  }

  void end() { status_.end(); }

 private:
  // The longer the run, the longer each look takes, and the less changes from one to the next: so
  // the time between them doubles, and one that takes long is the last. Ticks are not late by it.
  void look() {
    constexpr base::DurationNs kMostLook = 200 * base::kMillisecond;
    constexpr std::uint64_t kMostEvents = 1'000'000;
    next_look_ns_ = figures_.elapsed_ns * 2;
    if (session_.events() > kMostEvents || last_look_took_ns_ > kMostLook) return;
    const base::TimeNs begin = base::read_clock_ns(CLOCK_MONOTONIC);
    figures_.verdict = app::explain(session_.timeline(), options_.rules_off).verdict.finding;
    last_look_took_ns_ = base::read_clock_ns(CLOCK_MONOTONIC) - begin;
  }

  app::RunSession& session_;
  const RunOptions& options_;
  LiveStatus status_;
  LiveFigures figures_;
  StepRate rate_;
  base::TimeNs begun_ns_ = 0;
  base::TimeNs shown_ns_ = 0;
  base::DurationNs next_look_ns_ = 5 * base::kSecond;
  base::DurationNs last_look_took_ns_ = 0;
};

base::DurationNs period_of(double rate_hz) {
  return static_cast<base::DurationNs>(static_cast<double>(base::kSecond) / rate_hz);
}

}  // namespace

int run_verb(const RunOptions& given) {
  RunOptions options = given;
  const launch::Environment env = launch::current_environment();
  app::Voice voice(options.quiet);
  if (launch::nested_in(env)) {
    if (!options.plans.empty()) {
      voice.note("the plan is not applied: another flatout records this program already");
    }
    return not_started(launch::exec_through(options.command), voice);
  }
  auto plan = plan_of(options, voice);
  if (!plan) {
    voice.error("--plan: " + plan.error().message);
    return kWrongOption;
  }
  const run::Plan tuned_under = *plan;
  if (options.hooks) options.command = apply::planned_command(*plan, std::move(options.command));
  if (const auto refused = cannot_write(
          {{"--json", options.json_file}, {"--html", options.html_file}}, options.home)) {
    voice.error(*refused);
    return kWrongOption;
  }
  std::optional<run::Timeline> recorded;
  if (!options.replay.empty()) {
    auto found = recorded_run(options);
    if (!found) {
      voice.error("--replay: " + found.error().message);
      return kWrongOption;
    }
    recorded = std::move(*found);
  }

  if (const auto cause = launch::too_few_processes()) {
    return run_unrecorded(*cause, options, nullptr, voice);
  }
  launch::InheritedFds inherited = launch::InheritedFds::list();
  if (!options.report_to.empty()) voice.redirect(options.report_to);
  const bool shared = is_shared(voice.fd());  // asked while stdout is still ours
  auto relay = launch::SignalRelay::start(options.command);
  if (!relay) {
    return run_unrecorded(relay.error().message, options, nullptr, voice);
  }
  const base::RecordingClock clock;
  std::optional<app::RunSession> made;
  try {
    made.emplace(options, env, clock, voice, app::RunUnder{.plan = std::move(*plan)});
    if (recorded) made->replay(*recorded);
  } catch (const std::exception& problem) {
    return run_unrecorded(problem.what(), options, &*relay, voice);
  }
  app::RunSession& session = *made;
  RunTune tune(options.tune, session, tuned_under, voice);
  bool recording = true;
  auto child = launch::Child::start(
      options.command, tune.environment(session.environment(env)), *relay, [&](pid_t program) {
        recording = beside_the_program(voice, [&] { session.begin(program, relay->canary_pid()); });
      });
  if (!child) {
    session.discard();
    if (launch::start_failure_code(child.error()) == kRefusedToFlatout) {
      return run_unrecorded(child.error().message, options, &*relay, voice);
    }
    relay->finish();
    return not_started(child.error(), voice);
  }
  inherited.release();
  (void)beside_the_program(voice, [&] { tune.begin(); });
  LiveRun live(session, options, shared, voice);
  const auto tick = [&](base::TimeNs now) {
    if (!recording) return live.end();
    recording = beside_the_program(voice, [&] {
      session.tick(now);
      tune.tick();
      live.tick(now);
    });
  };
  const launch::BetweenTicks drains{
      .wait = [&] { return recording ? session.drains_every() : std::nullopt; },
      .act = [&] { recording = beside_the_program(voice, [&] { session.drain(); }); }};
  const auto exit = launch::watch(*child, *relay, clock, period_of(options.rate_hz), tick, drains);
  live.end();
  (void)beside_the_program(voice, [&] { tune.end(session); });
  if (!exit) {
    voice.error(exit.error().message + "; the program runs on, unrecorded from here");
    return launch::start_failure_code(exit.error());
  }
  recording = recording &&
              beside_the_program(voice, [&] { session.finish(*exit, launch::survivors(*relay)); });
  relay->finish();
  launch::Exit ending = *exit;
  if (recording) {
    ending = session.ending(*exit);
    report(session, options, voice);
    tune.write("flatout.toml");
    seal(session, voice);
  }
  app::sweep_leftovers();
  launch::end_like(ending);
}

}  // namespace flatout::cli
