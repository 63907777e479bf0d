#include "report/top/marks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "run/phase.h"

namespace flatout::report {
namespace {

constexpr std::array<std::string_view, 9> kRising = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> kFilling = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 9> kRisingAscii = {" ", ".", ".", ":", ":",
                                                          "-", "=", "#", "#"};
// By run::Phase.
constexpr std::string_view kLetters = ".whfbocsk";

std::size_t phase_number(std::string_view phase) {
  const auto found = std::ranges::find(run::kPhaseNames, phase);
  const auto number = static_cast<std::size_t>(found - run::kPhaseNames.begin());
  return number < run::kPhaseCount ? number : 0;
}

}  // namespace

char phase_letter(std::string_view phase) { return kLetters[phase_number(phase)]; }
TopInk ink_of_phase_name(std::string_view phase) { return ink_of_phase(phase_number(phase)); }

void draw_bar(Grid& grid, std::size_t x, std::size_t y, std::size_t width,
              const std::optional<double>& share, TopInk ink) {
  const double filled = share && std::isfinite(*share)
                            ? std::clamp(*share, 0.0, 1.0) * static_cast<double>(width)
                            : 0;
  for (std::size_t i = 0; i < width; ++i) {
    const double part = std::clamp(filled - static_cast<double>(i), 0.0, 1.0);
    const auto eighths = static_cast<std::size_t>(std::lround(part * 8));
    if (eighths == 0) {
      grid.mark(x + i, y, grid.unicode() ? "·" : ".", TopInk::kQuiet);
    } else if (grid.unicode()) {
      grid.mark(x + i, y, kFilling[eighths], ink);
    } else {
      grid.mark(x + i, y, eighths >= 4 ? "#" : ".", eighths >= 4 ? ink : TopInk::kQuiet);
    }
  }
}

void draw_history(Grid& grid, std::size_t x, std::size_t y, std::size_t width, std::size_t rows,
                  std::span<const double> values, double most, TopInk ink) {
  if (!(most > 0) || rows == 0) return;
  const std::size_t shown = std::min(width, values.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const double value = values[values.size() - shown + i];
    if (!std::isfinite(value)) continue;
    // In eighths of a cell; what is there at all shows.
    const double height = std::clamp(value / most, 0.0, 1.0) * static_cast<double>(rows * 8);
    auto eighths = static_cast<std::size_t>(std::lround(height));
    if (eighths == 0) eighths = 1;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t below = row * 8;
      if (eighths <= below) break;
      const std::size_t part = std::min<std::size_t>(8, eighths - below);
      grid.mark(x + width - shown + i, y + rows - 1 - row,
                grid.unicode() ? kRising[part] : kRisingAscii[part], ink);
    }
  }
}

void draw_phases(Grid& grid, std::size_t x, std::size_t y, std::size_t width,
                 const std::vector<std::pair<std::string, double>>& phases, bool colour) {
  double sum = 0;
  std::size_t at = 0;
  for (const auto& [name, share] : phases) {
    sum += std::isfinite(share) ? std::max(0.0, share) : 0;
    const auto end =
        std::min(width, static_cast<std::size_t>(std::lround(sum * static_cast<double>(width))));
    for (; at < end; ++at) {
      const bool block = colour && grid.unicode();
      grid.mark(x + at, y, block ? "█" : std::string(1, phase_letter(name)),
                ink_of_phase_name(name));
    }
  }
}

void draw_title(Grid& grid, std::size_t y, std::string_view title,
                const std::vector<std::string>& parts) {
  const std::string_view line = grid.unicode() ? "─" : "-";
  for (std::size_t x = 0; x < grid.columns(); ++x) grid.mark(x, y, line, TopInk::kQuiet);
  std::size_t x = grid.put(2, y, " ", TopInk::kQuiet);
  x = grid.put(x, y, title, TopInk::kHeading);
  std::string_view before = "  ";
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (x + before.size() + part.size() + 2 > grid.columns()) break;
    x = grid.put(grid.put(x, y, before, TopInk::kQuiet), y, part);
    before = ", ";
  }
  grid.put(x, y, " ", TopInk::kQuiet);
}

}  // namespace flatout::report
