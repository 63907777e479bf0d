#include "report/html/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/html/scale.h"

namespace flatout::report::html {
namespace {

constexpr int kTop = 16;     // room for the uppermost label
constexpr int kBottom = 20;  // and for the ticks below
constexpr int kTitle = 15;   // and for an axis's title
constexpr int kLayerWidth = 100'000;
constexpr int kLeastWidth = 10;  // of a box, so that it is seen at all
constexpr int kOverhang = 2;     // of a layer, for half a line's width
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

double Plot::open_y(double value) const {
  if (!std::isfinite(value)) return top_ + frame_.height;
  const double share = (value - frame_.y0) / (frame_.y1 - frame_.y0);
  return top_ + frame_.height * (1 - std::clamp(share, -100.0, 100.0));
}

double Plot::y_px(double value) const {
  return top_ + frame_.height * (1 - share_of(value, frame_.y0, frame_.y1));
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
  auto x_ticks =
      time ? time_ticks(frame_.x0, frame_.x1, kTicks) : nice_ticks(frame_.x0, frame_.x1, kTicks);
  if (frame_.x_unit == "count") {  // there is no trial 1.5
    std::erase_if(x_ticks, [](double tick) { return tick != std::floor(tick); });
  }
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
    if (tick == 0 && frame_.height >= 60) continue;  // the axis says it
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

void Plot::band(std::string_view css_class, double from, double to, std::string_view name) {
  const double x0 = share_of(from, frame_.x0, frame_.x1);
  const double x1 = share_of(to, frame_.x0, frame_.x1);
  if (x1 <= x0) return;
  markup_.empty("rect", {{"class", std::string(css_class)},
                         {"data-at", exact(x0) + " " + exact(x1)},
                         {"x", percent(x0)},
                         {"width", percent(x1 - x0)},
                         {"y", std::to_string(top_)},
                         {"height", std::to_string(frame_.height)}});
  if (!name.empty()) {
    const bool left = x1 > 0.7;
    markup_.element("text",
                    {{"data-at", exact(x1)},
                     {"x", percent(x1)},
                     {"dx", left ? "-4" : "4"},
                     {"text-anchor", left ? "end" : "start"},
                     {"y", std::to_string(top_ + 11)},
                     {"class", "on flag"}},
                    name);
  }
}

void Plot::level(double value, std::string_view name, bool below, std::string_view css_class) {
  if (!(value >= frame_.y0 && value <= frame_.y1)) return;
  const double y = std::round(y_px(value)) + 0.5;
  markup_.empty("line", {{"class", std::string(css_class)},
                         {"x1", "0"},
                         {"x2", "100%"},
                         {"y1", px(y)},
                         {"y2", px(y)}});
  markup_.element("text",
                  {{"x", "100%"},
                   {"dx", "-2"},
                   {"y", px(below ? y + 12 : y - 4)},
                   {"text-anchor", "end"},
                   {"class", "on"}},
                  name);
}

void Plot::upright(double x, std::string_view name, int row, std::string_view css_class) {
  if (!(x >= frame_.x0 && x <= frame_.x1)) return;
  const double at = share_of(x, frame_.x0, frame_.x1);
  const bool left = at > 0.7;
  markup_.empty("line", {{"class", std::string(css_class)},
                         {"data-at", exact(at)},
                         {"x1", percent(at)},
                         {"x2", percent(at)},
                         {"y1", std::to_string(top_)},
                         {"y2", std::to_string(top_ + frame_.height)}});
  if (name.empty()) return;
  markup_.element("text",
                  {{"data-at", exact(at)},
                   {"x", percent(at)},
                   {"dx", left ? "-4" : "4"},
                   {"y", std::to_string(top_ + 10 + 14 * row)},
                   {"text-anchor", left ? "end" : "start"},
                   {"class", "on flag"}},
                  name);
}

void Plot::bracket(double from, double to, double y, std::string_view name) {
  const double x0 = share_of(from, frame_.x0, frame_.x1);
  const double x1 = share_of(to, frame_.x0, frame_.x1);
  const auto stroke = [&](double a, double b, double up, double down) {
    markup_.empty("line", {{"class", "bracket"},
                           {"data-at", a == b ? exact(a) : exact(a) + " " + exact(b)},
                           {"x1", percent(a)},
                           {"x2", percent(b)},
                           {"y1", px(up)},
                           {"y2", px(down)}});
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
                         {"data-at", exact(x0) + " " + exact(x1)},
                         {"x", percent(x0)},
                         {"width", percent(std::max(x1 - x0, 0.003))},
                         {"y", std::to_string(top_ + frame_.height + row * kStrip + 3)},
                         {"height", std::to_string(kStrip - 5)}});
}

void Plot::strip_label(int row, std::string_view name) {
  markup_.element("text",
                  {{"x", "1"},
                   {"y", std::to_string(top_ + frame_.height + row * kStrip + 12)},
                   {"class", "on"}},
                  name);
}

void Plot::label(double x, double y, std::string_view content, std::string_view anchor) {
  if (content.empty()) return;
  markup_.element("text",
                  {{"data-at", exact(share_of(x, frame_.x0, frame_.x1))},
                   {"x", x_percent(x)},
                   {"y", px(y)},
                   {"text-anchor", std::string(anchor)},
                   {"class", "on"}},
                  content);
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

void Plot::dot(std::string_view css_class, std::string_view name, double x, double y) {
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  const double at = share_of(x, frame_.x0, frame_.x1);
  markup_.empty("circle", {{"class", "dot " + std::string(css_class)},
                           {"data-at", exact(at)},
                           {"data-name", std::string(name)},
                           {"data-value", exact(y)},
                           {"cx", percent(at)},
                           {"cy", px(y_px(y))},
                           {"r", "4.5"}});
}

void Plot::whisker(double x, double lo, double hi) {
  if (!std::isfinite(lo) || !std::isfinite(hi)) return;
  const double at = share_of(x, frame_.x0, frame_.x1);
  markup_.empty("line", {{"class", "whisker"},
                         {"data-at", exact(at)},
                         {"x1", percent(at)},
                         {"x2", percent(at)},
                         {"y1", px(y_px(hi))},
                         {"y2", px(y_px(lo))}});
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
