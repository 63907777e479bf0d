// A device a line: use, memory, power, temperature; where there is room a second line with its last
// two minutes and its own counters.
#include <algorithm>
#include <string>

#include "base/terminal_text.h"
#include "report/quantity.h"
#include "report/text_parts.h"
#include "report/top/marks.h"
#include "report/top/panels.h"

namespace flatout::report {
namespace {

using Value = std::optional<double>;

constexpr std::size_t kWideColumns = 110;
constexpr double kHot = 80;

std::string of_whole(const Value& part, const Value& whole, const char* unit) {
  if (!part) return "";
  std::string out = format_number(*part);
  if (whole) out += "/" + format_number(*whole);
  return out + " " + unit;
}

std::string memory_text(const run::WatchedDevice& device) {
  if (!device.memory_used_bytes) return "";
  return device.memory_total_bytes
             ? format_bytes_of(*device.memory_used_bytes, *device.memory_total_bytes)
             : format_bytes(*device.memory_used_bytes);
}

TopInk ink_of_use(const Value& use) {
  if (!use) return TopInk::kQuiet;
  return *use >= 0.8 ? TopInk::kGood : *use >= 0.4 ? TopInk::kCaution : TopInk::kLoss;
}

// "GPU 0 H100 80GB HBM3 [#######...]  71 %  mem 45 of 80 GB  412/700 W  64 C"
void draw_device(Grid& grid, std::size_t y, const run::WatchedDevice& device,
                 std::size_t name_columns) {
  std::size_t x = grid.put(0, y, std::to_string(device.index), TopInk::kHeading) + 1;
  x = std::max<std::size_t>(x, 3);
  grid.put(x, y,
           base::shorten_to(base::terminal_text(short_device_name(device.name), grid.unicode()),
                            name_columns));
  x += name_columns + 1;
  const std::size_t bar = std::clamp<std::size_t>(grid.columns() / 6, 8, 40);
  draw_bar(grid, x, y, bar, device.utilization, ink_of_use(device.utilization));
  x += bar + 1;
  const std::string use = device.utilization ? format_percent(*device.utilization) : "-";
  grid.put_left_of(x + 5, y, use, ink_of_use(device.utilization));
  x += 7;
  const auto field = [&](const std::string& text, std::size_t columns, TopInk ink) {
    if (x + columns > grid.columns()) return;
    grid.put(x, y, text, ink, columns);
    x += columns + 1;
  };
  field(memory_text(device), 15, TopInk::kPlain);
  field(of_whole(device.power_w, device.power_limit_w, "W"), 10, TopInk::kPlain);
  const bool hot = device.temperature_c.value_or(0) >= kHot;
  field(device.temperature_c ? format_number(*device.temperature_c) + " C" : "", 5,
        hot ? TopInk::kCaution : TopInk::kPlain);
  if (device.throttled.value_or(0) > 0.05) {
    field("held down " + format_percent(*device.throttled), 15, TopInk::kLoss);
  }
  if (!device.mig.empty()) field("MIG " + device.mig, 20, TopInk::kQuiet);
  if (grid.columns() < kWideColumns) return;
  if (device.sm_clock_mhz) field(format_number(*device.sm_clock_mhz) + " MHz", 9, TopInk::kQuiet);
  if (device.others_processes.value_or(0) > 0) {
    field(format_number(*device.others_processes) + " others", 9, TopInk::kCaution);
  }
}

std::string counters_text(const run::WatchedDevice& device) {
  std::string out;
  const auto share = [&](const char* name, const Value& value) {
    if (value) out += std::string(out.empty() ? "" : "  ") + name + " " + format_percent(*value);
  };
  const auto rate = [&](const char* name, const Value& value) {
    if (value)
      out += std::string(out.empty() ? "" : "  ") + name + " " + format_bytes(*value) + "/s";
  };
  share("SM", device.sm);
  share("tensor", device.tensor);
  share("DRAM", device.dram);
  rate("PCIe in", device.pcie_received);
  rate("out", device.pcie_sent);
  rate("NVLink in", device.nvlink_received);
  return out;
}

void draw_second_line(Grid& grid, std::size_t y, const run::WatchedDevice& device,
                      std::size_t from) {
  const std::string counters = counters_text(device);
  const std::size_t room = grid.columns() - from;
  const std::size_t history =
      std::min<std::size_t>(120, counters.empty() ? room : std::min(room, grid.columns() / 3));
  draw_history(grid, from, y, history, 1, device.history, 1, TopInk::kAccent);
  grid.put(from + history + 2, y, counters, TopInk::kQuiet);
}

}  // namespace

PanelRows device_rows(const run::Watched& watched, std::size_t) {
  const std::size_t count = watched.devices.size();
  if (count == 0) return {};
  return {1 + std::min<std::size_t>(count, 8), 1 + 2 * count};
}

void draw_devices(Grid& grid, const run::Watched& watched, PanelPlace place) {
  const std::size_t count = watched.devices.size();
  const std::size_t rows = place.rows - 1;
  const std::size_t lines = rows >= 2 * count ? 2 : 1;
  const std::size_t shown = std::min(count, rows / lines);
  std::string more;
  if (shown < count) {
    more = std::to_string(shown) + " of " + std::to_string(count) + ", the others are below";
  }
  draw_title(grid, place.y, "Devices", {more});
  std::size_t name_columns = 4;
  for (const run::WatchedDevice& device : watched.devices) {
    name_columns = std::max(name_columns, base::display_width(short_device_name(device.name)));
  }
  name_columns = std::min(name_columns, grid.columns() < 60 ? std::size_t{6} : grid.columns() / 5);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t y = place.y + 1 + i * lines;
    draw_device(grid, y, watched.devices[i], name_columns);
    if (lines == 2) draw_second_line(grid, y + 1, watched.devices[i], name_columns + 4);
  }
}

}  // namespace flatout::report
