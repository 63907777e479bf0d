#include <time.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "analyse/analyse.h"
#include "analyse/compare/worsening.h"
#include "app/explain.h"
#include "app/stored_runs.h"
#include "app/watch/watch.h"
#include "app/watch/watched_of.h"
#include "app/watch/window.h"
#include "base/process.h"
#include "store/home.h"
#include "store/log_follower.h"

namespace flatout::app {
namespace {

// Of a core, for analysing the window again and again.
constexpr double kAnalysisCores = 0.003;
constexpr base::DurationNs kLeastPause = 2 * base::kSecond;
constexpr base::DurationNs kMostPause = 60 * base::kSecond;
constexpr base::DurationNs kRateWindow = 10 * base::kSecond;
constexpr std::size_t kShownSteps = 200;

std::int64_t cpu_ns() { return base::read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// What the analysis says of `timeline`; absent where it breaks, as it may of a part of a run.
std::optional<WindowReport> analysed(const run::Timeline& timeline) {
  try {
    const analyse::Analysis analysis = analyse::measure(timeline);
    WindowReport out;
    out.report = explain(timeline, analysis, {});
    out.pid = analysis.pid;
    out.p99_ms = analyse::p99_ms(analysis);
    const auto& steps = analysis.cut.steps;
    const std::size_t from = steps.size() - std::min(steps.size(), kShownSteps);
    for (std::size_t i = from; i < steps.size(); ++i) {
      out.step_ms.push_back(static_cast<double>(steps[i].own_ns) / 1e6);
    }
    return out;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

class LiveRun final : public Watch {
 public:
  LiveRun(store::LogFollower follower, const base::Clock& clock)
      : follower_(std::move(follower)), clock_(clock) {}

  run::Watched look() override {
    if (!over()) read();
    const base::TimeNs now = now_ns();
    window_.trim(now);
    if (now >= next_analysis_ns_ || (over() && !last_analysed_)) analyse_window(now);
    run::Watched out = watched_of(window_.timeline(), now);
    out.kind = run::WatchedKind::kRun;
    add_steps(now, out);
    if (found_) {
      add_report(*found_, out);
      out.window_s = static_cast<double>(now - window_.since_ns()) / 1e9;
    }
    if (!problem_.empty()) out.notes.push_back(problem_);
    return out;
  }

 private:
  bool over() const {
    return !window_.timeline().info.id.empty() &&
           window_.timeline().state != run::RunState::kRunning;
  }

  void read() {
    auto more = follower_.read_new(store::viewpoint_here());
    if (more) {
      problem_.clear();
      window_.add(std::move(*more));
    } else {
      problem_ = more.error().message;
    }
  }

  // The recorder's clock: this machine's, or that of the last record of another one's.
  base::TimeNs now_ns() const {
    const run::Timeline& timeline = window_.timeline();
    const bool here = timeline.info.boot_id == base::boot_id();
    return here && !over() ? clock_.monotonic() : timeline.last_ns;
  }

  void analyse_window(base::TimeNs now) {
    const std::int64_t before = cpu_ns();
    run::Timeline& timeline = window_.timeline();
    const std::int64_t started_ns = timeline.info.started_ns;
    // Of what is left of a long run the beginning is no start-up.
    timeline.info.started_ns = std::max(started_ns, window_.since_ns());
    found_ = analysed(timeline);
    timeline.info.started_ns = started_ns;
    const auto cost = static_cast<double>(cpu_ns() - before);
    next_analysis_ns_ = now + std::clamp(static_cast<base::DurationNs>(cost / kAnalysisCores),
                                         kLeastPause, kMostPause);
    last_analysed_ = over();
  }

  void add_steps(base::TimeNs now, run::Watched& out) {
    pid_t pid = found_ ? found_->pid : 0;
    if (pid == 0 || window_.steps(pid) == 0) return;
    run::WatchedSteps steps;
    if (follower_.whole()) steps.count = window_.steps(pid);
    const auto& phases = window_.timeline().processes.at(pid).phases;
    std::int64_t ends = 0, updates = 0;
    for (const run::PhaseEvent& event : phases.between(now - kRateWindow, now)) {
      if (event.begin) continue;
      ends += event.phase == run::Phase::kStep ? 1 : 0;
      updates += event.phase == run::Phase::kOptimizer ? 1 : 0;
    }
    const double length =
        static_cast<double>(std::min(kRateWindow, now - window_.timeline().info.started_ns));
    const auto count = static_cast<double>(ends > 0 ? ends : updates);
    // Without any record in that time nobody knows: the program may be stopped, or flatout.
    const bool silent = window_.timeline().last_ns < now - kRateWindow;
    if (length > 0 && !over() && !silent) steps.per_s = count * 1e9 / length;
    out.steps = std::move(steps);
  }

  store::LogFollower follower_;
  const base::Clock& clock_;
  Window window_;
  std::optional<WindowReport> found_;
  base::TimeNs next_analysis_ns_ = 0;
  bool last_analysed_ = false;
  std::string problem_;
};

// A run that is over: looked at once.
class StoredWatch final : public Watch {
 public:
  explicit StoredWatch(const run::Timeline& timeline)
      : watched_(watched_of(timeline, timeline.end ? timeline.end->t_ns : timeline.last_ns)) {
    watched_.kind = run::WatchedKind::kRun;
    const auto found = analysed(timeline);
    if (!found) return;
    if (found->report.steps) {
      watched_.steps.emplace();
      watched_.steps->count = found->report.steps->count;
    }
    add_report(*found, watched_);
  }
  run::Watched look() override { return watched_; }

 private:
  run::Watched watched_;
};

}  // namespace

base::Result<std::unique_ptr<Watch>> watch_run(const std::string& home_option,
                                               const std::string& id, const base::Clock& clock) {
  const auto home = open_home(home_option);
  if (!home) return std::unexpected(home.error());
  const auto summary = store::read_summary(home->folder(id), store::viewpoint_here());
  if (!summary) return std::unexpected(summary.error());
  if (summary->state == run::RunState::kRunning) {
    if (auto follower = store::LogFollower::open(home->folder(id))) {
      return std::make_unique<LiveRun>(std::move(*follower), clock);
    }
  }
  const auto stored = open_run(home_option, id);
  if (!stored) return std::unexpected(stored.error());
  return std::make_unique<StoredWatch>(stored->timeline);
}

}  // namespace flatout::app
