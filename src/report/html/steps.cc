// Where a step's time goes: the table of phases and what lies outside.
#include <cmath>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"
#include "run/phase.h"

namespace flatout::report::html {
namespace {

std::string phase_words(run::Phase phase) {
  switch (phase) {
    case run::Phase::kDataWait:
      return "in the loader's next";
    case run::Phase::kH2d:
      return "copy to the device";
    case run::Phase::kForward:
      return "model and loss";
    case run::Phase::kBackward:
      return "gradients";
    case run::Phase::kOptimizer:
      return "weight update";
    case run::Phase::kComm:
      return "other ranks";
    case run::Phase::kSync:
      return "blocked on the device";
    case run::Phase::kCheckpoint:
      return "saving";
    default:
      return "all else: logging, Python";
  }
}

void phase_row(Page& page, run::Phase phase, double share) {
  const run::StepsReport& steps = *page.report.steps;
  const std::string name(run::phase_name(phase));
  const auto row = page.out.in("tr");
  {
    const auto cell = page.out.in("th", {{"scope", "row"}});
    page.out.text(name);
    page.out.element("small", phase_words(phase));
  }
  {
    const auto cell = page.out.in("td", {{"class", "wide"}});
    share_bar(page.out, phase_class(phase), share);
  }
  const auto step_ms = steps.mean_ms ? steps.mean_ms : steps.median_ms;
  {
    const auto cell = page.out.in("td", {{"class", "num"}});
    page.out.number(share, format_percent(share));
  }
  page.out.element("td", {{"class", "num"}}, step_ms ? format_ms(*step_ms * share) : "");
  const auto device = steps.phases_device.find(name);
  if (steps.phases_device.empty()) return;
  const auto cell = page.out.in("td", {{"class", "num"}});
  if (device != steps.phases_device.end()) {
    page.out.number(device->second, format_percent(device->second));
  }
}

void phase_rows(Page& page) {
  const auto body = page.out.in("tbody");
  for (std::size_t i = 1; i <= run::kPhaseCount; ++i) {
    const auto phase = static_cast<run::Phase>(i % run::kPhaseCount);  // `other` last
    const auto found = page.report.steps->phases.find(std::string(run::phase_name(phase)));
    if (found == page.report.steps->phases.end() || !std::isfinite(found->second)) continue;
    phase_row(page, phase, found->second);
  }
}

void phase_table(Page& page) {
  const run::StepsReport& steps = *page.report.steps;
  if (steps.phases.empty()) return;
  const std::string caption = "Share of steady step time by phase; the mean of " +
                              std::to_string(steps.steady_count) + " steps";
  if (steps.phases_device.empty()) {
    const Table table(page.out, caption, {"Phase", "", "Share", "Per step"}, "phases");
    phase_rows(page);
  } else {
    const Table table(page.out, caption + ". On device: share of the device's time",
                      {"Phase", "", "Share", "Per step", "On device"}, "phases");
    phase_rows(page);
  }
}

void step_figures(Page& page) {
  const run::StepsReport& steps = *page.report.steps;
  const auto list = page.out.in("dl", {{"class", "facts"}});
  const auto add = [&](std::string_view name, const std::optional<double>& value,
                       std::string_view unit) {
    if (value && std::isfinite(*value)) entry(page.out, name, *value, quantity(*value, unit));
  };
  entry(page.out, "steps", static_cast<double>(steps.count), std::to_string(steps.count));
  entry(page.out, "steady", static_cast<double>(steps.steady_count),
        std::to_string(steps.steady_count));
  add("median", steps.median_ms, "ms");
  add("p95", steps.p95_ms, "ms");
  add("mean", steps.mean_ms, "ms");
  add("samples a second", steps.samples_per_s, "");
  add("batch", steps.batch_size, "");
  add("start-up", steps.startup_s, "s");
  add("evaluation", steps.eval_s, "s");
  add("epoch gaps", steps.epoch_gap_s, "s");
}

}  // namespace

void add_steps(Page& page) {
  if (!page.report.steps) return;
  const auto part = section(page.out, "steps", "Where the steps' time goes");
  phase_table(page);
  step_figures(page);
  add_step_chart(page);
  add_close_up(page);
  add_step_lengths(page);
}

}  // namespace flatout::report::html
