// What a RunSession does where a tracked run of its program begins with a history.
#include <poll.h>
#include <sys/types.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "app/history/copy_history.h"
#include "app/run_session.h"
#include "app/stored_runs.h"
#include "run/facts.h"

namespace flatout::app {
namespace {

// The recorder does nothing else meanwhile; rings hold what a program says in minutes.
constexpr base::DurationNs kHistoryBudget = 5 * base::kSecond;
constexpr int kTicksMs = 250;  // two of another recorder, and a moment

std::string named(const run::TrackRunFact& fact) {
  std::string out = fact.branch == "rewind" ? "resume_from" : "fork_from";
  out += "='" + fact.from;
  if (fact.from_step) out += "?_step=" + std::to_string(*fact.from_step);
  return out + "'";
}

// Of ranks that begin one run together, the first brings its history.
bool is_another_rank(pid_t first, pid_t pid) { return first != pid && ::kill(first, 0) == 0; }

}  // namespace

void RunSession::bring_history(pid_t pid, const run::TrackRunFact& fact) {
  const std::string key = fact.id + "\n" + named(fact);
  const auto [first, is_new] = histories_.try_emplace(key, pid);
  if (!is_new && is_another_rank(first->second, pid)) return;
  first->second = pid;
  const HistoryAsked asked{.recording = info_.id,
                           .pid = pid,
                           .track = static_cast<std::uint32_t>(fact.track),
                           .t_ns = fact.t_ns,
                           .from = fact.from,
                           .step = fact.from_step};
  const base::TimeNs until_ns = clock_.monotonic() + kHistoryBudget;
  CopiedHistory copied;
  FoundHistory found;
  const auto folder = writer_->folder();
  const auto home = open_home(home_.empty() ? options_.home : home_);
  if (!home) {
    copied.problem = home.error().message;
  } else {
    found = find_history(*home, asked);
    if (found.live) {  // what it has logged until now may still be in its ring
      (void)::poll(nullptr, 0, kTicksMs);
      found = find_history(*home, asked);
    }
    if (found.sources.empty()) {
      copied.problem = "no run of that id is in " + home->root().string();
    } else {
      copied = copy_history(asked, found, folder.value_or(""), *writer_, clock_, until_ns);
    }
  }
  nlohmann::json said = {{"track", fact.track}, {"values", copied.values}, {"rows", copied.rows}};
  for (const HistorySource& source : found.sources) said["recordings"].push_back(source.recording);
  if (!copied.problem.empty()) {
    said["problem"] = copied.problem;
    const std::string line =
        named(fact) + ": " +
        (copied.values + copied.rows > 0 ? "the history is not whole: "
                                         : "the run begins without a history: ") +
        copied.problem;
    voice_.error(line);  // also where nobody else is to be heard: the script asked for it
    const nlohmann::json problem = {{"problem", line}};
    note_fact(run::facts::kProblem,
              problem.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  (void)writer_->fact(
      pid, {.t_ns = fact.t_ns,
            .key = std::string(run::facts::kTrackHistory),
            .json = said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
}

}  // namespace flatout::app
