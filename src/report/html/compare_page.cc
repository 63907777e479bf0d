// The page of a comparison: each run beside the baseline.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "report/compare_json.h"
#include "report/compare_words.h"
#include "report/html/html.h"
#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/html/shell.h"
#include "report/kernel_names.h"
#include "report/quantity.h"
#include "report/text_parts.h"
#include "report/timestamp.h"

namespace flatout::report {
namespace html {
namespace {

// One run beside the baseline, and what is drawn of both; null where nobody gave it.
struct Side {
  Markup& out;
  const run::ComparedRun& baseline;
  const run::Contrast& contrast;
  const run::Charts* before = nullptr;
  const run::Charts* after = nullptr;
  std::string suffix;  // of ids, where there are several
};

std::string run_words(const run::ComparedRun& run) {
  return run.name.empty() ? run.id : run.id + " (" + run.name + ")";
}

std::string verdict_words(const run::Verdict& verdict) {
  if (verdict.finding.empty()) return "none";
  const std::string cause(run::cause_name(verdict.cause));
  return headline(verdict.finding) + (cause.empty() ? "" : " (" + cause + ")");
}

const run::Figure* figure_of(const run::Contrast& contrast, std::string_view name) {
  const auto found = std::ranges::find(contrast.figures, name, &run::Figure::name);
  return found == contrast.figures.end() ? nullptr : &*found;
}

std::string outcome_words(const run::Contrast& contrast) {
  if (!contrast.speedup) return "No speedup is known";
  if (!contrast.shown) return "No difference shown";
  if (of_other_models(contrast)) return "Another model";
  const bool faster = contrast.speedup->ratio > 1;
  if (differs_by_clock(contrast)) {
    return faster ? "Faster steps, slower loop" : "Slower steps, faster loop";
  }
  return faster ? "Faster" : "Slower";
}

void add_tiles_of(const Side& side) {
  const auto list = side.out.in("dl", {{"class", "tiles"}});
  gain_tile(side.out, "speed over the baseline", side.contrast.speedup);
  for (const auto& [name, words] : {std::pair{"steps.median_ms", "step, median"},
                                    {"steps.samples_per_s", "samples a second"},
                                    {"steps.device_busy", "device busy"}}) {
    const run::Figure* figure = figure_of(side.contrast, name);
    if (figure == nullptr || !figure->after || !std::isfinite(*figure->after)) continue;
    tile(side.out, words, *figure->after, value_text(*figure, figure->after),
         "before: " + value_text(*figure, figure->before));
  }
}

void add_outcome(const Side& side) {
  const run::Contrast& contrast = side.contrast;
  {
    const auto box = side.out.in("div", {{"class", "verdict"}});
    side.out.element("h2", {{"id", "outcome" + side.suffix + "-h"}}, outcome_words(contrast));
    side.out.element("p", {{"class", "summary as-is"}},
                     run_words(contrast.run) + " " + speedup_line(contrast));
    side.out.element("p", "Verdict: " + verdict_words(side.baseline.verdict) + " \xe2\x86\x92 " +
                              verdict_words(contrast.run.verdict));
    if (contrast.speedup) {
      side.out.element("p", "Steady steps: " + std::to_string(side.baseline.steady_steps) +
                                " and " + std::to_string(contrast.run.steady_steps) +
                                ", in blocks of " + std::to_string(contrast.block_steps));
    }
  }
  for (const run::Caution& caution : contrast.cautions) {
    side.out.element("p", {{"class", "note"}}, "Warning: " + caution.text);
  }
  add_tiles_of(side);
}

void run_header_cells(const Side& side) {
  for (const auto& [css, run] :
       {std::pair{"run-a", &side.baseline}, {"run-b", &side.contrast.run}}) {
    const auto cell = side.out.in("th", {{"scope", "col"}, {"class", "num"}});
    colour_key(side.out, css);
    side.out.text(" " + run_words(*run));
  }
}

void figure_cell(Markup& out, const run::Figure& figure, const std::optional<double>& value) {
  const auto cell = out.in("td", {{"class", "num"}});
  if (value && std::isfinite(*value)) {
    out.number(*value, value_text(figure, value));
  } else {
    out.text("not measured");
  }
}

void figure_row(Markup& out, const std::string& name, const run::Figure& figure) {
  const auto row = out.in("tr");
  out.element("th", {{"scope", "row"}}, name);
  figure_cell(out, figure, figure.before);
  figure_cell(out, figure, figure.after);
  out.element("td", {{"class", "num"}}, change_text(figure));
}

// Two bars on one scale: the baseline above the other.
void phase_bars(Markup& out, const run::PhaseChange& phase, double most) {
  const auto svg = out.in(
      "svg", {{"class", "share"}, {"width", "100%"}, {"height", "20"}, {"aria-hidden", "true"}});
  const auto bar = [&](const std::optional<double>& ms, const char* y, const char* edge) {
    if (!ms || !std::isfinite(*ms) || !(most > 0)) return;
    const std::string width = exact(std::clamp(*ms / most, 0.0, 1.0) * 97) + "%";
    out.empty("rect",
              {{"class", phase_class(phase.name)}, {"y", y}, {"height", "8"}, {"width", width}});
    out.empty("rect", {{"class", edge}, {"x", width}, {"y", y}, {"height", "8"}, {"width", "3"}});
  };
  bar(phase.before_ms, "1", "run-a");
  bar(phase.after_ms, "11", "run-b");
}

void add_phases_of(const Side& side) {
  if (side.contrast.phases.empty()) return;
  double most = 0;
  for (const run::PhaseChange& phase : side.contrast.phases) {
    for (const auto& ms : {phase.before_ms, phase.after_ms}) {
      if (ms && std::isfinite(*ms)) most = std::max(most, *ms);
    }
  }
  side.out.element("h3", "Phases");
  const Table table(side.out,
                    "Mean of a steady step; the upper bar is the baseline, the end of a bar has "
                    "the colour of its run",
                    {"Phase", "", "Baseline", "This run", "Change"}, "phases");
  const auto body = side.out.in("tbody");
  for (const run::PhaseChange& phase : side.contrast.phases) {
    const run::Figure figure{phase.name, "ms", phase.before_ms, phase.after_ms};
    const auto row = side.out.in("tr");
    side.out.element("th", {{"scope", "row"}}, phase.name);
    {
      const auto cell = side.out.in("td", {{"class", "wide"}});
      phase_bars(side.out, phase, most);
    }
    figure_cell(side.out, figure, figure.before);
    figure_cell(side.out, figure, figure.after);
    side.out.element("td", {{"class", "num"}}, change_text(figure));
  }
}

std::string presence_words(const std::optional<double>& before, const std::optional<double>& after,
                           const run::Figure& figure) {
  return !before ? "New" : !after ? "Gone" : change_text(figure);
}

void time_row(Markup& out, const std::string& name, const std::optional<double>& before,
              const std::optional<double>& after) {
  const run::Figure figure{name, "ms", before, after};
  const auto row = out.in("tr");
  out.element("th", {{"scope", "row"}}, name);
  figure_cell(out, figure, before);
  figure_cell(out, figure, after);
  out.element("td", {{"class", "num"}}, presence_words(before, after, figure));
}

void add_trace_of(const Side& side) {
  if (!side.contrast.trace) return;
  const run::TraceChanges& trace = *side.contrast.trace;
  const std::string per = trace.by_step ? ", time of a step" : ", time of a second";
  side.out.element("h3", "The device");
  const auto times = [&](const char* what, const std::vector<run::TimeChange>& changes) {
    if (changes.empty()) return;
    const Table table(side.out, what + per, {"", "Baseline", "This run", "Change"}, "stages");
    const auto body = side.out.in("tbody");
    for (const run::TimeChange& change : changes) {
      time_row(side.out, change.name, change.before_ms, change.after_ms);
    }
  };
  times("Why it idled", trace.idle);
  times("Kernels by class", trace.classes);
  if (trace.kernels.empty()) return;
  const Table table(side.out, "Kernels that differ most" + per,
                    {"", "Baseline", "This run", "Change"}, "kernels");
  const auto body = side.out.in("tbody");
  std::vector<std::string_view> names;
  for (const run::KernelChange& change : trace.kernels) names.emplace_back(change.name);
  const std::vector<std::string> shown = distinct_kernel_names(names);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    time_row(side.out, shown[i], trace.kernels[i].before_ms, trace.kernels[i].after_ms);
  }
}

void add_lengths(const Side& side) {
  LengthAxis axis;
  for (const run::Charts* charts : {side.before, side.after}) {
    if (charts != nullptr) axis.include(charts->step_lengths);
  }
  if (!axis.drawable()) return;
  const run::Figure* median = figure_of(side.contrast, "steps.median_ms");
  const auto median_of = [&](std::optional<double> run::Figure::* value) {
    return median == nullptr ? std::nullopt : median->*value;
  };
  const auto figure = side.out.in("figure");
  side.out.element("h3", "Length of the steady steps");
  if (side.before != nullptr) {
    lengths_plot(side.out, axis,
                 {.lengths = side.before->step_lengths,
                  .css_class = "run-a",
                  .run = run_words(side.baseline),
                  .x_title = side.after == nullptr,
                  .marks = {{"median", median_of(&run::Figure::before)}}});
  }
  if (side.after != nullptr) {
    lengths_plot(side.out, axis,
                 {.lengths = side.after->step_lengths,
                  .css_class = "run-b",
                  .run = run_words(side.contrast.run),
                  .marks = {{"median", median_of(&run::Figure::after)}}});
  }
  side.out.element("figcaption",
                   "Both on the same axis of time. The last bar of each also holds its slowest "
                   "steps.");
}

void add_step_charts(const Side& side) {
  if (side.before != nullptr) {
    step_chart(side.out, *side.before, "Steps of the baseline, " + run_words(side.baseline), false);
  }
  if (side.after != nullptr) {
    step_chart(side.out, *side.after, "Steps of " + run_words(side.contrast.run), false);
  }
}

std::string share_words(const std::string& cause, const std::optional<double>& share) {
  std::string text = cause;
  if (share && std::isfinite(*share)) text += (text.empty() ? "" : ", ") + format_percent(*share);
  return text.empty() ? "there" : text;
}

void add_findings_of(const Side& side) {
  if (side.contrast.findings.empty()) return;
  side.out.element("h3", "Findings");
  const Table table(side.out, "What came, went and stayed", {"Finding", "", "Baseline", "This run"},
                    "cards");
  const auto body = side.out.in("tbody");
  for (const run::FindingChange& change : side.contrast.findings) {
    const bool came = change.presence == run::Presence::kCame;
    const bool went = change.presence == run::Presence::kWent;
    const auto row = side.out.in("tr");
    side.out.element("th", {{"scope", "row"}}, change.id);
    side.out.element("td", came ? "New" : went ? "Resolved" : "Unchanged");
    side.out.element("td", {{"data-label", "baseline"}},
                     came ? "" : share_words(change.before_cause, change.before_share));
    side.out.element("td", {{"data-label", "this run"}},
                     went ? "" : share_words(change.after_cause, change.after_share));
  }
}

void fact_cell(Markup& out, std::string_view label, const std::string& literal) {
  const auto cell = out.in("td", {{"data-label", std::string(label)}});
  if (literal.empty()) {
    out.element("span", {{"class", "figure"}}, "not stated");
  } else {
    out.element("code", literal);
  }
}

void add_facts_of(const Side& side, std::string_view heading,
                  const std::vector<run::FactChange>& facts) {
  if (facts.empty()) return;
  side.out.element("h3", heading);
  const Table table(side.out, "Only what differs", {"Name", "Baseline", "This run"}, "cards");
  const auto body = side.out.in("tbody");
  for (const run::FactChange& fact : facts) {
    const auto row = side.out.in("tr");
    side.out.element("th", {{"scope", "row"}}, fact.key);
    fact_cell(side.out, "baseline", fact.before);
    fact_cell(side.out, "this run", fact.after);
  }
}

void add_figures_of(const Side& side) {
  if (side.contrast.figures.empty()) return;
  side.out.element("h3", "Figures");
  Markup& out = side.out;
  const auto scroll = out.in("div", {{"class", "scroll"},
                                     {"tabindex", "0"},
                                     {"role", "region"},
                                     {"aria-label", "Figures of both runs"}});
  const auto table = out.in("table");
  out.element("caption", "Of the steady steps where it has to do with steps");
  {
    const auto head = out.in("thead");
    const auto row = out.in("tr");
    out.element("th", {{"scope", "col"}}, "Figure");
    run_header_cells(side);
    out.element("th", {{"scope", "col"}, {"class", "num"}}, "Change");
  }
  const auto body = out.in("tbody");
  for (const run::Figure& figure : side.contrast.figures) {
    figure_row(out, figure_label(figure.name), figure);
  }
}

void add_side(const Side& side) {
  side.out.line();
  const std::string id = "outcome" + side.suffix;
  const auto part = side.out.in("section", {{"id", id}, {"aria-labelledby", id + "-h"}});
  add_outcome(side);
  add_phases_of(side);
  add_trace_of(side);
  add_lengths(side);
  add_figures_of(side);
  add_findings_of(side);
  add_facts_of(side, "Settings", side.contrast.config);
  add_facts_of(side, "Machine", side.contrast.environment);
  add_step_charts(side);
}

std::string suffix_of(const run::Comparison& comparison, std::size_t i) {
  return comparison.others.size() == 1 ? "" : "-" + std::to_string(i + 1);
}

Shell shell_of(const run::Comparison& comparison) {
  std::vector<Place> places;
  std::string names;
  for (std::size_t i = 0; i < comparison.others.size(); ++i) {
    const run::ComparedRun& run = comparison.others[i].run;
    names += (i == 0 ? "" : ", ") + run_words(run);
    places.push_back({"outcome" + suffix_of(comparison, i), run_words(run)});
  }
  places.push_back({"figures", "Every figure"});
  const std::string heading = run_words(comparison.baseline) + " against " + names;
  return {.title = heading + " (flatout compare)",
          .version = "",
          .brand = "flatout compare",
          .heading = heading,
          .below = {"baseline " + run_words(comparison.baseline), comparison.baseline.host,
                    rfc3339(comparison.baseline.started_wall_ns).value_or("")},
          .places = std::move(places)};
}

void add_method(Markup& out) {
  out.element("p", {{"class", "note"}},
              "Speed is the ratio of the mean steady step times. Its 95 % interval is a "
              "moving-block bootstrap of both runs' steps: it covers variation within the runs, "
              "not between them. An interval that spans 1 shows no difference.");
}

}  // namespace
}  // namespace html

std::string to_html(const run::Comparison& comparison, std::span<const run::Charts> charts) {
  const auto figures = html::Json::parse(to_json(comparison), nullptr, /*allow_exceptions=*/false);
  const auto charts_of = [&](std::size_t i) { return i < charts.size() ? &charts[i] : nullptr; };
  return html::page_of(html::shell_of(comparison), [&](html::Markup& out) {
    for (std::size_t i = 0; i < comparison.others.size(); ++i) {
      html::add_side({.out = out,
                      .baseline = comparison.baseline,
                      .contrast = comparison.others[i],
                      .before = charts_of(0),
                      .after = charts_of(i + 1),
                      .suffix = html::suffix_of(comparison, i)});
    }
    html::add_method(out);
    html::add_figures(out, figures, "The comparison as data, by the names of the JSON view");
  });
}

}  // namespace flatout::report
