// What happened in a run, for the lane of events: beginnings, ends, checkpoints, evaluations,
// alerts, problems, marks of the program.
#include <algorithm>
#include <vector>

#include "analyse/tracked/tracked_runs.h"
#include "app/tracked_headline.h"
#include "serve/json.h"
#include "serve/routes/routes.h"
#include "serve/run_ms.h"
#include "serve/runs/outlined_run.h"

namespace flatout::serve {
namespace {

constexpr std::size_t kMostEvents = 5000;

class Events {
 public:
  Events(std::int64_t start_ns, const std::vector<StepsOf>& steps) : start_ns_(start_ns) {
    if (!steps.empty()) steps_ = &steps.front().steps;
  }

  void add(std::int64_t t_ns, const char* kind, const std::string& title,
           const std::string& text = "", const char* level = "INFO") {
    if (events_.size() >= kMostEvents) return;
    events_.push_back({{"t_ms", run_ms_of(t_ns, start_ns_)},
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
  const auto open = outlined_run(api, id);
  if (!open) return open.error();
  const auto steps = open->run->steps();
  if (!steps) return error_response(steps.error());
  const auto checkpoints = open->run->checkpoints();
  if (!checkpoints) return error_response(checkpoints.error());
  const auto marks = open->run->marks();
  if (!marks) return error_response(marks.error());
  Events events(open->outline->info.started_ns, *steps->of);
  events.add(open->outline->info.started_ns, "start", "start");
  add_end(*open->outline, events);
  add_facts(*open->outline, events);
  for (const run::TrackedRun& run : app::tracked_runs_of(*open->outline, open->run->folder())) {
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
  for (const std::int64_t t_ns : **checkpoints) events.add(t_ns, "checkpoint", "checkpoint");
  // Last, so that many of them do not take the place of others.
  for (const OpenRun::Mark& mark : **marks) events.add(mark.t_ns, "mark", mark.name);
  Json out = {{"schema", "flatout.events/1"}};
  out["events"] = events.taken();
  return json_response(out);
}

}  // namespace flatout::serve
