// A chart's frame: its SVG, axes, ticks and titles.
#include "report/html/plot.h"

#include <algorithm>
#include <cmath>

#include "report/html/plot_places.h"
#include "report/html/scale.h"

namespace flatout::report::html {
namespace {

constexpr int kTop = 16;     // room for the uppermost label
constexpr int kBottom = 20;  // and for the ticks below
constexpr int kTitle = 15;   // and for an axis's title
constexpr int kTicks = 6;

// A range that is none becomes [0, 1]; nothing of it is drawn outside.
void widen(double& from, double& to) {
  if (std::isfinite(from) && std::isfinite(to) && std::isfinite(to - from) && to > from) return;
  from = 0;
  to = 1;
}

// There is no trial 1.5, and a power between two whole ones has no round number.
bool whole_ticks(std::string_view unit) { return unit == "count" || is_power(unit); }

void drop_parts(std::vector<double>& ticks) {
  std::erase_if(ticks, [](double tick) { return tick != std::floor(tick); });
}

}  // namespace

Plot::Plot(Markup& markup, PlotFrame frame) : markup_(markup), frame_(std::move(frame)) {
  widen(frame_.x0, frame_.x1);
  widen(frame_.y0, frame_.y1);
  top_ = kTop + (frame_.y_title.empty() ? 0 : kTitle);
  const std::string id = markup_.next_id();
  const int total = bottom() + kBottom + (frame_.x_title.empty() ? 0 : kTitle);
  const bool timed = frame_.timed && frame_.x_unit == "s";
  markup_.open("svg", {{"class", timed           ? "plot timed"
                                 : frame_.linear ? "plot"
                                                 : "plot fixed"},
                       {"role", "img"},
                       {"tabindex", "0"},
                       {"aria-labelledby", id + "t " + id + "d"},
                       {"width", "100%"},
                       {"height", std::to_string(total)},
                       {"data-x", exact(frame_.x0) + " " + exact(frame_.x1) + " " + frame_.x_unit},
                       {"data-y", exact(frame_.y0) + " " + exact(frame_.y1) + " " + frame_.y_unit},
                       {"data-h", std::to_string(top_) + " " + std::to_string(frame_.height) + " " +
                                      std::to_string(frame_.strips * kStrip)},
                       {"data-steps", frame_.steps}});
  markup_.element("title", {{"id", id + "t"}}, frame_.title);
  markup_.element("desc", {{"id", id + "d"}}, frame_.description);
}

Plot::~Plot() {
  markup_.empty("line", {{"class", "cursor"},
                         {"x1", "0"},
                         {"x2", "0"},
                         {"y1", std::to_string(top_)},
                         {"y2", std::to_string(bottom())},
                         {"visibility", "hidden"}});
  markup_.close();
}

double Plot::y_px(double value) const {
  return top_ + frame_.height * (1 - share_of(value, frame_.y0, frame_.y1));
}

std::string Plot::x_percent(double value) const {
  return percent(share_of(value, frame_.x0, frame_.x1));
}

void Plot::axes() {
  std::vector<double> y_ticks;
  if (frame_.y_ticks) y_ticks = nice_ticks(frame_.y0, frame_.y1, frame_.height < 100 ? 2 : 4);
  const bool powers = is_power(frame_.y_unit);
  if (powers) drop_parts(y_ticks);
  for (const double tick : y_ticks) {
    const std::string y = px(std::round(y_px(tick)) + 0.5);
    markup_.empty("line", {{"class", tick == 0 && !powers ? "axis" : "grid"},
                           {"x1", "0"},
                           {"x2", "100%"},
                           {"y1", y},
                           {"y2", y}});
  }
  const bool time = frame_.x_unit == "s";
  auto x_ticks =
      time ? time_ticks(frame_.x0, frame_.x1, kTicks) : nice_ticks(frame_.x0, frame_.x1, kTicks);
  if (whole_ticks(frame_.x_unit)) drop_parts(x_ticks);
  const double step = x_ticks.size() > 1 ? x_ticks[1] - x_ticks[0] : frame_.x1 - frame_.x0;
  for (const double tick : x_ticks) {
    const double at = share_of(tick, frame_.x0, frame_.x1);
    const char* anchor = at < 0.03 ? "start" : at > 0.95 ? "end" : "middle";
    markup_.empty("line", {{"class", "tick"},
                           {"x1", percent(at)},
                           {"x2", percent(at)},
                           {"y1", std::to_string(top_)},
                           {"y2", std::to_string(bottom() + 4)}});
    markup_.element("text",
                    {{"class", "tick-label"},
                     {"x", percent(at)},
                     {"y", std::to_string(bottom() + 15)},
                     {"text-anchor", anchor}},
                    time ? time_label(tick, step) : quantity(tick, frame_.x_unit));
  }
  for (const double tick : y_ticks) {
    if (tick == 0 && !powers && frame_.height >= 60) continue;  // the axis says it
    markup_.element("text", {{"x", "1"}, {"y", px(y_px(tick) - 3)}, {"class", "on"}},
                    quantity(tick, frame_.y_unit));
  }
  titles();
}

void Plot::titles() {
  if (!frame_.y_title.empty()) {
    markup_.element("text", {{"class", "title"}, {"x", "1"}, {"y", "11"}}, frame_.y_title);
  }
  if (!frame_.x_title.empty()) {
    markup_.element("text",
                    {{"class", "title"},
                     {"x", "100%"},
                     {"y", std::to_string(bottom() + kBottom + 9)},
                     {"text-anchor", "end"}},
                    frame_.x_title);
  }
}

}  // namespace flatout::report::html
