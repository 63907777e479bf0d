#include "report/html/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/html/scale.h"

namespace flatout::report::html {
namespace {

constexpr int kTop = 16;     // room for the uppermost label
constexpr int kBottom = 20;  // and for the ticks below
constexpr int kStrip = 15;
constexpr int kLayerWidth = 10'000;
constexpr int kTicks = 6;

std::string px(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string out = text;
  return out.ends_with(".0") ? out.substr(0, out.size() - 2) : out;
}

double share_of(double value, double from, double to) {
  if (!(to > from) || !std::isfinite(value)) return 0;
  return std::clamp((value - from) / (to - from), 0.0, 1.0);
}

// A range that is none becomes [0, 1]; nothing of it is drawn outside.
void widen(double& from, double& to) {
  if (std::isfinite(from) && std::isfinite(to) && std::isfinite(to - from) && to > from) return;
  from = 0;
  to = 1;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g%%", share * 100);
  return text;
}

}  // namespace

Plot::Plot(Markup& markup, PlotFrame frame) : markup_(markup), frame_(std::move(frame)) {
  widen(frame_.x0, frame_.x1);
  widen(frame_.y0, frame_.y1);
  const std::string id = markup_.next_id();
  const int total = kTop + frame_.height + frame_.strips * kStrip + kBottom;
  markup_.open("svg", {{"class", frame_.x_unit == "s" ? "plot timed" : "plot"},
                       {"role", "img"},
                       {"tabindex", "0"},
                       {"aria-labelledby", id + "t " + id + "d"},
                       {"width", "100%"},
                       {"height", std::to_string(total)},
                       {"data-x", exact(frame_.x0) + " " + exact(frame_.x1) + " " + frame_.x_unit},
                       {"data-y", exact(frame_.y0) + " " + exact(frame_.y1) + " " + frame_.y_unit},
                       {"data-h", std::to_string(kTop) + " " + std::to_string(frame_.height)}});
  markup_.element("title", {{"id", id + "t"}}, frame_.title);
  markup_.element("desc", {{"id", id + "d"}}, frame_.description);
}

Plot::~Plot() {
  markup_.empty("line", {{"class", "cursor"},
                         {"x1", "0"},
                         {"x2", "0"},
                         {"y1", std::to_string(kTop)},
                         {"y2", std::to_string(kTop + frame_.height + frame_.strips * kStrip)},
                         {"visibility", "hidden"}});
  markup_.close();
}

double Plot::y_px(double value) const {
  return kTop + frame_.height * (1 - share_of(value, frame_.y0, frame_.y1));
}

std::string Plot::x_percent(double value) const {
  return percent(share_of(value, frame_.x0, frame_.x1));
}

int Plot::layer_x(double value) const {
  return static_cast<int>(std::lround(share_of(value, frame_.x0, frame_.x1) * kLayerWidth));
}

void Plot::axes() {
  std::vector<double> y_ticks;
  if (frame_.y_ticks) y_ticks = nice_ticks(frame_.y0, frame_.y1, frame_.height < 100 ? 2 : 4);
  for (const double tick : y_ticks) {
    const std::string y = px(std::round(y_px(tick)) + 0.5);
    markup_.empty("line", {{"class", tick == 0 ? "axis" : "grid"},
                           {"x1", "0"},
                           {"x2", "100%"},
                           {"y1", y},
                           {"y2", y}});
  }
  const bool time = frame_.x_unit == "s";
  const auto x_ticks =
      time ? time_ticks(frame_.x0, frame_.x1, kTicks) : nice_ticks(frame_.x0, frame_.x1, kTicks);
  const double step = x_ticks.size() > 1 ? x_ticks[1] - x_ticks[0] : frame_.x1 - frame_.x0;
  const int bottom = kTop + frame_.height + frame_.strips * kStrip;
  for (const double tick : x_ticks) {
    const double at = share_of(tick, frame_.x0, frame_.x1);
    const char* anchor = at < 0.03 ? "start" : at > 0.95 ? "end" : "middle";
    markup_.empty("line", {{"class", "tick"},
                           {"x1", percent(at)},
                           {"x2", percent(at)},
                           {"y1", std::to_string(kTop)},
                           {"y2", std::to_string(bottom + 4)}});
    markup_.element(
        "text", {{"x", percent(at)}, {"y", std::to_string(bottom + 15)}, {"text-anchor", anchor}},
        time ? time_label(tick, step) : quantity(tick, frame_.x_unit));
  }
  for (const double tick : y_ticks) {
    if (tick == 0 && frame_.height >= 60) continue;  // the axis says it
    markup_.element("text", {{"x", "1"}, {"y", px(y_px(tick) - 3)}, {"class", "on"}},
                    quantity(tick, frame_.y_unit));
  }
}

void Plot::band(std::string_view css_class, double from, double to, std::string_view name) {
  const double x0 = share_of(from, frame_.x0, frame_.x1);
  const double x1 = share_of(to, frame_.x0, frame_.x1);
  if (x1 <= x0) return;
  markup_.empty("rect", {{"class", std::string(css_class)},
                         {"x", percent(x0)},
                         {"width", percent(x1 - x0)},
                         {"y", std::to_string(kTop)},
                         {"height", std::to_string(frame_.height)}});
  if (!name.empty()) {
    markup_.element(
        "text",
        {{"x", percent(x1)}, {"dx", "4"}, {"y", std::to_string(kTop + 11)}, {"class", "on"}}, name);
  }
}

void Plot::level(double value, std::string_view name, bool below) {
  if (!(value >= frame_.y0 && value <= frame_.y1)) return;
  const double y = std::round(y_px(value)) + 0.5;
  markup_.empty("line",
                {{"class", "limit"}, {"x1", "0"}, {"x2", "100%"}, {"y1", px(y)}, {"y2", px(y)}});
  markup_.element("text",
                  {{"x", "100%"},
                   {"dx", "-2"},
                   {"y", px(below ? y + 12 : y - 4)},
                   {"text-anchor", "end"},
                   {"class", "on"}},
                  name);
}

void Plot::upright(double x, std::string_view name, int row, std::string_view css_class) {
  const double at = share_of(x, frame_.x0, frame_.x1);
  const bool left = at > 0.7;
  markup_.empty("line", {{"class", std::string(css_class)},
                         {"x1", percent(at)},
                         {"x2", percent(at)},
                         {"y1", std::to_string(kTop)},
                         {"y2", std::to_string(kTop + frame_.height)}});
  markup_.element("text",
                  {{"x", percent(at)},
                   {"dx", left ? "-4" : "4"},
                   {"y", std::to_string(kTop + 10 + 14 * row)},
                   {"text-anchor", left ? "end" : "start"},
                   {"class", "on"}},
                  name);
}

void Plot::bracket(double from, double to, double y, std::string_view name) {
  const std::string x0 = x_percent(from);
  const std::string x1 = x_percent(to);
  const auto stroke = [&](const std::string& a, const std::string& b, double up, double down) {
    markup_.empty("line",
                  {{"class", "bracket"}, {"x1", a}, {"x2", b}, {"y1", px(up)}, {"y2", px(down)}});
  };
  stroke(x0, x1, y, y);
  stroke(x0, x0, y - 4, y + 4);
  stroke(x1, x1, y - 4, y + 4);
  label(from, y - 6, name);
}

void Plot::strip_mark(int row, std::string_view css_class, double from, double to) {
  const double x0 = share_of(from, frame_.x0, frame_.x1);
  const double x1 = share_of(to, frame_.x0, frame_.x1);
  markup_.empty("rect", {{"class", "mark " + std::string(css_class)},
                         {"x", percent(x0)},
                         {"width", percent(std::max(x1 - x0, 0.003))},
                         {"y", std::to_string(kTop + frame_.height + row * kStrip + 3)},
                         {"height", std::to_string(kStrip - 5)}});
}

void Plot::strip_label(int row, std::string_view name) {
  markup_.element("text",
                  {{"x", "1"},
                   {"y", std::to_string(kTop + frame_.height + row * kStrip + 12)},
                   {"class", "on"}},
                  name);
}

void Plot::label(double x, double y, std::string_view content, std::string_view anchor) {
  markup_.element(
      "text",
      {{"x", x_percent(x)}, {"y", px(y)}, {"text-anchor", std::string(anchor)}, {"class", "on"}},
      content);
}

Markup::Scope Plot::layer() {
  return markup_.in("svg", {{"class", "layer"},
                            {"x", "0"},
                            {"y", "0"},
                            {"width", "100%"},
                            {"height", std::to_string(kTop + frame_.height)},
                            {"viewBox", "0 0 " + std::to_string(kLayerWidth) + " " +
                                            std::to_string(kTop + frame_.height)},
                            {"preserveAspectRatio", "none"}});
}

void Plot::line(std::string_view css_class, std::string_view name,
                std::span<const run::ChartPoint> points) {
  std::string path;
  for (const auto piece : without_holes(points)) {
    bool first = true;
    for (const run::ChartPoint& point : piece) {
      path += first ? "M" : "L";
      path += std::to_string(layer_x(point.t_s)) + " " + px(y_px(point.mean));
      first = false;
    }
    if (piece.size() == 1) path += "h9";  // a lonely reading is a dot
  }
  if (path.empty()) return;
  markup_.empty(
      "path",
      {{"class", "line " + std::string(css_class)}, {"data-name", std::string(name)}, {"d", path}});
}

void Plot::min_max_band(std::string_view css_class, std::span<const run::ChartPoint> points) {
  const bool flat = std::ranges::all_of(
      points, [](const run::ChartPoint& point) { return point.min == point.max; });
  if (flat) return;
  std::string path;
  for (const auto piece : without_holes(points)) {
    if (piece.size() < 2) continue;
    char command = 'M';
    for (const run::ChartPoint& point : piece) {
      path += command + std::to_string(layer_x(point.t_s)) + " " + px(y_px(point.max));
      command = 'L';
    }
    for (std::size_t i = piece.size(); i-- > 0;) {
      path += "L" + std::to_string(layer_x(piece[i].t_s)) + " " + px(y_px(piece[i].min));
    }
    path += "z";
  }
  markup_.empty("path", {{"class", "band " + std::string(css_class)}, {"d", path}});
}

void Plot::boxes(std::string_view css_class, std::string_view name, std::span<const Box> boxes) {
  std::string path;
  for (const Box& box : boxes) {
    const double top = y_px(box.y1);
    const double height = y_px(box.y0) - top;
    const int left = layer_x(box.x0);
    const int width = std::max(1, layer_x(box.x1) - left);
    if (height < 0.05) continue;
    path += "M" + std::to_string(left) + " " + px(top) + "h" + std::to_string(width) + "v" +
            px(height) + "h-" + std::to_string(width) + "z";
  }
  if (path.empty()) return;
  markup_.empty(
      "path",
      {{"class", "box " + std::string(css_class)}, {"data-name", std::string(name)}, {"d", path}});
}

std::vector<std::span<const run::ChartPoint>> without_holes(
    std::span<const run::ChartPoint> points) {
  constexpr double kHole = 5;  // usual distances
  std::vector<std::span<const run::ChartPoint>> pieces;
  if (points.empty()) return pieces;
  std::vector<double> distances;
  for (std::size_t i = 1; i < points.size(); ++i) {
    distances.push_back(points[i].t_s - points[i - 1].t_s);
  }
  double usual = 0;
  if (!distances.empty()) {
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    usual = *middle;
  }
  std::size_t begin = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].t_s - points[i - 1].t_s <= kHole * usual) continue;
    pieces.push_back(points.subspan(begin, i - begin));
    begin = i;
  }
  pieces.push_back(points.subspan(begin));
  return pieces;
}

}  // namespace flatout::report::html
