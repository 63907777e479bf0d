// Bars and lines of small marks. Internal to report/top. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/top/grid.h"

namespace flatout::report {

// `share` of `width` cells; nothing but the empty bar where it is absent.
void draw_bar(Grid& grid, std::size_t x, std::size_t y, std::size_t width,
              const std::optional<double>& share, TopInk ink);

// The newest of `values` at the right end, a column each, of a scale from 0 to `most`; `rows` high,
// from `y` on downwards. NaN leaves a gap.
void draw_history(Grid& grid, std::size_t x, std::size_t y, std::size_t width, std::size_t rows,
                  std::span<const double> values, double most, TopInk ink);

// The phases of a step as one bar of `width` cells: coloured blocks, letters without colours.
void draw_phases(Grid& grid, std::size_t x, std::size_t y, std::size_t width,
                 const std::vector<std::pair<std::string, double>>& phases, bool colour);
// 'w' of data_wait: its letter in such a bar.
char phase_letter(std::string_view phase);
TopInk ink_of_phase_name(std::string_view phase);

// "─ Title ───────", over the whole width.
// Behind it those of `parts` that fit, the first first.
void draw_title(Grid& grid, std::size_t y, std::string_view title,
                const std::vector<std::string>& parts);

}  // namespace flatout::report
