// The machine, and what the program logged.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/terminal_text.h"
#include "report/quantity.h"
#include "report/top/marks.h"
#include "report/top/panels.h"

namespace flatout::report {
namespace {

using Value = std::optional<double>;

// `whole` 0 = not known.
Value share_of(const Value& part, double whole) {
  return part && whole > 0 ? Value(*part / whole) : std::nullopt;
}

TopInk ink_of_load(const Value& share) {
  return share.value_or(0) >= 0.95  ? TopInk::kLoss
         : share.value_or(0) >= 0.8 ? TopInk::kCaution
                                    : TopInk::kAccent;
}

// "label [####....] text" from `x` on, in `room` columns.
void draw_gauge(Grid& grid, std::size_t x, std::size_t y, std::size_t room, const char* label,
                const Value& share, const std::string& text, const std::string& more) {
  grid.put(x, y, label, TopInk::kQuiet);
  const std::size_t bar = std::clamp<std::size_t>(room / 4, 6, 40);
  draw_bar(grid, x + 4, y, bar, share, ink_of_load(share));
  const std::size_t at = grid.put(x + bar + 5, y, text, TopInk::kPlain, room - bar - 5);
  if (at + more.size() < x + room) grid.put(at, y, more, TopInk::kQuiet);
}

std::string cpu_text(const run::WatchedHost& host) {
  std::string out;
  if (host.cpu_cores) out = format_number(*host.cpu_cores);
  if (host.cpus > 0) out += (out.empty() ? "- of " : " of ") + std::to_string(host.cpus) + " cores";
  return out;
}

std::string memory_text(const run::WatchedHost& host) {
  if (!host.memory_used_bytes || !host.memory_total_bytes) return "-";
  return format_bytes_of(*host.memory_used_bytes, *host.memory_total_bytes);
}

// "disk read 1 MB/s write 2 MB/s", "net ...", and what processes wait for; those that fit.
std::vector<std::string> flow_parts(const run::WatchedHost& host) {
  std::vector<std::string> out;
  const auto pair = [&](const char* name, const char* in, const Value& a, const char* to,
                        const Value& b) {
    if (!a && !b) return;
    std::string part = name;
    if (a) part += std::string(" ") + in + " " + format_bytes(*a) + "/s";
    if (b) part += std::string(" ") + to + " " + format_bytes(*b) + "/s";
    out.push_back(std::move(part));
  };
  pair("disk", "read", host.disk_read, "write", host.disk_written);
  pair("net", "in", host.network_received, "out", host.network_sent);
  const auto share = [&](const char* name, const Value& value) {
    if (value && *value >= 0.005) out.push_back(name + (" " + format_percent(*value)));
  };
  share("waits for CPU", host.pressure_cpu);
  share("for memory", host.pressure_memory);
  share("for I/O", host.pressure_io);
  share("held down by its quota", host.throttled);
  return out;
}

void draw_parts(Grid& grid, std::size_t y, const std::vector<std::string>& parts) {
  std::size_t x = 0;
  for (const std::string& part : parts) {
    if (x + part.size() > grid.columns()) return;
    x = grid.put(x, y, part) + 2;
  }
}

std::string value_text(const Value& value) {
  if (!value) return "not finite";
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", *value);
  return text;
}

// Between the least and the largest of the values, so that a small change shows.
void draw_value_history(Grid& grid, std::size_t x, std::size_t y, std::size_t width,
                        const std::vector<double>& values) {
  double least = INFINITY, most = -INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (!(most > least)) return;
  std::vector<double> scaled;
  for (const double value : values) scaled.push_back((value - least) / (most - least));
  draw_history(grid, x, y, width, 1, scaled, 1, TopInk::kAccent);
}

}  // namespace

PanelRows host_rows(const run::Watched&, std::size_t) { return {3, 3}; }

void draw_host(Grid& grid, const run::Watched& watched, PanelPlace place) {
  const bool own = watched.kind != run::WatchedKind::kMachine;
  const run::WatchedHost& host = watched.machine;
  draw_title(grid, place.y, "Machine", {});
  if (place.rows < 2) return;
  const std::size_t half = grid.columns() / 2;
  draw_gauge(grid, 0, place.y + 1, half, "cpu", share_of(host.cpu_cores, host.cpus), cpu_text(host),
             own && host.own_cpu_cores ? ", own " + format_number(*host.own_cpu_cores) : "");
  draw_gauge(grid, half, place.y + 1, grid.columns() - half, "mem",
             share_of(host.memory_used_bytes, host.memory_total_bytes.value_or(0)),
             memory_text(host),
             own && host.own_memory_bytes ? ", own " + format_bytes(*host.own_memory_bytes) : "");
  if (place.rows >= 3) draw_parts(grid, place.y + 2, flow_parts(host));
}

PanelRows value_rows(const run::Watched& watched, std::size_t) {
  if (watched.values.empty()) return {};
  return {2, 1 + std::min<std::size_t>(watched.values.size(), 8)};
}

void draw_values(Grid& grid, const run::Watched& watched, PanelPlace place) {
  const std::size_t count = watched.values.size();
  const std::size_t shown = std::min(count, place.rows - 1);
  const std::string more =
      shown < count ? std::to_string(shown) + " of " + std::to_string(count) + ", the newest" : "";
  draw_title(grid, place.y, "Logged", {more});
  const std::size_t name = std::clamp<std::size_t>(grid.columns() / 4, 10, 40);
  for (std::size_t i = 0; i < shown; ++i) {
    const run::WatchedValue& value = watched.values[i];
    const std::size_t y = place.y + 1 + i;
    grid.put(0, y, base::shorten_to(base::terminal_text(value.name, grid.unicode()), name));
    grid.put_left_of(name + 12, y, value_text(value.last), TopInk::kHeading);
    const std::size_t from = name + 14;
    std::string step = value.step ? "step " + std::to_string(*value.step) : "";
    if (from + step.size() < grid.columns()) {
      grid.put(from, y, step, TopInk::kQuiet);
    }
    const std::size_t history = from + 14;
    if (history + 10 < grid.columns()) {
      draw_value_history(grid, history, y, grid.columns() - history, value.history);
    }
  }
}

}  // namespace flatout::report
