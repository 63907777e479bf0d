#include "report/tune_text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>

#include "base/counted.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/text_parts.h"
#include "report/tune_words.h"
#include "run/speedup_text.h"

namespace flatout::report {
namespace {

constexpr std::size_t kWide = 116;  // columns from which on a trial is one line
constexpr std::string_view kIndent = "    ";

// The columns of a line of the table, without the two spaces after each.
struct Columns {
  std::size_t trial = 26, rate = 19, gain = 25, predicted = 16;
};

Columns columns_in(const Style& style) {
  if (style.columns >= kWide) return {};
  return {.trial = 24, .rate = 14, .gain = 18, .predicted = 15};
}

// Cells one after the other, in as many lines as they need; the later ones are indented.
class TrialLine {
 public:
  explicit TrialLine(const Style& style) : style_(style) {}

  void cell(const std::string& text, std::size_t columns) {
    if (text.empty() && style_.columns < kWide) return;
    if (!fits(text) && !lines_.back().empty()) lines_.emplace_back(kIndent);
    lines_.back() += padded(text, columns) + "  ";
  }
  // What stands behind the cells, in sentences.
  void rest(const std::string& text) {
    if (fits(text)) {
      lines_.back() += text;
      return;
    }
    std::ranges::move(wrap(kIndent, text, style_.columns), std::back_inserter(lines_));
  }
  std::string text() const {
    Lines out(style_);
    out.add(lines_);
    return out.text();
  }

 private:
  bool fits(const std::string& text) const {
    return width_of(lines_.back()) + width_of(text) <= style_.columns;
  }

  Style style_;
  std::vector<std::string> lines_ = {""};
};

std::string rate_text(const std::optional<double>& samples_per_s) {
  return samples_per_s ? format_number(*samples_per_s) + " samples/s" : "";
}

}  // namespace

std::string tune_gain_text(const std::optional<run::Speedup>& speedup) {
  return speedup ? run::speedup_text(*speedup, kMeasuredDecimals) : "";
}

std::string tune_percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share < 0.1 ? "%.1f %%" : "%.0f %%", share * 100);
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

std::string final_line(const run::TuneReport& tuned, const Style& style) {
  const run::TuneFinal& final = *tuned.final;
  const Columns columns = columns_in(style);
  TrialLine line(style);
  line.cell("final", columns.trial);
  line.cell(rate_text(final.samples_per_s), columns.rate);
  // The interval of one pair among others' work is most often too wide to say anything.
  const std::string gain = final.out_of_time && final.speedup
                               ? run::ratio_text(final.speedup->ratio, kMeasuredDecimals)
                               : tune_gain_text(final.speedup);
  line.cell(toned(final.confirmed ? Tone::kGain : Tone::kCaution, gain), columns.gain);
  std::string rest =
      final.device_busy ? "busy " + tune_percent_text(*final.device_busy) + "  " : "";
  rest += tune_final_outcome(final);
  if (final.loss_gate) rest += gate_text(*final.loss_gate);
  line.rest(rest);
  return line.text();
}

// Knobs by the reason for which they were left alone. Where others were tried, and the reasons
// would take more than two lines, the knobs alone are named.
std::vector<std::string> skipped_lines(const run::TuneReport& tuned, const Style& style) {
  constexpr std::size_t kMostLines = 2;
  constexpr std::string_view kLabel = "not tried: ";
  std::map<std::string, std::string> by_reason;
  std::string names;
  for (const auto& row : tuned.skipped) {
    const std::string name = cleaned(short_name(row.knob), style);
    std::string& same = by_reason[cleaned(row.reason, style)];
    same += (same.empty() ? "" : ", ") + name;
    names += (names.empty() ? "" : ", ") + name;
  }
  if (names.empty()) return {};
  std::string text;
  for (const auto& [reason, same] : by_reason) {
    text += (text.empty() ? "" : "; ") + same + ": " + reason;
  }
  std::vector<std::string> lines = wrap(kLabel, text, style.columns);
  if (lines.size() <= kMostLines || tuned.trials.empty()) return lines;
  return wrap(kLabel, names + "; --json FILE has the reasons", style.columns);
}

std::string cold_text(const run::TuneFileCache& cache) {
  std::string why;
  if (cache.set_bytes && cache.room_bytes && *cache.set_bytes > *cache.room_bytes) {
    why = "the set (about " + format_bytes(static_cast<double>(*cache.set_bytes)) +
          ") does not fit into the " + format_bytes(static_cast<double>(*cache.room_bytes)) +
          " of memory that were to be had, so ";
  }
  return "trials read their data from storage: " + why +
         "the files of each trial were dropped from the page cache after it";
}

}  // namespace

const char* tune_nothing_kept(const run::TuneReport& tuned) {
  if (!tuned.plan.unproved.empty()) {
    return "nothing is kept yet: what is faster for sure is not yet proved to be the same training";
  }
  if (tuned.budget_ended) {
    return tuned.trials.empty()
               ? "nothing was tried: the budget was used up by the program as it is"
               : "nothing was kept until the budget was used up";
  }
  return tuned.trials.empty() ? "nothing to change: no knob promises a gain"
                              : "nothing to change: no knob proved a gain";
}

namespace {

void add_command(std::string_view label, const std::vector<std::string>& words, Lines& out) {
  constexpr std::size_t kLabel = 10;
  out.add(command_lines(padded(toned(Tone::kHeading, label), kLabel), words, out.style()));
}

void add_result(const run::TuneReport& tuned, const std::string& plan_file,
                const std::vector<std::string>& command, const std::string& capture, Lines& out) {
  if (tuned.plan.entries.empty()) {
    out.say("", tuned.interrupted ? "nothing was kept so far" : tune_nothing_kept(tuned));
  }
  if (plan_file.empty()) return;
  add_command("plan:", {plan_file}, out);
  std::vector<std::string> use = {"flatout", "run", "--plan", plan_file};
  if (!capture.empty()) use.push_back("--capture=" + capture);
  if (tuned.plan.entries.empty()) use.emplace_back("--accept-unproved");
  use.emplace_back("--");
  use.insert(use.end(), command.begin(), command.end());
  add_command("use it:", use, out);
  add_command("by hand:", {"flatout", "tune", "--explain", plan_file}, out);
}

}  // namespace

std::string tune_baseline_line(const run::TuneReport& tuned, const Style& style) {
  const run::TuneBaseline& baseline = tuned.baseline;
  const Columns columns = columns_in(style);
  TrialLine line(style);
  line.cell("baseline", columns.trial);
  line.cell(rate_text(baseline.samples_per_s), columns.rate);
  std::string rest = baseline.device_busy
                         ? "busy " + tune_percent_text(*baseline.device_busy) + "  "
                         : std::string();
  rest += "(" + base::counted(baseline.runs.size(), "run", "runs") + " of " +
          base::counted(tuned.steps, "step", "steps");
  if (baseline.noise) rest += ", noise " + tune_percent_text(*baseline.noise);
  line.rest(rest + ")");
  return line.text();
}

std::string tune_change_text(const run::TuneTrial& trial) {
  const std::string from = trial.from.empty() ? "" : trial.from + " -> ";
  return short_name(trial.knob) + " " + from + trial.to;
}

std::string tune_outcome_text(const run::TuneTrial& trial) {
  if (trial.unproved) return trial.reason;
  return trial.kept || trial.reason.empty() ? "kept" : "reverted: " + trial.reason;
}

std::string tune_trial_line(const run::TuneTrial& trial, const Style& style) {
  const Columns columns = columns_in(style);
  const bool kept = trial.kept || trial.reason.empty();
  const auto good = [kept](const std::string& text) {
    return kept ? toned(Tone::kGain, text) : text;
  };
  TrialLine line(style);
  line.cell(cleaned("+ " + tune_change_text(trial), style), columns.trial);
  line.cell(rate_text(trial.samples_per_s), columns.rate);
  line.cell(good(tune_gain_text(trial.speedup)), columns.gain);
  const std::string predicted =
      trial.predicted ? "predicted " + run::ratio_text(trial.predicted->ratio, kMeasuredDecimals)
                      : "";
  line.cell(predicted, columns.predicted);
  line.rest(good(cleaned(tune_outcome_text(trial), style)) + gate_text(trial.loss_gate));
  return line.text();
}

std::string tune_closing(const run::TuneReport& tuned, const std::string& plan_file,
                         const std::vector<std::string>& command, const Style& style,
                         const std::string& capture, const std::string& home) {
  Lines out(style);
  if (tuned.final) out.add({final_line(tuned, style)});
  out.add(skipped_lines(tuned, style));
  if (tuned.file_cache && tuned.file_cache->cold) out.say("note: ", cold_text(*tuned.file_cache));
  for (const auto& note : tuned.notes) out.say("note: ", note);
  if (tuned.prediction_error_median) {
    out.say("", "predictions were off by " + tune_percent_text(*tuned.prediction_error_median) +
                    " (median)");
  }
  if (tuned.budget_ended) {
    out.say("", "the budget ended before all was tried: more time with --budget");
  }
  if (tuned.interrupted) out.say("", "interrupted: this is what was proved until then");
  add_result(tuned, plan_file, command, capture, out);
  add_command("trials:", with_home({"flatout", "ls", "--tree"}, home), out);
  if (run::more_time_helps(tuned)) {
    add_command("go on:", with_home({"flatout", "tune", "--resume", tuned.id}, home), out);
  }
  return out.text();
}

}  // namespace flatout::report
