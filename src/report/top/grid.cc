#include "report/top/grid.h"

#include <algorithm>

#include "base/terminal_text.h"

namespace flatout::report {

Grid::Grid(std::size_t columns, std::size_t rows, bool unicode)
    : columns_(columns), rows_(rows), unicode_(unicode), cells_(columns * rows) {}

std::size_t Grid::put(std::size_t x, std::size_t y, std::string_view text, TopInk ink,
                      std::size_t room) {
  if (y >= rows_ || x >= columns_) return x;
  const std::size_t end = room > columns_ - x ? columns_ : x + room;
  const std::string safe = base::terminal_text(text, unicode_);
  for (std::size_t at = 0; at < safe.size();) {
    const std::size_t next = base::next_character(safe, at);
    const std::string character = safe.substr(at, next - at);
    at = next;
    const std::size_t width = base::display_width(character);
    if (width == 0) {  // joins the character before it, of which a cell holds a few
      if (x > 0 && cells_[y * columns_ + x - 1].text.size() < 16) {
        cells_[y * columns_ + x - 1].text += character;
      }
      continue;
    }
    if (x + width > end) break;
    cells_[y * columns_ + x] = {character, ink};
    if (width == 2) cells_[y * columns_ + x + 1] = {"", ink};
    x += width;
  }
  return x;
}

void Grid::put_left_of(std::size_t end, std::size_t y, std::string_view text, TopInk ink) {
  const std::size_t width = base::display_width(base::terminal_text(text, unicode_));
  put(end - std::min(end, width), y, text, ink);
}

void Grid::mark(std::size_t x, std::size_t y, std::string_view character, TopInk ink) {
  if (x < columns_ && y < rows_) cells_[y * columns_ + x] = {std::string(character), ink};
}

std::string Grid::text() const {
  std::string out;
  for (std::size_t y = 0; y < rows_; ++y) {
    std::string line;
    for (std::size_t x = 0; x < columns_; ++x) line += at(x, y).text;
    line.resize(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace flatout::report
