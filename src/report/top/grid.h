// A screen as cells. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flatout::report {

// What a cell means; the terminal gives it a colour, or nothing where it has none.
enum class TopInk : std::uint8_t {
  kPlain,
  kQuiet,    // lines, labels, what stands in the background
  kHeading,  // bold
  kGood,
  kCaution,
  kLoss,
  kAccent,
  kChosen,  // reverse
  kPhase0,  // run::Phase p is kPhase0 + p
  kPhase8 = kPhase0 + 8,
};
constexpr TopInk ink_of_phase(std::size_t phase) {
  return static_cast<TopInk>(static_cast<std::size_t>(TopInk::kPhase0) + phase);
}

struct TopCell {
  std::string text = " ";  // one character, with what joins it; "" behind a wide one
  TopInk ink = TopInk::kPlain;
  friend bool operator==(const TopCell&, const TopCell&) = default;
};

class Grid {
 public:
  Grid(std::size_t columns, std::size_t rows, bool unicode);

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  bool unicode() const { return unicode_; }
  const TopCell& at(std::size_t x, std::size_t y) const { return cells_[y * columns_ + x]; }

  // Text of anybody from (x, y) on, made harmless, at most `room` columns; what does not fit is
  // left out. Returns the column behind it. Outside of the grid nothing happens.
  std::size_t put(std::size_t x, std::size_t y, std::string_view text, TopInk ink = TopInk::kPlain,
                  std::size_t room = SIZE_MAX);
  // Ending at column `end`, exclusive.
  void put_left_of(std::size_t end, std::size_t y, std::string_view text,
                   TopInk ink = TopInk::kPlain);
  // One character of our own, as it is.
  void mark(std::size_t x, std::size_t y, std::string_view character, TopInk ink);

  // Lines without spaces at their ends.
  std::string text() const;

 private:
  std::size_t columns_, rows_;
  bool unicode_;
  std::vector<TopCell> cells_;
};

}  // namespace flatout::report
