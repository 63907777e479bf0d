#include "launch/forwarding.h"

#include <algorithm>
#include <csignal>

namespace flatout::launch {
namespace {

// The kernel sends these for the terminal, and then to the whole group; or for
// flatout's own resources, which are not the program's.
bool from_the_kernel(const SignalReport& report) {
  return report.code > 0 && report.signo != SIGALRM;
}

}  // namespace

void Forwarding::received(const SignalReport& report, base::TimeNs now) {
  if (from_the_kernel(report)) return;
  // A kernel's alarm has no sender, and the canary cannot know of it.
  const bool ask = report.code <= 0 && !canary_lost_;
  waiting_.push_back(
      {.report = report, .got = now, .due = ask ? now + kGrace : now, .round = round_});
}

void Forwarding::received_early(const SignalReport& report, base::TimeNs now) {
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
    if (item.due <= now) out.forward.push_back(item.report);
    return item.due <= now;
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
