// The sections of the page, in reading order. Each adds nothing when it has
// nothing to say. Internal to report/html.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/html/markup.h"
#include "report/html/plot.h"
#include "run/charts.h"
#include "run/report.h"

namespace flatout::report::html {

using Json = nlohmann::ordered_json;

struct Page {
  const run::Report& report;
  const run::Charts& charts;
  const Json& figures;  // the JSON view, for tables that follow its keys
  Markup& out;
};

void add_verdict(Page& page);
void add_changes(Page& page);
void add_account(Page& page);
void add_steps(Page& page);
void add_ranks(Page& page);
void add_devices(Page& page);
// Of a kernel trace, below the figures of its device.
void add_trace(Page& page, const run::KernelTraceReport& trace);
// Nothing where the device's peaks are not known.
void add_roofline_plot(Markup& out, const run::RooflineReport& roofline);
void add_host(Page& page);
void add_processes(Page& page);
void add_loader(Page& page);
void add_findings(Page& page);
void add_unseen(Page& page);
void add_tracked(Page& page);
void add_environment(Page& page);
void add_overhead(Page& page);

// What the run was, for the header: id, name, device, steps, length, start.
std::vector<std::string> header_words(const run::Report& report, const Json& figures);
// A JSON view as a table, by the names of its keys.
void add_figures(Markup& out, const Json& figures, std::string_view summary);

// The charts of the steps section.
// `timed`: its time is that of all other charts of the page, and zooms with them.
void step_chart(Markup& out, const run::Charts& charts, std::string_view heading, bool timed);
void add_step_chart(Page& page);
void add_close_up(Page& page);
void add_step_lengths(Page& page);

// Lengths of steps, in ms, on one axis for all that it includes.
class LengthAxis {
 public:
  void include(const run::StepHistogram& lengths);
  double lo() const { return lo_; }
  double hi() const { return hi_; }
  bool drawable() const { return lo_ < hi_ && std::isfinite(lo_) && std::isfinite(hi_); }

 private:
  double lo_ = std::numeric_limits<double>::max(), hi_ = 0;
};
struct LengthsPlot {
  const run::StepHistogram& lengths;
  std::string css_class;
  std::string run = {};  // which, where there are two
  std::string description = "A histogram; both runs have the same axis.";
  int height = 80;
  bool x_title = true;
  std::vector<std::pair<const char*, std::optional<double>>> marks = {};  // name and ms
};
// Number of steady steps by length. Nothing where there are none.
void lengths_plot(Markup& out, const LengthAxis& axis, const LengthsPlot& of);

// <section id><h2>.
[[nodiscard]] Markup::Scope section(Markup& out, std::string_view id, std::string_view title);
// <div class="scroll"><table><caption>, with a header row; for wide tables.
class Table {
 public:
  Table(Markup& out, std::string_view caption, std::initializer_list<std::string_view> columns,
        std::string_view css_class = "");
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table();

 private:
  Markup& out_;
};
// A bar of a share, in a cell of its own.
void share_bar(Markup& out, const std::string& css_class, double share);
// A term and what it is, in an open <dl>.
void entry(Markup& out, std::string_view term, std::string_view text);
void entry(Markup& out, std::string_view term, double value, std::string_view shown);

// A small box of a colour, before the words that it stands for.
void colour_key(Markup& out, const std::string& css_class, bool is_line = false);
struct LegendItem {
  std::string css_class;  // of a phase, role or line
  std::string name;
  std::string figure = {};  // beside the name
  bool is_line = false;
};
void legend(Markup& out, const std::vector<LegendItem>& items);

// The title of an axis along the run, which all charts of a run share.
constexpr std::string_view kRunTime = "time since the run began";
// Of an axis of a metric's unit: "share", "cores", "bytes".
std::string_view unit_words(std::string_view unit);

// The box at the top: the answer, what follows from it, what to type.
struct Answer {
  std::string headline;
  std::vector<std::string> lines = {};   // the first is the largest
  std::string command = {};              // to be typed, "" = none
  std::string command_label = "Use it";  // "Best" where it was not shown to be better
  std::vector<std::string> notes = {};   // below the box
};
void answer_box(Markup& out, const Answer& answer);
// One of the large figures below it, in an open <dl class="tiles">.
void tile(Markup& out, std::string_view name, double value, std::string_view shown,
          std::string_view more = {});
// One of a measured gain, as the text views have it; none where it is not finite.
void gain_tile(Markup& out, std::string_view name, const std::optional<run::Speedup>& gain);

// Gains as dots with whiskers on one axis, row by row of a table; 1 is marked.
class GainAxis {
 public:
  void include(const std::optional<run::Speedup>& gain);
  // `css_class`: "kept" is a full dot, "final" one in the accent's colour, "" a hollow one.
  void draw(Markup& out, const std::string& css_class, const run::Speedup& gain) const;

 private:
  double lo_ = 1, hi_ = 1;
};

// A run has a length to draw along.
bool drawable(const run::Charts& charts);

// Series of one unit in one chart, with their limits. Nothing where there are no points.
struct SeriesFigure {
  std::string title;
  std::string note;  // after the figures, "" = none
  std::vector<const run::Chart*> series;
  std::optional<double> top;               // of the axis, where it has a natural one
  std::string_view level_class = "limit";  // of the levels; "marker" where they limit nothing
};
void series_figure(Page& page, const SeriesFigure& figure);

// Words for a metric or key: "device.gpm.sm" -> "SM activity".
std::string metric_words(std::string_view metric);
// "memory_peak_bytes" -> unit "bytes" and words "memory peak".
struct KeyWords {
  std::string words;
  std::string unit;
};
KeyWords key_words(std::string_view key);
// A JSON value as people read it, numbers as <data>. `unit` as in quantity().
void show(Markup& out, const Json& value, std::string_view unit);

// Which phases keep the device waiting are striped, those that compute are solid.
std::string phase_class(run::Phase phase);
std::string phase_class(std::string_view phase);
bool phase_waits(run::Phase phase);
bool phase_computes(run::Phase phase);
void add_stripes(Markup& out);  // the patterns, once a page

}  // namespace flatout::report::html
