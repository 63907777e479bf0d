#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/counted.h"
#include "base/joined.h"
#include "report/layout.h"
#include "report/quantity.h"
#include "report/show.h"
#include "report/signal_name.h"
#include "report/timestamp.h"

namespace flatout::report {
namespace {

// Nothing is left out; a field without text has no line.
void add_field(Page& page, std::string_view label, std::string_view text) {
  if (!text.empty()) page.add_field(0, label, cleaned(text, page.style()));
}

std::string state_line(const run::Description& from) {
  std::string text(run::state_name(from.state));
  if (from.end && from.state == run::RunState::kFailed) {
    text += ", exit code " + std::to_string(from.end->exit_code);
  }
  if (from.end && from.state == run::RunState::kKilled) {
    text += " by " + signal_name(from.end->signal);
  }
  const bool live = from.state == run::RunState::kRunning;
  text += (live ? ", for " : ", after ") + format_seconds(from.duration_s);
  if (live) text += " so far";
  if (!from.survivors.empty()) {
    text += "; processes still alive: " + std::to_string(from.survivors.size());
  }
  return text;
}

std::string cpu_line(const run::RunInfo& info) {
  std::string text = info.cpu_model;
  if (info.cpus > 0) {
    text += (text.empty() ? "" : ", ") + std::to_string(info.cpus) + " usable";
  }
  if (info.cpu_limit > 0) text += ", limited to " + format_number(info.cpu_limit);
  return text;
}

std::string memory_line(const run::RunInfo& info) {
  std::string text;
  if (info.memory_bytes > 0) text = format_bytes(static_cast<double>(info.memory_bytes));
  if (info.memory_limit_bytes > 0) {
    text += (text.empty() ? "" : ", ") +
            ("limited to " + format_bytes(static_cast<double>(info.memory_limit_bytes)));
  }
  return text;
}

std::string device_line(const run::Device& device) {
  std::string text = device.name.empty() ? "unnamed" : device.name;
  if (device.memory_total_bytes) {
    text += ", " + format_bytes(static_cast<double>(*device.memory_total_bytes));
  }
  if (device.power_limit_w) text += ", " + format_number(*device.power_limit_w) + " W";
  if (!device.driver.empty()) text += ", driver " + device.driver;
  if (device.mig) text += ", MIG " + *device.mig;
  if (!device.visible_index) text += ", hidden from the program";
  return text;
}

std::string plain(const std::string& literal) {
  const bool quoted = literal.size() >= 2 && literal.front() == '"' && literal.back() == '"';
  return quoted ? literal.substr(1, literal.size() - 2) : literal;
}

// "loader.workers", "loader.batch_size" -> one field "Loader", "workers 8, batch_size 64".
void add_groups(const std::map<std::string, std::string>& literals,
                const std::map<std::string, std::string>& places, Page& page) {
  std::map<std::string, std::string> groups;
  for (const auto& [key, literal] : literals) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) continue;  // the command, which has a line of its own
    std::string& text = groups[key.substr(0, dot)];
    text += (text.empty() ? "" : ", ") + key.substr(dot + 1) + " " + plain(literal);
  }
  for (const auto& [key, literal] : places) {
    const std::size_t dot = key.find('.');
    if (dot == std::string::npos) continue;
    groups[key.substr(0, dot)] += "; at " + plain(literal);
  }
  for (auto& [name, text] : groups)
    add_field(page, shorten(cleaned(name, page.style()), Page::kWideLabels - 1), text);
}

// Of one metric: the host's, one device's, or all processes together.
struct MetricLine {
  run::Metric metric{};
  std::string source;
  std::uint64_t count = 0;
  std::int64_t sources = 0;
  std::optional<double> min, max;
};

std::vector<MetricLine> metric_lines(const std::vector<run::SeriesRange>& series) {
  std::vector<MetricLine> lines;
  for (const run::SeriesRange& range : series) {
    const bool process = range.source > run::kHostSource;
    const bool more = process && !lines.empty() && lines.back().metric == range.metric &&
                      lines.back().source.empty();
    if (!more) {
      lines.push_back({range.metric, process ? "" : source_label(range.source), 0, 0, {}, {}});
    }
    MetricLine& line = lines.back();
    line.count += range.count;
    ++line.sources;
    if (range.min) line.min = std::min(line.min.value_or(*range.min), *range.min);
    if (range.max) line.max = std::max(line.max.value_or(*range.max), *range.max);
  }
  return lines;
}

std::string reading(double value, std::string_view unit) {
  if (unit == "bytes") return format_bytes(value);
  if (unit == "bytes_per_s") return format_bytes(value) + "/s";
  if (unit == "ratio") return format_percent(value);
  return format_number(value);
}

// A line a metric, or on a narrow page two.
void add_series(const run::Description& from, Page& page) {
  constexpr std::size_t kOneLine = 80;
  constexpr std::size_t kSource = 13;
  constexpr std::size_t kReadings = 8;
  if (from.series.empty()) return;
  const bool narrow = page.columns() < kOneLine;
  const std::size_t names = narrow ? 2 : std::min<std::size_t>(44, page.columns() - 46);
  const auto add = [&](const std::string& name, const std::string& source,
                       const std::string& readings, const std::string& range) {
    const std::string rest = padded(shorten(source, kSource), kSource) + " " +
                             padded_left(readings, kReadings) + "  " + range;
    if (!narrow) {
      page.add({.rank = 0, .lines = {padded(shorten(name, names), names) + " " + rest}});
    } else {
      page.add({.rank = 0, .lines = {shorten(name, page.columns()), "  " + rest}});
    }
  };
  page.add_blank();
  add("Series", "source", "readings", "lowest .. highest");
  for (const MetricLine& line : metric_lines(from.series)) {
    const auto info = run::metric_info(line.metric);
    const std::string name =
        info ? std::string(info->name) : "metric " + std::to_string(static_cast<int>(line.metric));
    const std::string unit(info ? info->unit : "");
    const std::string source =
        line.source.empty()
            ? std::to_string(line.sources) + (line.sources == 1 ? " process" : " processes")
            : line.source;
    std::string range;
    if (line.min && line.max) range = reading(*line.min, unit) + " .. " + reading(*line.max, unit);
    add(name, source, std::to_string(line.count), range);
  }
}

// What a program logged through a tracker: a line a tracked run.
void add_tracked(const run::Description& from, Page& page) {
  for (const run::TrackedRun& tracked : from.tracked) {
    std::string text = tracked.project;
    for (const std::string& part : {tracked.name, tracked.id}) {
      if (!part.empty() && part != tracked.project) text += (text.empty() ? "" : " / ") + part;
    }
    std::size_t values = 0;
    for (const run::TrackedSeries& series : tracked.series) values += series.count;
    text += ": ";
    text += tracked.series.empty() ? "no values"
                                   : base::counted(values, "value", "values") + " of " +
                                         std::to_string(tracked.series.size()) + " series";
    if (!tracked.files.empty()) text += ", " + base::counted(tracked.files.size(), "file", "files");
    if (tracked.lost_values > 0) text += ", " + std::to_string(tracked.lost_values) + " dropped";
    if (tracked.branch) text += "; " + branch_text(*tracked.branch);
    add_field(page, "Tracked", text);
    add_field(page, "Notes", tracked.notes);
  }
}

// Those that were set later and those of the script.
std::vector<std::string> tags_of(const run::Description& from) {
  std::set<std::string> out(from.tags.begin(), from.tags.end());
  for (const run::TrackedRun& tracked : from.tracked) {
    out.insert(tracked.tags.begin(), tracked.tags.end());
  }
  return {out.begin(), out.end()};
}

void add_head(const run::Description& from, Page& page) {
  const Style& style = page.style();
  const std::string name =
      from.run.name.empty() ? "" : " (" + shorten(cleaned(from.run.name, style), 32) + ")";
  const std::string head = "flatout run " + shorten(cleaned(from.run.id, style), 26);
  page.add({.rank = 0, .lines = wrap("", toned(Tone::kHeading, head) + name, page.columns())});
  add_field(page, "State", state_line(from));
  add_field(page, "Started", rfc3339(from.run.started_wall_ns).value_or("not known"));
  add_field(page, "Command", base::joined(from.run.command));
  add_field(page, "Folder", from.run.cwd);
  add_field(page, "Tags", base::joined(tags_of(from), ", "));
  add_field(page, "Note", from.note);
}

void add_machine(const run::Description& from, Page& page) {
  add_field(page, "Host", from.run.host);
  add_field(page, "CPU", cpu_line(from.run));
  add_field(page, "Memory", memory_line(from.run));
  for (const run::Device& device : from.devices) {
    add_field(page, "GPU " + std::to_string(device.index), device_line(device));
  }
  std::map<std::string, std::string> versions;
  for (const auto& [key, literal] : from.environment) {
    if (key.starts_with("versions.")) versions.emplace(key, literal);
  }
  add_groups(versions, {}, page);
}

void add_recorded(const run::Description& from, Page& page) {
  std::uint64_t bytes = 0;
  for (const run::FileSize& file : from.files) bytes += file.bytes;
  std::string text = std::to_string(from.steps) + (from.steps == 1 ? " step, " : " steps, ") +
                     std::to_string(from.batches) + " batches, " +
                     std::to_string(from.processes.all) +
                     (from.processes.all == 1 ? " process (" : " processes (") +
                     std::to_string(from.processes.workers) + " loader workers), " +
                     std::to_string(from.events) + " events";
  if (from.dropped > 0) text += ", " + std::to_string(from.dropped) + " dropped";
  add_field(page, "Recorded", text);
  add_field(page, "Hooks", from.run.hooks_off.empty() ? "" : "off: " + from.run.hooks_off);
  add_field(page, "Stored", format_bytes(static_cast<double>(bytes)) + " in " + from.folder);
  for (const std::string& note : from.notes) add_field(page, "Notice", note);
}

}  // namespace

std::string source_label(std::int32_t source) {
  if (source == run::kHostSource) return "host";
  if (run::is_device_source(source)) return "GPU " + std::to_string(run::device_index(source));
  return "pid " + std::to_string(source);
}

std::string to_text(const run::Description& description, const Style& style) {
  Page page(style, Page::kWideLabels);
  add_head(description, page);
  add_tracked(description, page);
  add_recorded(description, page);
  page.add_blank();
  add_machine(description, page);
  if (description.config.size() > 1) page.add_blank();
  add_groups(description.config, description.places, page);
  add_series(description, page);
  return page.text(std::numeric_limits<std::size_t>::max());
}

}  // namespace flatout::report
