// The roofline of a device as its users know it: what a class of kernels achieves over how much it
// computes a byte, both axes by powers of ten, below the roofs that the device has.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "report/html/parts.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

constexpr double kLeast = 1e-4, kMost = 1e7;  // a figure beyond them is no measurement
constexpr double kLabelRoom = 0.22;           // of the width, for a name beside its dot
constexpr int kLabelHeight_px = 13;

struct Point {
  std::string name;
  double x = 0, y = 0;  // powers of ten
};
struct Roof {
  std::string name;
  double tflops = 0;
};

bool drawable(const std::optional<double>& value) {
  return value && *value >= kLeast && *value <= kMost;  // false for NaN
}

std::vector<Point> points_of(const run::RooflineReport& roofline) {
  std::vector<Point> out;
  for (const run::RooflineClassReport& one : roofline.classes) {
    if (!drawable(one.tflops) || !drawable(one.flops_per_byte)) continue;
    out.push_back({one.kernel_class, std::log10(*one.flops_per_byte), std::log10(*one.tflops)});
  }
  std::ranges::sort(out, std::ranges::greater(), &Point::y);
  return out;
}

// Highest first; of two types with one peak, one.
std::vector<Roof> roofs_of(const run::PeaksReport& peaks) {
  std::vector<Roof> out;
  const auto add = [&](const std::string& name, const std::optional<double>& tflops) {
    if (!drawable(tflops)) return;
    const auto same =
        std::ranges::find_if(out, [&](const Roof& roof) { return roof.tflops == *tflops; });
    if (same == out.end()) {
      out.push_back({name, *tflops});
    } else {
      same->name += ", " + name;
    }
  };
  add("float8", peaks.float8_tflops);
  add("float16", peaks.float16_tflops);
  add("bfloat16", peaks.bfloat16_tflops);
  add("TF32", peaks.tf32_tflops);
  add("float32", peaks.float32_tflops);
  std::ranges::sort(out, std::ranges::greater(), &Roof::tflops);
  return out;
}

// Whole powers of ten around all points, and where the lowest and the highest roof bend.
PlotFrame frame_of(const std::vector<Point>& points, const std::vector<Roof>& roofs, double slope) {
  PlotFrame frame;
  frame.x0 = frame.x1 = std::log10(roofs.front().tflops) - slope;
  frame.y0 = frame.y1 = std::log10(roofs.front().tflops);
  for (const Roof& roof : roofs) {
    frame.x0 = std::min(frame.x0, std::log10(roof.tflops) - slope);
    frame.y0 = std::min(frame.y0, std::log10(roof.tflops));
  }
  for (const Point& point : points) {
    frame.x0 = std::min(frame.x0, point.x);
    frame.x1 = std::max(frame.x1, point.x);
    frame.y0 = std::min(frame.y0, point.y);
    frame.y1 = std::max(frame.y1, point.y);
  }
  frame.x0 = std::floor(frame.x0 - 0.3);
  frame.x1 = std::ceil(frame.x1 + 0.3);
  frame.y0 = std::floor(frame.y0);
  frame.y1 = std::ceil(frame.y1 + 0.1);
  frame.title = "Roofline: what classes of kernels achieve, by FLOPs a byte";
  frame.description =
      "Both axes are powers of ten. The sloped line is the memory's bandwidth, the level ones are "
      "what the device computes of each type at most. The table below has the figures.";
  frame.height = 220;
  frame.x_unit = "log10";
  frame.y_unit = "log10 TFLOP/s";
  frame.x_title = "FLOPs a byte";
  frame.y_title = "at least achieved";
  frame.linear = false;
  return frame;
}

void line_between(Plot& plot, const char* css_class, const std::string& name, double x0, double y0,
                  double x1, double y1) {
  const std::array ends = {run::ChartPoint{x0, y0, y0, y0}, run::ChartPoint{x1, y1, y1, y1}};
  plot.line(css_class, name, ends);
}

void roof_lines(Plot& plot, const std::vector<Roof>& roofs, double slope) {
  const PlotFrame& frame = plot.frame();
  const auto layer = plot.layer();
  const double top = std::log10(roofs.front().tflops);
  line_between(plot, "l0", "memory", frame.x0, frame.x0 + slope, top - slope, top);
  for (const Roof& roof : roofs) {
    const double y = std::log10(roof.tflops);
    const double bend = std::max(y - slope, frame.x0);
    if (bend < frame.x1) line_between(plot, "l1", roof.name, bend, y, frame.x1, y);
  }
}

// A name that would lie on another goes below it.
void dots(Plot& plot, const std::vector<Point>& points) {
  const PlotFrame& frame = plot.frame();
  const double room = kLabelRoom * (frame.x1 - frame.x0);
  std::vector<std::pair<double, double>> taken;  // x, and y in px
  for (const Point& point : points) {
    plot.dot("kept", point.name, point.x, point.y);
    double y = plot.y_px(point.y) + 4;
    const auto in_the_way = [&](const auto& other) {
      return std::abs(other.first - point.x) < room && std::abs(other.second - y) < kLabelHeight_px;
    };
    for (auto found = std::ranges::find_if(taken, in_the_way); found != taken.end();
         found = std::ranges::find_if(taken, in_the_way)) {
      y = found->second + kLabelHeight_px;
    }
    taken.emplace_back(point.x, y);
    const bool left = point.x > frame.x1 - room;
    plot.label(point.x, y, left ? point.name + "  \u00a0" : "\u00a0 \u00a0" + point.name,
               left ? "end" : "start");
  }
}

}  // namespace

void add_roofline_plot(Markup& out, const run::RooflineReport& roofline) {
  if (!roofline.peaks || !drawable(roofline.peaks->memory_gb_per_s)) return;
  const std::vector<Point> points = points_of(roofline);
  const std::vector<Roof> roofs = roofs_of(*roofline.peaks);
  if (points.empty() || roofs.empty()) return;
  // TFLOP/s = FLOPs a byte * GB/s / 1000
  const double slope = std::log10(roofline.peaks->memory_gb_per_s) - 3;
  const auto figure = out.in("figure");
  out.element("h4", "Roofline");
  {
    Plot plot(out, frame_of(points, roofs, slope));
    plot.axes();  // first: a peak of about 1000 lies on a line of the grid
    roof_lines(plot, roofs, slope);
    for (const Roof& roof : roofs) {
      plot.label(plot.frame().x1, plot.y_px(std::log10(roof.tflops)) - 4,
                 roof.name + " " + format_number(roof.tflops) + " TFLOP/s", "end");
    }
    dots(plot, points);
  }
  out.element("figcaption",
              "The slope is the memory's " + bandwidth_text(roofline.peaks->memory_gb_per_s) +
                  ". A dot on its roof cannot be faster at its FLOPs a byte; one far below it is "
                  "held back by something else, such as its size or its layout. Peaks of the " +
                  roofline.peaks->source + ".");
}

}  // namespace flatout::report::html
