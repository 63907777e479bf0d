// The processes: as many as there is room for.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "base/terminal_text.h"
#include "report/quantity.h"
#include "report/top/marks.h"
#include "report/top/panels.h"

namespace flatout::report {
namespace {

using Value = std::optional<double>;

double key_of(const run::WatchedProcess& process, TopSort sort) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  switch (sort) {
    case TopSort::kMemory:
      return process.rss_bytes.value_or(kNone);
    case TopSort::kRead:
      return process.read_bytes_per_s.value_or(kNone);
    case TopSort::kDevice:
      return process.device_memory_bytes.value_or(kNone);
    case TopSort::kPid:
      return -static_cast<double>(process.pid);
    case TopSort::kCpu:
      break;
  }
  return process.cpu_cores.value_or(kNone);
}

std::string role_text(const run::WatchedProcess& process) {
  switch (process.role) {
    case run::ProcRole::kMain:
      return process.rank >= 0 ? "rank " + std::to_string(process.rank) : "main";
    case run::ProcRole::kWorker:
      return process.worker >= 0 ? "worker " + std::to_string(process.worker) : "worker";
    case run::ProcRole::kLauncher:
      return "launcher";
    case run::ProcRole::kOther:
      break;
  }
  return "";
}

std::string bytes_text(const Value& value) { return value ? format_bytes(*value) : "-"; }

std::string rate_text(const Value& value) { return value ? format_bytes(*value) + "/s" : "-"; }

std::string cores_text(const Value& cores) {
  if (!cores) return "-";
  char text[32];
  std::snprintf(text, sizeof text, *cores < 99.95 ? "%.2f" : "%.0f", *cores);
  return text;
}

TopInk ink_of_cpu(const Value& cores) {
  return cores.value_or(0) >= 0.9 ? TopInk::kGood : TopInk::kPlain;
}

}  // namespace

ProcessColumns process_columns(const run::Watched& watched, std::size_t columns) {
  const bool devices = std::ranges::any_of(watched.processes, [](const auto& process) {
    return process.device_memory_bytes.has_value();
  });
  const bool roles = std::ranges::any_of(
      watched.processes, [](const auto& process) { return !role_text(process).empty(); });
  ProcessColumns out;
  std::size_t at = 0;
  const auto take = [&](std::size_t width, std::size_t fewest) {
    if (columns < fewest) return std::size_t{0};
    at += width;
    return at;
  };
  out.pid = take(8, 0);
  if (roles) out.role = take(11, 50);
  out.cpu = take(8, 0);
  out.memory = take(10, 0);
  out.read = take(12, 60);
  if (devices) out.device = take(10, 60);
  out.threads = take(5, 100);
  out.command = at + 2;
  return out;
}

void draw_processes(Grid& grid, const run::Watched& watched, const TopView& view,
                    PanelPlace place) {
  if (place.rows == 0) return;
  const ProcessColumns columns = process_columns(watched, grid.columns());
  std::vector<const run::WatchedProcess*> order;
  for (const run::WatchedProcess& process : watched.processes) order.push_back(&process);
  std::ranges::stable_sort(order, std::greater<>(), [&](const run::WatchedProcess* process) {
    return key_of(*process, view.sort);
  });
  const std::size_t shown = place.rows > 2 ? place.rows - 2 : 0;
  const std::size_t last = order.size() - std::min(order.size(), shown);
  const std::size_t first = std::min(view.first, last);
  std::string more;
  if (order.size() > shown && shown > 0) {
    more = std::to_string(first + 1) + " to " + std::to_string(first + shown) + " of " +
           std::to_string(order.size());
  }
  draw_title(grid, place.y, "Processes", {more});
  if (place.rows < 2) return;
  const auto head = [&](std::size_t end, std::string_view text, TopSort sort) {
    if (end == 0) return;
    grid.put_left_of(end, place.y + 1, text, view.sort == sort ? TopInk::kChosen : TopInk::kQuiet);
  };
  head(columns.pid, "pid", TopSort::kPid);
  if (columns.role > 0) grid.put(columns.pid + 1, place.y + 1, "role", TopInk::kQuiet);
  head(columns.cpu, "cores", TopSort::kCpu);
  head(columns.memory, "memory", TopSort::kMemory);
  head(columns.read, "read", TopSort::kRead);
  head(columns.device, "gpu mem", TopSort::kDevice);
  if (columns.threads > 0) grid.put_left_of(columns.threads, place.y + 1, "thr", TopInk::kQuiet);
  grid.put(columns.command, place.y + 1, "command", TopInk::kQuiet);
  for (std::size_t i = 0; i < shown && first + i < order.size(); ++i) {
    const run::WatchedProcess& process = *order[first + i];
    const std::size_t y = place.y + 2 + i;
    const auto cell = [&](std::size_t end, const std::string& text, TopInk ink = TopInk::kPlain) {
      if (end > 0) grid.put_left_of(end, y, text, ink);
    };
    cell(columns.pid, std::to_string(process.pid));
    if (columns.role > 0) grid.put(columns.pid + 1, y, role_text(process), TopInk::kAccent, 10);
    cell(columns.cpu, cores_text(process.cpu_cores), ink_of_cpu(process.cpu_cores));
    cell(columns.memory, bytes_text(process.rss_bytes));
    cell(columns.read, rate_text(process.read_bytes_per_s));
    cell(columns.device, bytes_text(process.device_memory_bytes));
    cell(columns.threads, process.threads ? format_number(*process.threads) : "-");
    grid.put(columns.command, y, process.command);
  }
}

}  // namespace flatout::report
