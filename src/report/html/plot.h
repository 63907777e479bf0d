// One chart: an inline SVG as wide as its column. Horizontal places are per
// cents or stretch with the width, vertical ones are pixels, so that text keeps
// its size from a phone to a printed page. Draw in this order: frame, areas,
// lines, labels; the SVG closes with the object.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/markup.h"
#include "run/charts.h"

namespace flatout::report::html {

struct PlotFrame {
  std::string title;        // for those who do not see it: what is shown ...
  std::string description;  // ... and what it looks like
  double x0 = 0, x1 = 1;
  double y0 = 0, y1 = 1;
  int height = 150;          // of the plotting area, px
  std::string x_unit = "s";  // "s" = time of the run; else a unit of quantity(). With "log10" and
                             // what follows a blank, values and ranges are powers of ten
  std::string y_unit;
  std::string x_title = {};  // of the axes, with the unit; "" = none
  std::string y_title = {};
  int strips = 0;  // rows for marks below the axis
  bool y_ticks = true;
  bool timed = true;       // with x_unit "s": zooms together with all others of the run's time
  bool linear = true;      // false: x are names or numbers of things; it has no zoom
  std::string steps = {};  // which steps lie where, as step_map() writes it
};

// For the read-out, three numbers a bar: its distance from the bar before and its width, both in
// hundred-thousandths of the run's length, and how many steps it stands for.
std::string step_map(std::span<const run::StepBar> bars, double duration_s);

class Plot {
 public:
  Plot(Markup& markup, PlotFrame frame);
  Plot(const Plot&) = delete;
  Plot& operator=(const Plot&) = delete;
  ~Plot();

  void axes();  // grid, ticks, labels

  // In run time: a band over the whole height.
  void band(std::string_view css_class, double from, double to, std::string_view label = {});
  // A level, with its name at the right end.
  void level(double value, std::string_view label, bool below = false,
             std::string_view css_class = "limit");
  // The same upright, for a place on the x axis.
  void upright(double x, std::string_view label, int row, std::string_view css_class = "marker");
  // A measured distance along x, at height `y_px`.
  void bracket(double from, double to, double y_px, std::string_view label);
  // A mark in strip `row`.
  void strip_mark(int row, std::string_view css_class, double from, double to);
  void strip_label(int row, std::string_view label);
  // Text at a place of the plot; anchor "start", "middle" or "end".
  void label(double x, double y_px, std::string_view text, std::string_view anchor = "start");

  // Paths live in a layer whose coordinates stretch with the width.
  [[nodiscard]] Markup::Scope layer();
  // Inside a layer. `name` is what the read-out calls it.
  void line(std::string_view css_class, std::string_view name,
            std::span<const run::ChartPoint> points);
  void min_max_band(std::string_view css_class, std::span<const run::ChartPoint> points);
  // Many rectangles as one path.
  struct Box {
    double x0, x1, y0, y1;
  };
  void boxes(std::string_view css_class, std::string_view name, std::span<const Box> boxes);
  // Outside a layer: one value.
  void dot(std::string_view css_class, std::string_view name, double x, double y);

  double y_px(double value) const;  // clamped to the plotting area
  std::string x_percent(double value) const;
  const PlotFrame& frame() const { return frame_; }

 private:
  int layer_x(double value) const;
  double open_y(double value) const;  // not clamped: the layer cuts off what is beyond
  void titles();
  int bottom() const { return top_ + frame_.height + frame_.strips * kStrip; }
  static constexpr int kStrip = 15;
  Markup& markup_;
  int top_ = 0;  // where the plotting area begins, px
  PlotFrame frame_;
};

// Points split where readings are missing: a hole of several usual distances.
std::vector<std::span<const run::ChartPoint>> without_holes(
    std::span<const run::ChartPoint> points);

}  // namespace flatout::report::html
