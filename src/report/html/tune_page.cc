// The page of a tune: what it kept, trial by trial.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/counted.h"
#include "base/shell_word.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/html/shell.h"
#include "report/quantity.h"
#include "report/text_parts.h"
#include "report/tune_json.h"
#include "report/tune_words.h"
#include "run/speedup_text.h"

namespace flatout::report {
namespace html {
namespace {

std::string joined_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words)
    line += (line.empty() ? "" : " ") + base::shown_shell_word(word, true);
  return line;
}

std::ptrdiff_t kept_count(const run::TuneReport& tuned) {
  return std::ranges::count_if(tuned.trials, &run::TuneTrial::kept);
}

std::string rate_words(const std::optional<double>& samples_per_s) {
  return samples_per_s && std::isfinite(*samples_per_s) ? format_number(*samples_per_s) + " /s"
                                                        : "";
}

std::string tune_headline(const run::TuneReport& tuned) {
  if (tuned.plan.entries.empty()) {
    return tuned.plan.unproved.empty() ? "Nothing kept" : "Nothing proved";
  }
  if (!tuned.final || !tuned.final->confirmed) return "Not confirmed";
  const auto& speedup = tuned.final->speedup;
  const std::string ratio = speedup ? run::ratio_text(speedup->ratio, kMeasuredDecimals) : "";
  if (ratio.empty()) return "Confirmed";
  return ratio.ends_with("slower") ? ratio : ratio + " faster";
}

std::string tune_summary(const run::TuneReport& tuned) {
  if (tuned.plan.entries.empty()) {
    return tuned.interrupted ? "nothing was kept so far" : tune_nothing_kept(tuned);
  }
  std::string kept;
  for (const run::TuneTrial& trial : tuned.trials) {
    if (trial.kept) kept += (kept.empty() ? "" : ", ") + tune_change_text(trial);
  }
  std::string text = "Kept: " + kept + ".";
  if (tuned.final) {
    const std::string rate = rate_words(tuned.final->samples_per_s);
    if (!rate.empty())
      text += " " + rate_words(tuned.baseline.samples_per_s) + " \xe2\x86\x92 " + rate;
    text += std::string(rate.empty() ? " " : ", ") + tune_final_outcome(*tuned.final) + ".";
  }
  return text;
}

std::vector<std::string> tune_notes(const run::TuneReport& tuned) {
  std::vector<std::string> notes;
  if (tuned.interrupted) notes.emplace_back("Interrupted: this is what was proved until then.");
  for (const run::TuneTrial& trial : tuned.trials) {
    if (trial.unproved) notes.push_back(tune_change_text(trial) + ": " + trial.reason + ".");
  }
  if (tuned.budget_ended) {
    notes.emplace_back("The budget ended before all was tried: more time with --budget.");
  }
  if (tuned.final && tuned.final->loss_gate && !tuned.final->loss_reason.empty()) {
    notes.push_back(
        "Loss gate of all of it: " + std::string(run::loss_gate_name(*tuned.final->loss_gate)) +
        ", " + tuned.final->loss_reason);
  }
  for (const std::string& note : tuned.notes) notes.push_back("Note: " + note);
  return notes;
}

void tune_tiles(Markup& out, const run::TuneReport& tuned) {
  const auto list = out.in("dl", {{"class", "tiles"}});
  const run::TuneBaseline& baseline = tuned.baseline;
  if (baseline.samples_per_s && std::isfinite(*baseline.samples_per_s)) {
    tile(out, "samples a second, before", *baseline.samples_per_s,
         format_number(*baseline.samples_per_s),
         baseline.lo && baseline.hi
             ? format_number(*baseline.lo) + " to " + format_number(*baseline.hi) + ", 95 % of " +
                   base::counted(baseline.runs.size(), "run", "runs")
             : "");
  }
  if (tuned.final && tuned.final->samples_per_s && std::isfinite(*tuned.final->samples_per_s)) {
    tile(out, "samples a second, after", *tuned.final->samples_per_s,
         format_number(*tuned.final->samples_per_s), tune_final_outcome(*tuned.final));
  }
  if (tuned.final) gain_tile(out, "gain", tuned.final->speedup);
  if (!tuned.trials.empty()) {
    tile(out, "changes kept", static_cast<double>(kept_count(tuned)),
         std::to_string(kept_count(tuned)), "of " + std::to_string(tuned.trials.size()) + " tried");
  }
  if (baseline.noise && std::isfinite(*baseline.noise)) {
    tile(out, "noise between runs", *baseline.noise, tune_percent_text(*baseline.noise),
         "standard deviation of " + base::counted(baseline.runs.size(), "run", "runs"));
  }
  if (tuned.prediction_error_median && std::isfinite(*tuned.prediction_error_median)) {
    tile(out, "predictions off by, median", *tuned.prediction_error_median,
         tune_percent_text(*tuned.prediction_error_median));
  }
}

void trial_cells(Markup& out, const GainAxis& axis, const std::optional<run::Speedup>& gain,
                 const std::string& css_class) {
  {
    const auto cell = out.in("td", {{"class", "nowrap"}, {"data-label", "gain"}});
    const std::string words = tune_gain_text(gain);
    if (words.empty()) {
      out.text("not measured");
    } else {
      out.number(gain->ratio, words);
    }
  }
  const auto cell = out.in("td", {{"class", "wide"}});
  if (gain) axis.draw(out, css_class, *gain);
}

void trial_row(Markup& out, const GainAxis& axis, const run::TuneTrial& trial, int number) {
  const auto row = out.in("tr");
  out.element("td", {{"data-label", "Trial"}}, std::to_string(number));
  {
    const auto cell = out.in("th", {{"scope", "row"}});
    out.element("code", tune_change_text(trial));
  }
  trial_cells(out, axis, trial.speedup, trial.kept ? "kept" : "");
  const std::string predicted = tune_gain_text(trial.predicted);
  out.element("td", {{"class", "nowrap"}, {"data-label", "predicted"}},
              predicted.empty() ? "not predicted" : predicted);
  out.element("td", tune_outcome_text(trial));
  out.element("td", {{"data-label", "loss gate"}},
              trial.loss_gate == run::LossGate::kNotNeeded
                  ? "not needed"
                  : std::string(run::loss_gate_name(trial.loss_gate)));
}

void final_row(Markup& out, const GainAxis& axis, const run::TuneFinal& final) {
  const auto row = out.in("tr");
  out.element("td", "");
  out.element("th", {{"scope", "row"}}, "all that was kept, over the baseline");
  trial_cells(out, axis, final.speedup, "final");
  out.element("td", "");
  out.element("td", tune_final_outcome(final));
  out.element("td", {{"data-label", "loss gate"}},
              final.loss_gate ? std::string(run::loss_gate_name(*final.loss_gate)) : "");
}

void trial_table(Markup& out, const run::TuneReport& tuned) {
  if (tuned.trials.empty() && !tuned.final) return;
  const auto part = section(out, "trials", "Trial by trial");
  GainAxis axis;
  for (const run::TuneTrial& trial : tuned.trials) axis.include(trial.speedup);
  if (tuned.final) axis.include(tuned.final->speedup);
  const Table table(out,
                    "Measured speed over that of what was kept before it, with a 95 % interval; a "
                    "full dot was kept, the dashed line is 1: no change",
                    {"Trial", "Change", "Gain", "", "Predicted", "Outcome", "Loss gate"},
                    "trials cards");
  const auto body = out.in("tbody");
  int number = 0;
  for (const run::TuneTrial& trial : tuned.trials) trial_row(out, axis, trial, ++number);
  if (tuned.final) final_row(out, axis, *tuned.final);
}

struct Rate {
  double number = 0;  // of the trial; 0 is the baseline, the one after the last is all together
  double samples_per_s = 0;
  std::string css_class, name;
};

std::vector<Rate> rates_of(const run::TuneReport& tuned) {
  std::vector<Rate> out;
  const auto add = [&out](std::size_t number, const std::optional<double>& rate, std::string css,
                          std::string name) {
    if (!rate || !std::isfinite(*rate)) return;
    out.push_back({static_cast<double>(number), *rate, std::move(css), std::move(name)});
  };
  add(0, tuned.baseline.samples_per_s, "kept", "baseline");
  std::size_t number = 0;
  for (const run::TuneTrial& trial : tuned.trials) {
    add(++number, trial.samples_per_s, trial.kept ? "kept" : "", tune_change_text(trial));
  }
  if (tuned.final) add(number + 1, tuned.final->samples_per_s, "final", "all that was kept");
  return out;
}

void rate_chart(Markup& out, const run::TuneReport& tuned) {
  const std::vector<Rate> rates = rates_of(tuned);
  if (rates.size() < 2) return;
  double most = 0;
  for (const Rate& rate : rates) most = std::max(most, rate.samples_per_s);
  const auto figure = out.in("figure");
  out.element("h3", "Throughput");
  {
    Plot plot(out, {.title = "Samples a second, trial by trial",
                    .description = "The table of trials has the gains.",
                    .x0 = -0.5,
                    .x1 = rates.back().number + 0.5,
                    .y0 = 0,
                    .y1 = nice_ceiling(most),
                    .height = 150,
                    .x_unit = "count",
                    .y_unit = "per_s",
                    .x_title = "trial; 0 is the baseline",
                    .y_title = "samples a second",
                    .timed = false,
                    .linear = false});
    plot.axes();
    const auto& baseline = tuned.baseline.samples_per_s;
    if (baseline && std::isfinite(*baseline)) plot.level(*baseline, "baseline", true, "marker");
    for (const Rate& rate : rates) {
      plot.dot(rate.css_class, rate.name, rate.number, rate.samples_per_s);
    }
  }
  const char* last = tuned.final
                         ? "; the last, coloured one is all that was kept together, in runs "
                           "made for it."
                         : ".";
  out.element("figcaption", std::string("A full dot was kept, a hollow one was reverted") + last);
}

void before_and_after(Markup& out, const PageContext& context) {
  if (context.before.bins.empty() || context.after.bins.empty()) return;
  LengthAxis axis;
  axis.include(context.before);
  axis.include(context.after);
  if (!axis.drawable()) return;
  const auto figure = out.in("figure");
  out.element("h3", "Length of the steps, before and after");
  lengths_plot(
      out, axis,
      {.lengths = context.before, .css_class = "run-a", .run = "before", .x_title = false});
  lengths_plot(out, axis, {.lengths = context.after, .css_class = "run-b", .run = "after"});
  out.element("figcaption",
              "Of one run of the program as it is, and one of all that was kept, both made for the "
              "last comparison, on the same axis of time. The last bar of each also holds its "
              "slowest steps.");
}

void not_tried(Markup& out, const run::TuneReport& tuned) {
  if (tuned.skipped.empty()) return;
  const auto part = section(out, "skipped", "Not tried");
  std::map<std::string, std::string> by_reason;
  for (const run::TuneTrial& trial : tuned.skipped) {
    std::string& names = by_reason[trial.reason];
    names += (names.empty() ? "" : ", ") + trial.knob;
  }
  const Table table(out, "Knobs that were left alone, by the reason", {"Knobs", "Reason"}, "cards");
  const auto body = out.in("tbody");
  for (const auto& [reason, names] : by_reason) {
    const auto row = out.in("tr");
    {
      const auto cell = out.in("th", {{"scope", "row"}});
      out.element("code", names);
    }
    out.element("td", reason);
  }
}

Trials trials_of(const run::TuneReport& tuned, const PageContext& context) {
  const std::size_t count = tuned.trials.size();
  Trials out = {.verb = "tune",
                .id = tuned.id,
                .headline = tune_headline(tuned),
                .below = {std::to_string(count) + (count == 1 ? " trial" : " trials"),
                          std::to_string(tuned.steps) + " steps each",
                          format_seconds(tuned.seconds), joined_words(context.command)}};
  if (count > 0 || tuned.final) out.places.push_back({"trials", "Trials"});
  if (!tuned.skipped.empty()) out.places.push_back({"skipped", "Not tried"});
  return out;
}

}  // namespace
}  // namespace html

std::string to_html(const run::TuneReport& tuned, const PageContext& context) {
  const auto figures = html::Json::parse(tune_to_json(tuned, context.plan_file), nullptr,
                                         /*allow_exceptions=*/false);
  return html::page_of(
      html::trials_shell(html::trials_of(tuned, context), context), [&](html::Markup& out) {
        const std::string use = context.plan_file.empty()
                                    ? ""
                                    : "flatout run --plan " +
                                          base::shown_shell_word(context.plan_file, true) + " -- " +
                                          html::joined_words(typed_command(context.command));
        html::answer_box(out, {.headline = html::tune_headline(tuned),
                               .lines = {html::tune_summary(tuned)},
                               .command = use,
                               .notes = html::tune_notes(tuned)});
        html::tune_tiles(out, tuned);
        html::trial_table(out, tuned);
        html::rate_chart(out, tuned);
        html::before_and_after(out, context);
        html::not_tried(out, tuned);
        html::add_figures(out, figures, "The tune as data, by the names of the JSON view");
      });
}

}  // namespace flatout::report
