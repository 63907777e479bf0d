// A page of kTextColumns by kTextLines: wrapping, cutting, and choosing what
// to leave out. Pure.
//
// A page is a list of blocks. A block is never cut in half: when the page is
// too long, whole blocks go, the greatest `rank` first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace flatout::report {

// Printable ASCII only: a control character becomes a space, any other
// character a '?'.
std::string to_ascii(std::string_view text);

// At most `columns` characters; what is cut out of the middle is shown as
// "...", since both ends of a path or a name say the most.
std::string shorten(std::string_view text, std::size_t columns);

// Lines of at most `columns`. The first starts with `label`, the others with
// as many spaces. A number stays with its unit. With more than `max_lines`
// the last one ends in "...".
std::vector<std::string> wrap(std::string_view label, std::string_view text, std::size_t columns,
                              std::size_t max_lines);

struct Block {
  int rank = 0;  // 0 is never left out
  std::vector<std::string> lines;
};

class Page {
 public:
  void add(int rank, std::vector<std::string> lines);
  void add_field(int rank, std::string_view label, std::string_view text,
                 std::size_t max_lines = 2);
  void add_blank() { add(0, {""}); }
  // The page as text. Consumes nothing; may be called again.
  std::string text(std::size_t max_lines, std::size_t columns) const;

 private:
  std::vector<Block> blocks_;
};

}  // namespace flatout::report
