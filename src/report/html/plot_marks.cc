// What stands at one place of a chart, or beside it: bands, levels, marks, labels, dots.
#include <algorithm>
#include <cmath>

#include "report/html/plot.h"
#include "report/html/plot_places.h"

namespace flatout::report::html {

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

}  // namespace flatout::report::html
