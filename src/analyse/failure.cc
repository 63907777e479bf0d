#include "analyse/failure.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "analyse/rules/judgement.h"

namespace flatout::analyse {
namespace {

bool sent_on_purpose(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

std::string ending(const run::RunEnd& end) {
  if (end.signal == 0) return "exit code " + std::to_string(end.exit_code);
  const char* name = sigabbrev_np(end.signal);
  return "killed by SIG" + (name != nullptr ? std::string(name) : std::to_string(end.signal));
}

std::string progress(const run::FailureReport& failure) {
  if (!failure.after_steps) return "";
  if (*failure.after_steps == 0) return ", before the end of its first step";
  return " and " + std::to_string(*failure.after_steps) +
         (*failure.after_steps == 1 ? " step" : " steps");
}

void add_exception(const run::Timeline& timeline, run::FailureReport& failure) {
  const run::FailureFact* first = nullptr;
  for (const auto& [pid, process] : timeline.processes) {
    const run::FailureFact* fact = run::latest_of(process.facts.observed().failures);
    if (fact == nullptr || (first != nullptr && first->t_ns <= fact->t_ns)) continue;
    failure.rank.reset();
    if (process.proc.rank >= 0) failure.rank = process.proc.rank;
    first = fact;
  }
  if (first == nullptr) return;
  failure.error = first->type;
  failure.message = first->message;
  failure.at = first->at;
}

}  // namespace

std::optional<std::int64_t> stopped_after(const run::Timeline& timeline) {
  for (const auto& [pid, process] : timeline.processes) {
    const run::StoppedFact* stopped = run::latest_of(process.facts.observed().stopped);
    if (stopped != nullptr && stopped->steps) return stopped->steps;
  }
  return std::nullopt;
}

std::optional<run::FailureReport> failure_of(const run::Timeline& timeline,
                                             const Analysis& analysis) {
  const bool failed = timeline.state == run::RunState::kFailed;
  const bool killed = timeline.state == run::RunState::kKilled;
  if (!timeline.end || (!failed && !killed)) return std::nullopt;
  if (killed && sent_on_purpose(timeline.end->signal)) return std::nullopt;
  run::FailureReport failure;
  const bool steps_visible =
      (analysis.no_steps == NoSteps::kNone && !analysis.only_times_known()) ||
      analysis.no_steps == NoSteps::kNoUpdate;
  if (steps_visible) failure.after_steps = static_cast<std::int64_t>(analysis.cut.steps.size());
  add_exception(timeline, failure);
  return failure;
}

run::Verdict failure_verdict(const run::Timeline& timeline, const run::FailureReport& failure) {
  run::Verdict verdict;
  verdict.finding = "failed";
  verdict.confidence = 1;
  if (!timeline.end) return verdict;
  verdict.cause = timeline.end->signal != 0 ? run::Cause::kSignal
                  : failure.error.empty()   ? run::Cause::kExitCode
                                            : run::Cause::kException;
  const double seconds = static_cast<double>(timeline.end->t_ns - timeline.info.started_ns) / 1e9;
  verdict.summary =
      ending(*timeline.end) + " after " + seconds_text(std::max(0.0, seconds)) + progress(failure);
  if (!failure.error.empty()) {
    verdict.summary +=
        ": " + (failure.rank ? "rank " + std::to_string(*failure.rank) + ": " : "") + failure.error;
    if (!failure.message.empty()) verdict.summary += ": " + failure.message;
    while (verdict.summary.ends_with('.')) verdict.summary.pop_back();
    if (!failure.at.empty()) verdict.summary += " (" + failure.at + ")";
  }
  verdict.summary += ".";
  return verdict;
}

}  // namespace flatout::analyse
