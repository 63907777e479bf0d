#include "cli/run_tune.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "apply/arms.h"
#include "apply/plan_file.h"
#include "cli/written_plan.h"
#include "report/tune_text.h"
#include "run/facts.h"

namespace flatout::cli {
namespace {

nlohmann::json literal(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::string fact_of(const apply::LiveTuned& tuned) {
  nlohmann::json kept = nlohmann::json::array();
  for (const auto& entry : tuned.plan.entries) {
    nlohmann::json one = {{"knob", entry.setting.knob}, {"to", literal(entry.setting.value)}};
    if (!entry.from.empty()) one["from"] = literal(entry.from);
    if (entry.measured) {
      one["speedup"] = entry.measured->ratio;
      one["lo"] = entry.measured->lo;
      one["hi"] = entry.measured->hi;
    }
    kept.push_back(std::move(one));
  }
  nlohmann::json out = {{"seconds", tuned.search_s},
                        {"lost_s", tuned.lost_s},
                        {"tried", tuned.trials.size()},
                        {"kept", std::move(kept)}};
  for (const auto& row : tuned.skipped) {
    out["left_out"].push_back(row.knob.substr(row.knob.find('.') + 1) + ": " + row.reason);
  }
  if (!tuned.cut_by.empty()) out["cut_by"] = tuned.cut_by;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

apply::Stack settings_of(const run::Plan& plan) {
  apply::Stack out;
  for (const auto& entry : plan.entries) out.push_back(entry.setting);
  return apply::switched_of(out);
}

}  // namespace

RunTune::RunTune(bool wanted, const app::RunSession& session, const run::Plan& plan,
                 app::Voice& voice)
    : plan_(plan), voice_(voice) {
  if (!wanted) return;
  const auto rings = session.track_places().rings;
  const auto folder = session.folder();
  std::string why;
  if (rings.empty()) why = session.hooks_off().empty() ? "the hooks are off" : session.hooks_off();
  if (why.empty() && folder.empty()) why = "the run is kept in memory alone";
  if (why.empty()) {
    auto made = trial::LiveTuning::make(rings / "control", folder, {.present = settings_of(plan)});
    if (made) {
      tuning_ = std::move(*made);
    } else {
      why = made.error().message;
    }
  }
  if (!why.empty()) voice.note("--tune does nothing: " + why);
}

launch::Environment RunTune::environment(launch::Environment env) const {
  if (tuning_) {
    for (auto& variable : tuning_->variables()) env.push_back(std::move(variable));
  }
  return env;
}

void RunTune::begin() {
  if (tuning_) tuning_->begin();
}

void RunTune::tick() {
  if (!tuning_) return;
  for (const auto& row : tuning_->take_rows()) {
    voice_.note("while it runs: " + report::tune_trial_line(row));
  }
}

void RunTune::end(app::RunSession& session) {
  if (!tuning_) return;
  tuning_->program_ended();
  tick();
  if (const auto& tuned = tuning_->result()) {
    session.note_fact(run::facts::kTuned, fact_of(*tuned));
  } else {
    voice_.note("--tune tried nothing: " + tuning_->why_not());
  }
}

void RunTune::write(const std::string& plan_file) {
  if (!tuning_ || !tuning_->result() || tuning_->result()->plan.entries.empty()) return;
  run::Plan before = plan_;
  // With --accept-unproved they are entries as well, and no better proved for it.
  for (const auto& open : before.unproved) {
    std::erase_if(before.entries, [&](const run::PlanEntry& entry) {
      return entry.setting.knob == open.setting.knob;
    });
  }
  const run::Plan plan = apply::compose({before, tuning_->result()->plan});
  const auto written = keep_plan(plan, {"What flatout run --tune kept. Use it:"}, plan_file,
                                 [this](const std::string& line) { voice_.note(line); });
  if (written) {
    voice_.note("for the next run: flatout run --plan " + plan_file);
  } else {
    voice_.error("the plan is not written: " + written.error().message);
  }
}

}  // namespace flatout::cli
