#include "report/tune_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <vector>

#include "report/layout.h"
#include "report/quantity.h"
#include "report/text_parts.h"
#include "report/tune_words.h"

namespace flatout::report {
namespace {

constexpr std::size_t kTrialColumns = 26;
constexpr std::size_t kRateColumns = 19;
constexpr std::size_t kGainColumns = 22;
constexpr std::size_t kPredictedColumns = 16;
constexpr std::size_t kColumns = 100;

std::string padded(std::string text, std::size_t columns) {
  if (text.size() < columns) text.resize(columns, ' ');
  return text + "  ";
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share < 0.1 ? "%.1f %%" : "%.0f %%", share * 100);
  return text;
}

std::string rate_text(const std::optional<double>& samples_per_s) {
  return samples_per_s ? format_number(*samples_per_s) + " samples/s" : "";
}

}  // namespace

// Two decimals throughout: these are measured, and small gains matter.
std::string tune_gain_text(const std::optional<run::Speedup>& speedup) {
  if (!speedup || !std::isfinite(speedup->ratio + speedup->lo + speedup->hi)) return "";
  char text[128];
  std::snprintf(text, sizeof text, "x%.2f [%.2f, %.2f]", speedup->ratio, speedup->lo, speedup->hi);
  return text;
}

namespace {

std::string short_name(const std::string& knob) { return knob.substr(knob.find('.') + 1); }

std::string gate_text(run::LossGate gate) {
  return gate == run::LossGate::kNotNeeded
             ? ""
             : "  loss gate " + std::string(run::loss_gate_name(gate));
}

}  // namespace

const char* tune_final_outcome(const run::TuneFinal& final) {
  return final.confirmed     ? "confirmed against the baseline"
         : final.too_noisy   ? "too noisy to confirm"
         : final.out_of_time ? "too few pairs to confirm"
                             : "not confirmed";
}

namespace {

std::string final_line(const run::TuneReport& tuned) {
  const run::TuneFinal& final = *tuned.final;
  std::string line = padded("final", kTrialColumns) +
                     padded(rate_text(final.samples_per_s), kRateColumns) +
                     padded(tune_gain_text(final.speedup), kGainColumns);
  if (final.device_busy) line += "busy " + percent(*final.device_busy) + "  ";
  line += tune_final_outcome(final);
  if (final.loss_gate) line += gate_text(*final.loss_gate);
  return trimmed(line);
}

// Knobs by the reason for which they were left alone, most knobs first.
std::vector<std::string> skipped_lines(const run::TuneReport& tuned) {
  std::map<std::string, std::string> by_reason;
  for (const auto& row : tuned.skipped) {
    std::string& names = by_reason[row.reason];
    names += (names.empty() ? "" : ", ") + short_name(row.knob);
  }
  std::vector<std::string> out;
  for (const auto& [reason, names] : by_reason) {
    for (const auto& line : wrap("not tried: ", names + ": " + reason, kColumns, 3)) {
      out.push_back(line);
    }
  }
  return out;
}

}  // namespace

std::string tune_baseline_line(const run::TuneReport& tuned) {
  const run::TuneBaseline& baseline = tuned.baseline;
  std::string line =
      padded("baseline", kTrialColumns) + padded(rate_text(baseline.samples_per_s), kRateColumns);
  if (baseline.device_busy) line += "busy " + percent(*baseline.device_busy) + "  ";
  line += "(" + std::to_string(baseline.runs.size()) + " runs of " + std::to_string(tuned.steps) +
          " steps";
  if (baseline.noise) line += ", noise " + percent(*baseline.noise);
  return line + ")";
}

std::string tune_change_text(const run::TuneTrial& trial) {
  const std::string from = trial.from.empty() ? "" : trial.from + " -> ";
  return short_name(trial.knob) + " " + from + trial.to;
}

std::string tune_outcome_text(const run::TuneTrial& trial) {
  return trial.kept || trial.reason.empty() ? "kept" : "reverted: " + trial.reason;
}

std::string tune_trial_line(const run::TuneTrial& trial) {
  std::string line = padded("+ " + tune_change_text(trial), kTrialColumns) +
                     padded(rate_text(trial.samples_per_s), kRateColumns) +
                     padded(tune_gain_text(trial.speedup), kGainColumns);
  char predicted[48] = "";
  if (trial.predicted) {
    std::snprintf(predicted, sizeof predicted, "predicted x%.2f", trial.predicted->ratio);
  }
  line += padded(predicted, kPredictedColumns);
  line += tune_outcome_text(trial);
  return trimmed(line + gate_text(trial.loss_gate));
}

namespace {

std::string cold_line(const run::TuneFileCache& cache) {
  std::string why;
  if (cache.set_bytes && cache.room_bytes && *cache.set_bytes > *cache.room_bytes) {
    why = "the set (about " + format_bytes(static_cast<double>(*cache.set_bytes)) +
          ") does not fit into the " + format_bytes(static_cast<double>(*cache.room_bytes)) +
          " of memory that were to be had, so ";
  }
  return "note: trials read their data from storage: " + why +
         "the files of each trial were dropped from the page cache after it";
}

}  // namespace

const char* tune_nothing_kept(const run::TuneReport& tuned) {
  if (tuned.budget_ended) {
    return tuned.trials.empty()
               ? "nothing was tried: the budget was used up by the program as it is"
               : "nothing was kept until the budget was used up";
  }
  return tuned.trials.empty() ? "nothing to change: no knob promises a gain"
                              : "nothing to change: no knob proved a gain";
}

std::string tune_closing(const run::TuneReport& tuned, const std::string& plan_file,
                         const std::string& command) {
  std::vector<std::string> lines;
  if (tuned.final) lines.push_back(final_line(tuned));
  for (auto& line : skipped_lines(tuned)) lines.push_back(std::move(line));
  if (tuned.file_cache && tuned.file_cache->cold) lines.push_back(cold_line(*tuned.file_cache));
  for (const auto& note : tuned.notes) lines.push_back("note: " + note);
  if (tuned.prediction_error_median) {
    lines.push_back("predictions were off by " + percent(*tuned.prediction_error_median) +
                    " (median)");
  }
  if (tuned.budget_ended) {
    lines.emplace_back("the budget ended before all was tried: more time with --budget");
  }
  if (tuned.interrupted) lines.emplace_back("interrupted: this is what was proved until then");
  if (plan_file.empty() && tuned.interrupted) {
    lines.emplace_back("nothing was kept so far");
  } else if (plan_file.empty()) {
    lines.emplace_back(tune_nothing_kept(tuned));
  } else {
    lines.push_back("plan: " + plan_file);
    lines.push_back("use it:   flatout run --plan " + plan_file + " -- " + command);
    lines.push_back("by hand:  flatout tune --explain " + plan_file);
  }
  lines.push_back("trials:   flatout ls --tree");
  if (tuned.interrupted) lines.push_back("go on:    flatout tune --resume " + tuned.id);
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + to_ascii(line);
  return text;
}

}  // namespace flatout::report
