#include "trial/search_trials.h"

#include <utility>

#include "apply/search/arguments.h"
#include "trial/outcome.h"

namespace flatout::trial {

using base::Result;

SearchTrials::SearchTrials(PlacedTrials& trials, TrialJob common, std::string logged)
    : trials_(trials), common_(std::move(common)), logged_(std::move(logged)) {}

Result<void> SearchTrials::start(const apply::SearchTrial& trial) {
  const auto setup = apply::set_up(common_.command, *trial.point);
  TrialJob job = common_;
  job.command = setup.command;
  job.environment = setup.environment;
  for (const auto& entry : setup.plan.entries) job.knobs.push_back(entry.setting);
  job.steps = static_cast<std::uint64_t>(trial.steps);
  job.timeout_ns = trial.timeout_ns;
  job.name = trial.name;
  const auto handle = trials_.start(std::move(job));
  if (!handle) return std::unexpected(handle.error());
  tickets_.emplace(*handle, trial.ticket);
  return {};
}

void SearchTrials::note(const TrialJobResult& result) {
  if (place_.empty()) {
    place_ = result.place;
    notes_ = result.notes;
  }
  written_.add(result);
}

Result<apply::EndedTrial> SearchTrials::wait() {
  const auto ended = trials_.wait();
  apply::EndedTrial out;
  if (auto ticket = tickets_.extract(ended.handle); !ticket.empty()) out.ticket = ticket.mapped();
  if (trials_.interrupted()) {
    out.measured.trial.run = ended.result.run;
    out.measured.trial.failure = "interrupted";
    return out;
  }
  note(ended.result);
  if (!was_recorded(ended.result)) {
    // Before any trial was recorded, none can be. Later, one is a matter of its own.
    if (!common_.parent) {
      return base::fail(base::ErrorCode::kUnavailable,
                        "a trial could not be run: " + ended.result.trouble);
    }
    out.measured.trial.failure = "could not be run: " + ended.result.trouble;
    return out;
  }
  if (!common_.parent) common_.parent = ended.result.run;
  auto measured =
      read_trial(common_.home, ended.result.run, ended.result.ended, ended.output, logged_);
  trials_.forget(ended);
  if (!measured) return std::unexpected(measured.error());
  out.measured = std::move(*measured);
  return out;
}

}  // namespace flatout::trial
