// What is drawn as one path over the whole width of a chart: lines, areas, boxes.
#include <algorithm>
#include <cmath>

#include "report/html/plot.h"
#include "report/html/plot_places.h"

namespace flatout::report::html {
namespace {

constexpr int kLayerWidth = 100'000;
constexpr int kLeastWidth = 10;  // of a box, so that it is seen at all
constexpr int kOverhang = 2;     // of a layer, for half a line's width

// "0.4" -> ".4", and a blank before it where it needs one.
std::string next_px(long tenths) {
  std::string text = px(static_cast<double>(tenths) / 10);
  if (text.starts_with("0.")) text.erase(0, 1);
  if (text.starts_with("-0.")) text.erase(1, 1);
  return text.starts_with("-") ? text : " " + text;
}

// Writes a path: where a piece begins, then how far each point is from the one before it, which is
// shorter. Distances are between rounded places, so that nothing adds up.
struct Pen {
  std::string path;
  int x = 0;
  long y = 0;  // tenths of a pixel
  bool begun = false;

  void to(int next_x, double next_y, bool begins) {
    const long tenths = std::lround(next_y * 10);
    if (begins) {
      path += "M" + std::to_string(next_x) + next_px(tenths);
    } else {
      const bool parted = begun || next_x < x;
      path += (begun ? "l" : parted ? "" : " ") + std::to_string(next_x - x) + next_px(tenths - y);
    }
    begun = begins;
    x = next_x;
    y = tenths;
  }

  // A rectangle; the pen goes back to its upper left corner.
  void box(int left, double top, int width, double height) {
    const long tenths = std::lround(top * 10);
    path += "m" + std::to_string(left - x) + next_px(tenths - y) + "h" + std::to_string(width) +
            "v" + px(height) + "h-" + std::to_string(width) + "z";
    x = left;
    y = tenths;
  }
};

}  // namespace

double Plot::open_y(double value) const {
  if (!std::isfinite(value)) return top_ + frame_.height;
  const double share = (value - frame_.y0) / (frame_.y1 - frame_.y0);
  return top_ + frame_.height * (1 - std::clamp(share, -100.0, 100.0));
}

int Plot::layer_x(double value) const {
  return static_cast<int>(std::lround(share_of(value, frame_.x0, frame_.x1) * kLayerWidth));
}

Markup::Scope Plot::layer() {
  const std::string y = std::to_string(top_ - kOverhang);
  const std::string height = std::to_string(frame_.height + 2 * kOverhang);
  return markup_.in("svg",
                    {{"class", "layer"},
                     {"x", "0"},
                     {"y", y},
                     {"width", "100%"},
                     {"height", height},
                     {"viewBox", "0 " + y + " " + std::to_string(kLayerWidth) + " " + height},
                     {"preserveAspectRatio", "none"}});
}

void Plot::line(std::string_view css_class, std::string_view name,
                std::span<const run::ChartPoint> points) {
  Pen pen;
  for (const auto piece : without_holes(points)) {
    bool first = true;
    for (const run::ChartPoint& point : piece) {
      pen.to(layer_x(point.t_s), open_y(point.mean), first);
      first = false;
    }
    if (piece.size() == 1) pen.path += "h90";  // a lonely reading is a dot
  }
  if (pen.path.empty()) return;
  markup_.empty("path", {{"class", "line " + std::string(css_class)},
                         {"data-name", std::string(name)},
                         {"d", pen.path}});
}

void Plot::min_max_band(std::string_view css_class, std::span<const run::ChartPoint> points) {
  const bool flat = std::ranges::all_of(
      points, [](const run::ChartPoint& point) { return point.min == point.max; });
  if (flat) return;
  Pen pen;
  for (const auto piece : without_holes(points)) {
    if (piece.size() < 2) continue;
    bool first = true;
    for (const run::ChartPoint& point : piece) {
      pen.to(layer_x(point.t_s), open_y(point.max), first);
      first = false;
    }
    for (std::size_t i = piece.size(); i-- > 0;) {
      pen.to(layer_x(piece[i].t_s), open_y(piece[i].min), false);
    }
    pen.path += "z";
  }
  markup_.empty("path", {{"class", "band " + std::string(css_class)}, {"d", pen.path}});
}

void Plot::boxes(std::string_view css_class, std::string_view name, std::span<const Box> boxes) {
  Pen pen;
  for (const Box& box : boxes) {
    const double top = open_y(box.y1);
    const double height = open_y(box.y0) - top;
    const int left = layer_x(box.x0);
    const int width = std::max(kLeastWidth, layer_x(box.x1) - left);
    if (height >= 0.05) pen.box(left, top, width, height);
  }
  if (pen.path.empty()) return;
  markup_.empty("path", {{"class", "box " + std::string(css_class)},
                         {"data-name", std::string(name)},
                         {"d", pen.path}});
}

std::string step_map(std::span<const run::StepBar> bars, double duration_s) {
  const auto place = [duration_s](double t_s) {
    return std::lround(share_of(t_s, 0, duration_s) * kLayerWidth);
  };
  std::string out;
  long before = 0;
  for (const run::StepBar& bar : bars) {
    const long begin = place(bar.start_s);
    const long end = std::max(begin, place(bar.end_s));
    out += (out.empty() ? "" : " ") + std::to_string(begin - before) + " " +
           std::to_string(end - begin) + " " + std::to_string(bar.steps);
    before = end;
  }
  return out;
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
