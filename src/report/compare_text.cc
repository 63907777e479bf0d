#include "report/compare_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/joined.h"
#include "report/compare_words.h"
#include "report/kernel_names.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

constexpr int kKept = 0;  // nothing is left out of the page
constexpr std::size_t kShownFacts = 12;
constexpr std::size_t kFactColumns = 60;  // of one value
constexpr std::size_t kKeyColumns = 40;
constexpr double kSmallPhaseMs = 0.05;  // neither run spends more on it: not worth a line

std::string run_label(const run::ComparedRun& run, const Style& style) {
  const std::string id = shorten(cleaned(run.id, style), 12);
  return run.name.empty() ? id : id + " (" + shorten(cleaned(run.name, style), 16) + ")";
}

}  // namespace

std::string value_text(const run::Figure& figure, const std::optional<double>& value) {
  if (!value) return "-";
  if (figure.unit == "ms") return format_ms(*value);
  if (figure.unit == "s") return format_seconds(*value);
  if (figure.unit == "ratio") return format_percent(*value);
  if (figure.unit == "bytes") return format_bytes(*value);
  if (figure.unit == "samples/s") return format_number(*value) + " /s";
  if (figure.unit == "celsius") return format_number(*value) + " C";
  if (figure.unit == "count") return format_number(*value);
  return format_number(*value) + " " + figure.unit;
}

namespace {

std::string signed_number(double value, const char* unit) {
  char text[64];
  const double size = std::abs(value);
  std::snprintf(text, sizeof text, size < 9.95 ? "%+.1f %s" : "%+.0f %s", value, unit);
  return size < 0.05 ? std::string("same") : std::string(text);
}

}  // namespace

std::string change_text(const run::Figure& figure) {
  if (!figure.before || !figure.after) return "";
  if (!std::isfinite(*figure.before) || !std::isfinite(*figure.after)) return "";
  if (figure.unit == "ratio")
    return signed_number((*figure.after - *figure.before) * 100, "points");
  if (*figure.before == *figure.after) return "same";
  if (*figure.before == 0) return "";
  const double change = *figure.after / *figure.before - 1;
  if (std::abs(change) > 10) return "x" + format_number(change + 1);
  return signed_number(change * 100, "%");
}

std::string figure_label(std::string_view name) {
  std::string label(name);
  std::string prefix;
  if (label.starts_with("devices.")) {
    const std::size_t dot = label.find('.', 8);
    prefix = "GPU " + label.substr(8, dot - 8) + " ";
    label = dot == std::string::npos ? "" : label.substr(dot + 1);
  } else {
    label = label.substr(label.find_last_of('.') + 1);
  }
  for (const std::string_view unit : {"_ms", "_per_s", "_bytes", "_mhz", "_s", "_w", "_c"}) {
    if (label.ends_with(unit)) {
      label.resize(label.size() - unit.size());
      break;
    }
  }
  std::ranges::replace(label, '_', ' ');
  return prefix + label;
}

namespace {

// Label, two values and how they differ, in columns that a narrow page has less of. Where too few
// are left for a name, it has a line of its own.
void add_row(Page& page, std::string_view label, std::string_view before, std::string_view after,
             std::string_view change) {
  constexpr std::size_t kIndent = 2;
  constexpr std::size_t kNarrow = 72;
  constexpr std::size_t kChange = 14;
  constexpr std::size_t kWidestLabel = 30;
  constexpr std::size_t kNarrowestLabel = 12;
  const std::size_t value = page.columns() < kNarrow ? 11 : 14;
  const std::size_t rest = page.columns() - std::min(page.columns(), kIndent + 2 * value + 2);
  const std::size_t left = std::min(kWidestLabel, rest - std::min(rest, kChange));
  const std::size_t name = left < kNarrowestLabel ? 0 : left;
  const auto cell = [&](std::string_view text, std::size_t columns) {
    return shorten(cleaned(text, page.style()), columns - 1);
  };
  std::string line(kIndent, ' ');
  if (name > 0) {
    line += padded(cell(label, name), name);
  } else if (!label.empty()) {
    page.add({.rank = kKept, .lines = {line + cell(label, page.columns() - kIndent + 1)}});
  }
  line += padded_left(cell(before, value), value) + padded_left(cell(after, value), value) + "  ";
  line += cell(change, page.columns() - width_of(line) + 1);
  page.add({.rank = kKept, .lines = {line}});
}

void add_figures(const run::Contrast& contrast, Page& page) {
  for (const run::Figure& figure : contrast.figures) {
    add_row(page, figure_label(figure.name), value_text(figure, figure.before),
            value_text(figure, figure.after), change_text(figure));
  }
}

void add_phases(const run::Contrast& contrast, Page& page) {
  if (contrast.phases.empty()) return;
  page.add({.rank = kKept, .lines = {toned(Tone::kHeading, "Phases, mean of a step")}});
  for (const run::PhaseChange& phase : contrast.phases) {
    const double most = std::max(phase.before_ms.value_or(0), phase.after_ms.value_or(0));
    if (most < kSmallPhaseMs) continue;
    const run::Figure figure{phase.name, "ms", phase.before_ms, phase.after_ms};
    std::string change;
    if (phase.before_ms && phase.after_ms) {
      const double ms = *phase.after_ms - *phase.before_ms;
      change = ms == 0 ? "same" : (ms > 0 ? "+" : "-") + format_ms(std::abs(ms));
    }
    add_row(page, phase.name, value_text(figure, figure.before), value_text(figure, figure.after),
            change);
  }
}

// Rows of less than this, on both sides, are left to the JSON view.
constexpr double kSmallTraceMs = 0.01;

void add_time_row(Page& page, const std::string& name, const std::optional<double>& before,
                  const std::optional<double>& after) {
  if (std::max(before.value_or(0), after.value_or(0)) < kSmallTraceMs) return;
  const run::Figure figure{name, "ms", before, after};
  const double ms = after.value_or(0) - before.value_or(0);
  const std::string change = !before   ? "new"
                             : !after  ? "gone"
                             : ms == 0 ? "same"
                                       : (ms > 0 ? "+" : "-") + format_ms(std::abs(ms));
  add_row(page, name, value_text(figure, before), value_text(figure, after), change);
}

void add_trace_changes(const run::Contrast& contrast, Page& page) {
  constexpr std::size_t kKernelRows = 8;
  if (!contrast.trace) return;
  const run::TraceChanges& trace = *contrast.trace;
  const std::string per = trace.by_step ? ", of a step" : ", of a second";
  const auto heading = [&](const char* text) {
    page.add({.rank = kKept, .lines = {toned(Tone::kHeading, text + per)}});
  };
  if (!trace.idle.empty()) heading("GPU idle by cause");
  for (const run::TimeChange& change : trace.idle) {
    add_time_row(page, change.name, change.before_ms, change.after_ms);
  }
  if (!trace.classes.empty()) heading("Kernels by class");
  for (const run::TimeChange& change : trace.classes) {
    add_time_row(page, change.name, change.before_ms, change.after_ms);
  }
  if (!trace.kernels.empty()) heading("Kernels that differ most");
  std::vector<std::string_view> names;
  for (const run::KernelChange& change : trace.kernels) names.emplace_back(change.name);
  names.resize(std::min(kKernelRows, names.size()));
  const std::vector<std::string> shown = distinct_kernel_names(names);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    add_time_row(page, shown[i], trace.kernels[i].before_ms, trace.kernels[i].after_ms);
  }
}

std::string finding_text(const std::string& id, const std::string& cause,
                         const std::optional<double>& share) {
  std::string more = cause;
  if (share) more += (more.empty() ? "" : ", ") + format_percent(*share);
  return more.empty() ? id : id + " (" + more + ")";
}

void add_findings(const run::Contrast& contrast, Page& page) {
  for (const run::FindingChange& change : contrast.findings) {
    const std::string before =
        cleaned(finding_text(change.id, change.before_cause, change.before_share), page.style());
    const std::string after =
        cleaned(finding_text(change.id, change.after_cause, change.after_share), page.style());
    switch (change.presence) {
      case run::Presence::kWent:
        page.add_field(kKept, "Resolved", before);
        break;
      case run::Presence::kCame:
        page.add_field(kKept, "New", after);
        break;
      case run::Presence::kStayed:
        page.add_field(kKept, "Unchanged", before == after ? before : before + " -> " + after);
        break;
    }
  }
}

// JSON strings lose their quotes: a reader takes SGD for a string anyhow.
std::string fact_text(const std::string& literal, const Style& style) {
  if (literal.empty()) return "not stated";
  const bool quoted = literal.size() >= 2 && literal.front() == '"' && literal.back() == '"';
  const std::string text = quoted ? literal.substr(1, literal.size() - 2) : literal;
  return text.empty() ? "\"\"" : shorten(cleaned(text, style), kFactColumns);
}

void add_facts(const char* label, const std::vector<run::FactChange>& facts, Page& page) {
  const Style& style = page.style();
  std::string_view first = label;
  const std::size_t shown = std::min(facts.size(), kShownFacts);
  for (std::size_t i = 0; i < shown; ++i) {
    page.add_field(kKept, first,
                   shorten(cleaned(facts[i].key, style), kKeyColumns) + ": " +
                       fact_text(facts[i].before, style) + " -> " +
                       fact_text(facts[i].after, style));
    first = "";
  }
  if (facts.size() > shown) {
    page.add_field(kKept, "",
                   "and " + std::to_string(facts.size() - shown) + " more: --format json");
  }
}

}  // namespace

bool of_other_models(const run::Contrast& contrast) {
  return std::ranges::find(contrast.cautions, "other_model", &run::Caution::id) !=
         contrast.cautions.end();
}

bool differs_by_clock(const run::Contrast& contrast) {
  return contrast.speedup && contrast.by_clock &&
         (contrast.speedup->ratio > 1) != (*contrast.by_clock > 1);
}

std::string speedup_line(const run::Contrast& contrast) {
  if (!contrast.speedup) return "no speedup is known: " + contrast.no_speedup;
  const run::Speedup& speedup = *contrast.speedup;
  char text[128];
  // A loss of speed is said as people say it: 4.2x slower, not x0.236.
  const bool slower = speedup.ratio < 1 && speedup.lo > 0;
  if (slower) {
    std::snprintf(text, sizeof text, "%.3gx slower [%.3g, %.3g]", 1 / speedup.ratio, 1 / speedup.hi,
                  1 / speedup.lo);
  } else {
    std::snprintf(text, sizeof text, "x%.3g [%.3g, %.3g]", speedup.ratio, speedup.lo, speedup.hi);
  }
  std::string line = text;
  if (contrast.of_samples) line += " in samples/s";
  if (contrast.loaded) line += " on a busy machine";
  if (!contrast.shown) return line + ": no difference shown";
  if (of_other_models(contrast)) return line + ": another model";
  if (differs_by_clock(contrast)) {
    return line +
           (speedup.ratio > 1 ? ": FASTER STEPS, SLOWER LOOP" : ": SLOWER STEPS, FASTER LOOP");
  }
  return line + (speedup.ratio > 1 ? ": FASTER" : ": SLOWER");
}

namespace {

Tone tone_of(const run::Contrast& contrast) {
  if (!contrast.speedup || !contrast.shown || of_other_models(contrast)) return Tone::kHeading;
  if (differs_by_clock(contrast)) return Tone::kCaution;
  return contrast.speedup->ratio > 1 ? Tone::kGain : Tone::kLoss;
}

std::string steps_text(const run::ComparedRun& baseline, const run::ComparedRun& run) {
  return "steady steps: " + std::to_string(baseline.steady_steps) + " and " +
         std::to_string(run.steady_steps);
}

std::string verdict_text(const run::Verdict& verdict) {
  if (verdict.finding.empty()) return "none";
  return finding_text(headline(verdict.finding), std::string(run::cause_name(verdict.cause)),
                      std::nullopt);
}

void add_contrast(const run::ComparedRun& baseline, const run::Contrast& contrast, Page& page) {
  const Style& style = page.style();
  page.add_blank();
  page.add_field(kKept, "Speedup",
                 run_label(contrast.run, style) + " " +
                     toned(tone_of(contrast), cleaned(speedup_line(contrast), style)));
  if (contrast.speedup) {
    page.add_field(kKept, "",
                   steps_text(baseline, contrast.run) + ", in blocks of " +
                       std::to_string(contrast.block_steps));
  }
  for (const run::Caution& caution : contrast.cautions) {
    page.add_field(kKept, "Warning", toned(Tone::kCaution, cleaned(caution.text, style)));
  }
  const std::string verdicts =
      verdict_text(baseline.verdict) + " -> " + verdict_text(contrast.run.verdict);
  page.add_field(kKept, "Verdict", cleaned(verdicts, style));
  add_findings(contrast, page);
  page.add_blank();
  add_row(page, "", baseline.id, contrast.run.id, "change");
  add_figures(contrast, page);
  add_phases(contrast, page);
  add_trace_changes(contrast, page);
  if (contrast.config.empty()) {
    page.add_field(kKept, "Settings", "none that was seen differs");
  } else {
    add_facts("Settings", contrast.config, page);
  }
  add_facts("Machine", contrast.environment, page);
}

}  // namespace

std::string to_text(const run::Comparison& comparison, const Style& style) {
  Page page(style, Page::kWideLabels);
  const std::string title = toned(Tone::kHeading, "flatout compare:") + " baseline ";
  page.add({.rank = kKept,
            .lines = wrap("", title + run_label(comparison.baseline, style), page.columns())});
  page.add({.rank = kKept,
            .lines = wrap("",
                          "Speedup: ratio of the mean steady step times. Its 95 % interval is a "
                          "moving-block bootstrap of both runs' steps: it covers variation within "
                          "the runs, not between them. An interval that spans 1 shows no "
                          "difference.",
                          page.columns())});
  if (!comparison.rules_off.empty()) {
    const std::string off = base::joined(comparison.rules_off, ", ");
    page.add_field(kKept, "Off", cleaned(off, style) + " (--rules-off)");
  }
  for (const run::Contrast& contrast : comparison.others) {
    add_contrast(comparison.baseline, contrast, page);
  }
  return page.text(std::numeric_limits<std::size_t>::max());
}

}  // namespace flatout::report
