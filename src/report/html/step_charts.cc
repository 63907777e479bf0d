// The steps as pictures: over the run, and from near.
#include <algorithm>
#include <cmath>
#include <map>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"

namespace flatout::report::html {
namespace {

using run::Phase;

struct Kind {
  std::string_view id, words;
};
// Start-up is what lies before the first bar; it needs no mark.
constexpr Kind kKinds[] = {
    {"eval", "evaluation"}, {"epoch_gap", "epoch gap"}, {"checkpoint", "checkpoint"}};

// Bottom of a stack first: what computes, then what waits on top of it.
std::vector<Phase> stacking_order() {
  return {Phase::kForward, Phase::kBackward, Phase::kOptimizer, Phase::kOther,   Phase::kCheckpoint,
          Phase::kComm,    Phase::kSync,     Phase::kH2d,       Phase::kDataWait};
}

double phase_ms(const run::StepBar& bar, Phase phase) {
  for (const auto& [of, ms] : bar.phases_ms) {
    if (of == phase) return ms;
  }
  return 0;
}

// A few very long steps must not flatten all others.
double axis_top(const std::vector<run::StepBar>& bars) {
  std::vector<double> means;
  for (const run::StepBar& bar : bars) means.push_back(bar.mean_ms);
  std::ranges::sort(means);
  const double p90 = means[(means.size() - 1) * 9 / 10];
  return nice_ceiling(std::min(means.back(), p90 * 2));
}

std::vector<Kind> kinds_in(const std::vector<run::Mark>& marks) {
  std::vector<Kind> out;
  for (const Kind& kind : kKinds) {
    const bool there =
        std::ranges::any_of(marks, [&kind](const run::Mark& mark) { return mark.kind == kind.id; });
    if (there) out.push_back(kind);
  }
  return out;
}

std::vector<Phase> phases_in(const std::vector<run::StepBar>& bars) {
  std::vector<Phase> out;
  for (const Phase phase : stacking_order()) {
    const bool there = std::ranges::any_of(
        bars, [phase](const run::StepBar& bar) { return phase_ms(bar, phase) > 0; });
    if (there) out.push_back(phase);
  }
  return out;
}

void draw_stacks(Plot& plot, const std::vector<run::StepBar>& bars,
                 const std::vector<Phase>& phases) {
  const auto layer = plot.layer();
  std::vector<double> base(bars.size(), 0);
  for (const Phase phase : phases) {
    std::vector<Plot::Box> boxes;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const double ms = phase_ms(bars[i], phase);
      if (ms > 0) boxes.push_back({bars[i].start_s, bars[i].end_s, base[i], base[i] + ms});
      base[i] += ms;
    }
    plot.boxes(phase_class(phase), run::phase_name(phase), boxes);
  }
}

std::string mark_sum(const std::vector<run::Mark>& marks, std::string_view kind) {
  int count = 0;
  double busy = 0;
  for (const run::Mark& mark : marks) {
    if (mark.kind != kind) continue;
    count += mark.count;
    busy += mark.busy_s;
  }
  return (count > 1 ? std::to_string(count) + ", " : "") + format_seconds(busy);
}

std::string taller_words(const std::vector<run::StepBar>& bars, double top) {
  int taller = 0;
  double most = 0;
  for (const run::StepBar& bar : bars) {
    if (bar.mean_ms <= top) continue;
    ++taller;
    most = std::max(most, bar.mean_ms);
  }
  if (taller == 0) return "";
  return " " + std::to_string(taller) + (taller == 1 ? " bar goes" : " bars go") +
         " beyond the axis, up to " + format_ms(most) + ".";
}

void step_legend(Markup& out, const std::vector<run::Mark>& marks, const std::vector<Phase>& phases,
                 const std::vector<Kind>& kinds) {
  std::vector<LegendItem> items;
  for (std::size_t i = phases.size(); i-- > 0;) {  // as in the picture, from the top
    items.push_back({phase_class(phases[i]), std::string(run::phase_name(phases[i]))});
  }
  for (const Kind& kind : kinds) {
    items.push_back(
        {"mark m-" + std::string(kind.id), std::string(kind.words), mark_sum(marks, kind.id)});
  }
  legend(out, items);
}

void draw_marks(Plot& plot, const std::vector<run::Mark>& marks, const std::vector<Kind>& kinds) {
  for (std::size_t row = 0; row < kinds.size(); ++row) {
    for (const run::Mark& mark : marks) {
      if (mark.kind != kinds[row].id) continue;
      plot.strip_mark(static_cast<int>(row), "m-" + mark.kind, mark.start_s, mark.end_s);
    }
    plot.strip_label(static_cast<int>(row), kinds[row].words);
  }
}

// A bar reaches from the begin of its first step to the end of its last: an evaluation or an epoch
// gap between them is no step time and is cut out. Marks that stand for several are not: steps lie
// between them.
void cut_out_intervals(Plot& plot, const std::vector<run::Mark>& marks) {
  for (const run::Mark& mark : marks) {
    const bool no_step_time = mark.kind == "eval" || mark.kind == "epoch_gap";
    if (no_step_time && mark.count == 1) plot.band("hole", mark.start_s, mark.end_s);
  }
}

}  // namespace

void step_chart(Markup& out, const run::Charts& charts, std::string_view heading, bool timed) {
  const auto& bars = charts.steps;
  if (bars.empty() || !drawable(charts)) return;
  const double top = axis_top(bars);
  const auto phases = phases_in(bars);
  const auto kinds = kinds_in(charts.marks);
  int most_steps = 1;
  for (const run::StepBar& bar : bars) most_steps = std::max(most_steps, bar.steps);
  const auto figure = out.in("figure");
  out.element("h3", heading);
  step_legend(out, charts.marks, phases, kinds);
  {
    Plot plot(out, {.title = std::string(heading) + ": time of a step by phase",
                    .description = std::to_string(bars.size()) +
                                   " stacked bars; the table of phases above has the means.",
                    .x0 = 0,
                    .x1 = charts.duration_s,
                    .y0 = 0,
                    .y1 = top,
                    .height = 200,
                    .y_unit = "ms",
                    .x_title = std::string(kRunTime),
                    .y_title = "time of a step",
                    .strips = static_cast<int>(kinds.size()),
                    .timed = timed,
                    .steps = step_map(bars, charts.duration_s)});
    draw_stacks(plot, bars, phases);
    cut_out_intervals(plot, charts.marks);
    if (bars.front().warm_up) {
      double end = 0;
      for (const run::StepBar& bar : bars) {
        if (bar.warm_up) end = std::max(end, bar.end_s);
      }
      plot.band("warm", bars.front().start_s, end, "warm-up");
    }
    plot.axes();
    draw_marks(plot, charts.marks, kinds);
  }
  out.element("figcaption",
              (most_steps > 1 ? "A bar is the mean of up to " + std::to_string(most_steps) +
                                    " steps, as wide as they took."
                              : std::string("A bar is a step, as wide as it took.")) +
                  " Striped phases keep the device waiting, solid ones do not." +
                  taller_words(bars, top));
}

void add_step_chart(Page& page) { step_chart(page.out, page.charts, "Steps over the run", true); }

namespace {

// Where the rows of the close-up lie, in units of its axis.
constexpr double kPhaseTop = 3, kBusyBase = 4.4, kBusyTop = 8;

const run::Utilization* resolved(const run::Report& report) {
  for (const run::DeviceReport& device : report.devices) {
    if (device.utilization && device.utilization->period_ms && !device.utilization->pattern.empty())
      return &*device.utilization;
  }
  return nullptr;
}

bool host_is_device(const run::Report& report) {
  return report.devices.size() == 1 && report.devices[0].kind == "cpu";
}

void draw_phases(Plot& plot, const run::CloseUp& close_up) {
  std::map<Phase, std::vector<Plot::Box>> boxes;
  for (const auto& span : close_up.spans) {
    boxes[span.phase].push_back({(span.start_s - close_up.start_s) * 1000,
                                 (span.end_s - close_up.start_s) * 1000, 0, kPhaseTop});
  }
  for (const auto& [phase, of] : boxes) plot.boxes(phase_class(phase), run::phase_name(phase), of);
}

void draw_busy_spans(Plot& plot, const run::CloseUp& close_up) {
  std::vector<Plot::Box> busy;
  for (const auto& span : close_up.spans) {
    if (!phase_computes(span.phase)) continue;
    busy.push_back({(span.start_s - close_up.start_s) * 1000,
                    (span.end_s - close_up.start_s) * 1000, kBusyBase, kBusyTop});
  }
  plot.boxes("busy", "device busy", busy);
}

void draw_busy_series(Plot& plot, const run::CloseUp& close_up) {
  int number = 0;
  for (const run::Chart& chart : close_up.series) {
    std::vector<run::ChartPoint> points;
    for (run::ChartPoint point : chart.points) {
      point.t_s = (point.t_s - close_up.start_s) * 1000;
      point.mean = kBusyBase + (kBusyTop - kBusyBase) * point.mean;
      points.push_back(point);
    }
    plot.line("l" + std::to_string(number++), "", points);
  }
}

std::string period_words(const run::Utilization& use) {
  std::string text = "One period of the " + use.pattern + ": " + format_ms(*use.period_ms);
  if (use.duty) text += ", busy " + format_percent(*use.duty) + " of it";
  return text;
}

}  // namespace

void add_close_up(Page& page) {
  if (!page.charts.close_up || page.charts.close_up->spans.empty()) return;
  const run::CloseUp& close_up = *page.charts.close_up;
  const double length_ms = (close_up.end_s - close_up.start_s) * 1000;
  if (!(length_ms > 0)) return;
  const bool spans_are_busy = host_is_device(page.report);
  const bool has_busy = spans_are_busy || !close_up.series.empty();
  const run::Utilization* pattern = has_busy ? resolved(page.report) : nullptr;
  const auto figure = page.out.in("figure");
  page.out.element("h3", "Usual steps from near");
  {
    const double top = pattern != nullptr ? 10.5 : has_busy ? 9 : kPhaseTop + 0.5;
    Plot plot(
        page.out,
        {.title = "Phases of " + std::to_string(close_up.step_starts_s.size()) + " steps in a row",
         .description = pattern != nullptr ? period_words(*pattern) : "Spans in order of time.",
         .x0 = 0,
         .x1 = length_ms,
         .y0 = 0,
         .y1 = top,
         .height = has_busy ? 130 : 50,
         .x_unit = "ms",
         .y_unit = "span",
         .x_title = "time from the first of these steps",
         .y_ticks = false});
    {
      const auto layer = plot.layer();
      draw_phases(plot, close_up);
      if (!close_up.series.empty()) {
        draw_busy_series(plot, close_up);
      } else if (spans_are_busy) {
        draw_busy_spans(plot, close_up);
      }
    }
    plot.axes();
    for (std::size_t i = 0; i < close_up.step_starts_s.size(); ++i) {
      const double at = (close_up.step_starts_s[i] - close_up.start_s) * 1000;
      const bool named = close_up.step_starts_s.size() <= 12;
      plot.upright(at, "", 0, "step");
      if (named) plot.label(at, plot.y_px(kPhaseTop) - 3, i == 0 ? " phases" : "");
    }
    if (has_busy) plot.label(0, plot.y_px(kBusyTop) - 3, pattern != nullptr ? "" : "device busy");
    if (pattern != nullptr) {
      plot.bracket(0, std::min(*pattern->period_ms, length_ms), plot.y_px(9),
                   period_words(*pattern));
    }
  }
  page.out.element("figcaption",
                   std::to_string(close_up.step_starts_s.size()) + " steps from " +
                       format_seconds(close_up.start_s) +
                       " on, of the most usual length. Below: phases; a gap is `other`." +
                       (has_busy ? (spans_are_busy && close_up.series.empty()
                                        ? " Above: the CPU, which is the device here, computes."
                                        : " Above: utilisation of the device, each reading.")
                                 : ""));
}

}  // namespace flatout::report::html
