// What happened in a run, for the lane of events: beginnings, ends, checkpoints, evaluations,
// alerts, problems, marks of the program.
#include <algorithm>
#include <vector>

#include "analyse/tracked/tracked_runs.h"
#include "app/tracked_headline.h"
#include "serve/json.h"
#include "serve/routes/routes.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMostEvents = 5000;
constexpr std::size_t kMostMarks = 1000;
constexpr std::size_t kMostSpans = 1'000'000;  // of the host, that are gone over for marks

class Events {
 public:
  Events(std::int64_t start_ns, const std::vector<StepsOf>& steps) : start_ns_(start_ns) {
    if (!steps.empty()) steps_ = &steps.front().steps;
  }

  void add(std::int64_t t_ns, const char* kind, const std::string& title,
           const std::string& text = "", const char* level = "INFO") {
    if (events_.size() >= kMostEvents) return;
    events_.push_back({{"t_ms", static_cast<double>(t_ns - start_ns_) / 1e6},
                       {"step", step_at(t_ns)},
                       {"kind", kind},
                       {"title", title},
                       {"text", text},
                       {"level", level}});
  }

  Json taken() {
    std::ranges::stable_sort(events_, {},
                             [](const Json& event) { return event["t_ms"].get<double>(); });
    return std::move(events_);
  }

 private:
  // The step that was going on then.
  Json step_at(std::int64_t t_ns) const {
    if (steps_ == nullptr || steps_->empty() || t_ns < steps_->front().begin_ns) return nullptr;
    const auto after = std::ranges::upper_bound(*steps_, t_ns, {}, &StepRow::begin_ns);
    return after - steps_->begin() - 1;
  }

  std::int64_t start_ns_;
  const std::vector<StepRow>* steps_ = nullptr;
  std::vector<Json> events_;
};

void add_phases(const run::Timeline& timeline, Events& to) {
  for (const auto& [pid, track] : timeline.processes) {
    for (const run::PhaseEvent& event : track.phases) {
      if (event.phase == run::Phase::kCheckpoint && event.begin)
        to.add(event.t_ns, "checkpoint", "checkpoint");
    }
  }
}

void add_facts(const run::Timeline& timeline, Events& to) {
  for (const auto& [pid, track] : timeline.processes) {
    const run::Observed& said = track.facts.observed();
    for (const auto& problem : said.problems)
      to.add(problem.t_ns, "problem", "problem", problem.problem, "WARN");
    for (const auto& failure : said.failures) {
      to.add(failure.t_ns, "problem", failure.type,
             failure.message + (failure.at.empty() ? "" : "\n" + failure.at), "ERROR");
    }
    for (const auto& knob : said.knobs) {
      if (knob.applied) to.add(knob.t_ns, "fix", knob.knob, knob.effect);
    }
  }
}

// What the program marked for itself while it was traced. After all else, so that many of them do
// not take the place of others.
void add_marks(const run::Timeline& timeline, Events& to) {
  std::size_t count = 0, looked_at = 0;
  if (!timeline.names) return;
  for (const auto& [pid, track] : timeline.processes) {
    for (const run::HostSpan& span : track.host_spans) {
      if (++looked_at > kMostSpans) return;
      if (span.kind != run::HostSpanKind::kMark) continue;
      if (++count > kMostMarks) return;
      to.add(span.begin_ns, "mark", std::string(timeline.names->at(span.name)));
    }
  }
}

void add_end(const run::Timeline& timeline, Events& to) {
  if (!timeline.end) return;
  const run::RunEnd& end = *timeline.end;
  const std::string how = end.signal != 0 ? "signal " + std::to_string(end.signal)
                                          : "exit status " + std::to_string(end.exit_code);
  const bool bad = end.signal != 0 || end.exit_code != 0;
  to.add(end.t_ns, "end", how, "", bad ? "ERROR" : "INFO");
}

}  // namespace

Response run_events(Api& api, const Request&, const std::string& id) {
  const auto open = api.runs.open(id);
  if (!open) return no_such_run(id);
  const auto timeline = open->outline();
  if (!timeline) return error_response(timeline.error());
  const auto steps = open->steps();
  if (!steps) return error_response(steps.error());
  Events events((*timeline)->info.started_ns, *steps->of);
  events.add((*timeline)->info.started_ns, "start", "start");
  add_end(**timeline, events);
  add_facts(**timeline, events);
  for (const run::TrackedRun& run : app::tracked_runs_of(**timeline, open->folder())) {
    for (const run::TrackedAlert& alert : run.alerts) {
      const char* level = alert.level == "ERROR"  ? "ERROR"
                          : alert.level == "WARN" ? "WARN"
                                                  : "INFO";
      events.add(alert.t_ns, "alert", alert.title, alert.text, level);
    }
  }
  for (const StepsOf& one : *steps->of) {
    for (const analyse::Interval& interval : one.intervals) {
      if (interval.kind == analyse::IntervalKind::kEval)
        events.add(interval.begin_ns, "eval", "evaluation");
    }
  }
  add_phases(**timeline, events);
  add_marks(**timeline, events);
  Json out = {{"schema", "flatout.events/1"}};
  out["events"] = events.taken();
  return json_response(out);
}

}  // namespace flatout::serve
