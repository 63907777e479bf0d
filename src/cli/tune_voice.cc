#include "cli/tune_voice.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/file.h"
#include "cli/report_style.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/tune_text.h"
#include "run/speedup_text.h"

namespace flatout::cli {
namespace {

std::string duration_text(base::DurationNs ns) {
  return report::format_seconds(static_cast<double>(ns) / 1e9);
}

// "num_workers 0 -> 4 (predicted x4.71), then fused false -> true"
std::string changes_text(const apply::TunePlan& plan) {
  constexpr std::size_t kMostNamed = 8;
  std::string out;
  for (std::size_t i = 0; i < plan.changes.size() && i < kMostNamed; ++i) {
    const auto& change = plan.changes[i];
    out += (out.empty() ? "" : ", then ") + change.what;
    if (change.predicted) out += " (predicted " + run::ratio_text(change.predicted->ratio, 2) + ")";
  }
  if (plan.changes.size() > kMostNamed) {
    out += " and " + std::to_string(plan.changes.size() - kMostNamed) + " more";
  }
  return out;
}

}  // namespace

TuneVoice::TuneVoice(std::string place, std::optional<double> price)
    : place_(std::move(place)), price_(price) {}

void TuneVoice::line(const std::string& text) { live_.keep(text); }

void TuneVoice::finished(const std::string& text) { live_.keep_finished(text); }

void TuneVoice::begin(const std::optional<std::string>& earlier) {
  if (earlier) {
    line("resume: tune " + *earlier + ", first from its stored trials; new ones " + place_);
  } else {
    line("plan: first the program as it is, to learn how long a trial takes; " + place_);
  }
  if (!place_.contains("throwaway")) {
    line("all that trials write is real, and is written once a trial");
    return;
  }
  const bool overlay = place_.ends_with("overlay of this folder");
  line(std::string("what trials write in this folder") +
       (overlay ? " and your home, caches aside," : "") + " is thrown away; the rest is real:");
  line(
      "network, databases, /etc, /var, writes of shells elsewhere. It stops accidents, not intent");
}

void TuneVoice::trial_begins(const std::string& what, const std::optional<run::Speedup>& predicted,
                             std::optional<base::DurationNs> left_ns) {
  ++trials_;
  left_.begins(base::read_clock_ns(CLOCK_MONOTONIC));
  std::string text = "trial " + std::to_string(trials_);
  if (plan_) {
    text += " of about " + std::to_string(std::max(trials_, before_ + plan_->likely_trials));
  }
  text += ": " + what;
  if (predicted) {
    text += ", predicted " + run::ratio_text(predicted->ratio, 2);
  }
  if (const auto left = left_.left_within(left_ns)) {
    text += ", about " + duration_text(*left) + " left";
  }
  live_.show(text);
}

void TuneVoice::planned(const apply::TunePlan& plan) {
  plan_ = plan;
  before_ = trials_;
  if (plan.likely_trials > 0) {
    left_.plan(plan.likely_trials, plan.likely_ns / plan.likely_trials);
  }
  if (plan.likely_trials == 0) return;  // the closing says why
  std::string text = "plan: " + changes_text(plan) + ": about " + duration_text(plan.likely_ns) +
                     ", with trials of " + std::to_string(plan.steps) + " steps and " +
                     duration_text(plan.trial_ns);
  const auto fit = std::ranges::count_if(plan.changes, &apply::TunePlan::Change::fits);
  if (!too_short_ && fit < std::ssize(plan.changes)) {
    text += fit == 0 ? "; the budget may end within the first"
                     : "; the budget holds the first " + std::to_string(fit);
  }
  if (price_) {
    char cost[64];
    std::snprintf(cost, sizeof cost, ", costs %.2f at %.2f an hour",
                  static_cast<double>(plan.likely_ns) / 3.6e12 * *price_, *price_);
    text += cost;
  }
  line(text);
}

void TuneVoice::too_short(base::DurationNs needed_ns, base::DurationNs trial_ns,
                          base::DurationNs start_up_ns) {
  too_short_ = true;
  line("plan: the budget does not hold one comparison: a trial takes about " +
       duration_text(trial_ns) + ", of which start-up and what lies between steps " +
       duration_text(start_up_ns) + "; the first comparison alone needs about " +
       duration_text(needed_ns) + " in all (--budget " +
       std::to_string((needed_ns + base::kSecond - 1) / base::kSecond) + "s)");
}

void TuneVoice::baseline(const run::TuneReport& so_far) {
  finished(report::tune_baseline_line(so_far, report_table_style(1)));
}

void TuneVoice::decided(const run::TuneTrial& trial) {
  finished(report::tune_trial_line(trial, report_table_style(1)));
}

}  // namespace flatout::cli
