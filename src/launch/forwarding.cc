#include "launch/forwarding.h"

#include <algorithm>
#include <csignal>

namespace flatout::launch {
namespace {

// A terminal's hang-up, as a session's leader gets it.
bool is_hang_up(const SignalReport& report) { return report.code > 0 && report.signo == SIGHUP; }

}  // namespace

// The kernel sends these for the terminal, and then to the whole group; or for
// flatout's own resources, which are not the program's. The one for its file size
// limit looks as if flatout had sent it.
bool Forwarding::is_ours_alone(const SignalReport& report) const {
  if (report.signo == SIGXFSZ) return report.code > 0 || report.sender == self_.pid;
  if (is_hang_up(report)) return !self_.leads_session;
  return report.code > 0 && report.signo != SIGALRM;
}

void Forwarding::received(const SignalReport& report, base::TimeNs now) {
  if (is_ours_alone(report)) return;
  // A kernel's alarm has no sender, and the canary cannot know of it.
  const bool ask = report.code <= 0 && !canary_lost_;
  waiting_.push_back(
      {.report = report, .got = now, .due = ask ? now + kGrace : now, .round = round_});
}

void Forwarding::received_early(const SignalReport& report, base::TimeNs now) {
  if (report.signo == SIGXFSZ && is_ours_alone(report)) return;
  waiting_.push_back({.report = report, .got = now, .due = now, .early = true});
}

void Forwarding::canary_saw(const SignalReport& report, base::TimeNs now) {
  seen_.push_back({report, now, round_});
}

void Forwarding::canary_answered(std::int32_t ping, base::TimeNs now) {
  for (Waiting& item : waiting_) {
    if (item.ping != 0 && item.ping <= ping) item.due = now;
  }
}

void Forwarding::canary_lost(base::TimeNs now) {
  canary_lost_ = true;
  for (Waiting& item : waiting_) item.due = now;
}

// The canary's report of an asked item may come as late as its answer.
bool Forwarding::covered(const Waiting& item) const {
  if (item.early || item.report.code > 0) return false;
  return std::ranges::any_of(seen_, [&](const Seen& seen) {
    return seen.report.signo == item.report.signo && seen.report.sender == item.report.sender &&
           (seen.at >= item.got - kGrace || seen.round + 1 >= item.round);
  });
}

Forwarding::Decision Forwarding::decide(base::TimeNs now) {
  Decision out;
  std::erase_if(waiting_, [&](const Waiting& item) { return covered(item); });
  for (Waiting& item : waiting_) {
    if (item.due > now || item.ping != 0 || item.early || item.report.code > 0 || canary_lost_) {
      continue;
    }
    if (now < item.got + kSenderLimit && sender_runs_(item.report.sender)) {
      item.due = now + kGrace;
      continue;
    }
    if (!out.ping) out.ping = ++pings_;
    item.ping = *out.ping;
    item.due = now + kAnswerLimit;
  }
  std::erase_if(waiting_, [&](const Waiting& item) {
    if (item.due > now) return false;
    out.forward.push_back(item.report);
    // A stopped program is to see its end.
    if (is_hang_up(item.report)) {
      out.forward.push_back({.value = 0, .signo = SIGCONT, .code = item.report.code, .sender = 0});
    }
    return true;
  });
  // A report is of use as long as a signal that it covers may still come in.
  std::erase_if(seen_,
                [&](const Seen& seen) { return seen.at < now - kGrace && seen.round < round_; });
  ++round_;
  return out;
}

std::optional<base::TimeNs> Forwarding::deadline() const {
  if (waiting_.empty()) return std::nullopt;
  return std::ranges::min_element(waiting_, {}, &Waiting::due)->due;
}

}  // namespace flatout::launch
