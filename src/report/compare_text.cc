#include "report/compare_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include "report/compare_words.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/text.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

constexpr std::size_t kShownFacts = 12;
constexpr std::size_t kFactColumns = 24;  // of one value
constexpr double kSmallPhaseMs = 0.05;    // neither run spends more on it: not worth a line

class ComparePage {
 public:
  void add(std::string_view line) {
    std::string shown = to_ascii(line).substr(0, kTextColumns);
    shown.erase(shown.find_last_not_of(' ') + 1);
    text_ += shown + "\n";
  }
  void field(std::string_view label, std::string_view text, std::size_t most = 4) {
    std::string padded(label);
    padded.resize(10, ' ');
    for (const std::string& line : wrap(padded, to_ascii(text), kTextColumns, most)) add(line);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string run_label(const run::ComparedRun& run) {
  const std::string id = shorten(to_ascii(run.id), 12);
  return run.name.empty() ? id : id + " (" + shorten(to_ascii(run.name), 16) + ")";
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

void add_row(ComparePage& page, const std::string& label, const std::string& before,
             const std::string& after, const std::string& change) {
  char line[256];
  std::snprintf(line, sizeof line, "  %-24s%14s%14s  %s", shorten(label, 23).c_str(),
                shorten(before, 13).c_str(), shorten(after, 13).c_str(), change.c_str());
  page.add(line);
}

void add_figures(const run::Contrast& contrast, ComparePage& page) {
  for (const run::Figure& figure : contrast.figures) {
    add_row(page, figure_label(figure.name), value_text(figure, figure.before),
            value_text(figure, figure.after), change_text(figure));
  }
}

void add_phases(const run::Contrast& contrast, ComparePage& page) {
  if (contrast.phases.empty()) return;
  page.add("Phases, mean of a step");
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

std::string finding_text(const std::string& id, const std::string& cause,
                         const std::optional<double>& share) {
  std::string more = cause;
  if (share) more += (more.empty() ? "" : ", ") + format_percent(*share);
  return more.empty() ? id : id + " (" + more + ")";
}

void add_findings(const run::Contrast& contrast, ComparePage& page) {
  for (const run::FindingChange& change : contrast.findings) {
    const std::string before = finding_text(change.id, change.before_cause, change.before_share);
    const std::string after = finding_text(change.id, change.after_cause, change.after_share);
    switch (change.presence) {
      case run::Presence::kWent:
        page.field("Resolved", before);
        break;
      case run::Presence::kCame:
        page.field("New", after);
        break;
      case run::Presence::kStayed:
        page.field("Unchanged", before == after ? before : before + " -> " + after);
        break;
    }
  }
}

// JSON strings lose their quotes: a reader takes SGD for a string anyhow.
std::string fact_text(const std::string& literal) {
  if (literal.empty()) return "not stated";
  const bool quoted = literal.size() >= 2 && literal.front() == '"' && literal.back() == '"';
  const std::string text = quoted ? literal.substr(1, literal.size() - 2) : literal;
  return text.empty() ? "\"\"" : shorten(to_ascii(text), kFactColumns);
}

void add_facts(const char* label, const std::vector<run::FactChange>& facts, ComparePage& page) {
  std::string_view first = label;
  const std::size_t shown = std::min(facts.size(), kShownFacts);
  for (std::size_t i = 0; i < shown; ++i) {
    page.field(first, shorten(to_ascii(facts[i].key), 30) + ": " + fact_text(facts[i].before) +
                          " -> " + fact_text(facts[i].after));
    first = "";
  }
  if (facts.size() > shown) {
    page.field("", "and " + std::to_string(facts.size() - shown) + " more: --format json");
  }
}

}  // namespace

std::string speedup_line(const run::Contrast& contrast) {
  if (!contrast.speedup) return "no speedup is known: " + contrast.no_speedup;
  const run::Speedup& speedup = *contrast.speedup;
  char text[128];
  // A loss of speed is said as people say it: 4.2x slower, not x0.236.
  const bool slower = contrast.shown && speedup.ratio < 1 && speedup.lo > 0;
  if (slower) {
    std::snprintf(text, sizeof text, "%.3gx slower [%.3g, %.3g]", 1 / speedup.ratio, 1 / speedup.hi,
                  1 / speedup.lo);
  } else {
    std::snprintf(text, sizeof text, "x%.3g [%.3g, %.3g]", speedup.ratio, speedup.lo, speedup.hi);
  }
  std::string line = text;
  if (contrast.of_samples) line += " in samples/s";
  if (!contrast.shown) return line + ": no difference shown";
  return line + (speedup.ratio > 1 ? ": FASTER" : ": SLOWER");
}

namespace {

std::string steps_text(const run::ComparedRun& baseline, const run::ComparedRun& run) {
  return "steady steps: " + std::to_string(baseline.steady_steps) + " and " +
         std::to_string(run.steady_steps);
}

std::string verdict_text(const run::Verdict& verdict) {
  if (verdict.finding.empty()) return "none";
  return finding_text(headline(verdict.finding), std::string(run::cause_name(verdict.cause)),
                      std::nullopt);
}

void add_contrast(const run::ComparedRun& baseline, const run::Contrast& contrast,
                  ComparePage& page) {
  page.add("");
  page.field("Speedup", run_label(contrast.run) + " " + speedup_line(contrast));
  if (contrast.speedup) {
    page.field("", steps_text(baseline, contrast.run) + ", in blocks of " +
                       std::to_string(contrast.block_steps));
  }
  for (const run::Caution& caution : contrast.cautions) page.field("Warning", caution.text);
  page.field("Verdict",
             verdict_text(baseline.verdict) + " -> " + verdict_text(contrast.run.verdict));
  add_findings(contrast, page);
  page.add("");
  add_row(page, "", shorten(to_ascii(baseline.id), 13), shorten(to_ascii(contrast.run.id), 13),
          "change");
  add_figures(contrast, page);
  add_phases(contrast, page);
  if (contrast.config.empty()) {
    page.field("Settings", "none that was seen differs");
  } else {
    add_facts("Settings", contrast.config, page);
  }
  add_facts("Machine", contrast.environment, page);
}

}  // namespace

std::string to_text(const run::Comparison& comparison) {
  ComparePage page;
  page.add("flatout compare: baseline " + run_label(comparison.baseline));
  for (const std::string& line :
       wrap("",
            "Speedup: ratio of the mean steady step times. Its 95 % interval is a "
            "moving-block bootstrap of both runs' steps: it covers variation within "
            "the runs, not between them. An interval that spans 1 shows no difference.",
            kTextColumns, 4)) {
    page.add(line);
  }
  if (!comparison.rules_off.empty()) {
    std::string off;
    for (const std::string& id : comparison.rules_off) off += (off.empty() ? "" : ", ") + id;
    page.field("Off", off + " (--rules-off)");
  }
  for (const run::Contrast& contrast : comparison.others) {
    add_contrast(comparison.baseline, contrast, page);
  }
  return page.take();
}

}  // namespace flatout::report
