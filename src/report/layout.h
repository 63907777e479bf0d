// A page of text: wrapping, and choosing what to leave out. Pure.
//
// A page is a list of blocks. A block is never cut: when the page is too long, blocks take their
// shorter form; where that is not enough, those of the smallest rank stay, and of the others what
// there is room for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/style.h"

namespace flatout::report {

// Lines at most `columns` wide: words that are longer are divided. The first starts with `label`,
// the others with as many spaces. A number stays with its unit. `text` is cleaned, and may have
// tones; those of a part that is wrapped end with its line and begin anew.
std::vector<std::string> wrap(std::string_view label, std::string_view text, std::size_t columns);

// The words of a command as a shell takes them, copied with all their lines: one that goes on ends
// in a backslash. `lead` comes before them. ASCII, or cleaned Unicode where `style` has it.
std::vector<std::string> command_lines(std::string_view lead, const std::vector<std::string>& words,
                                       const Style& style);

// `words` with the --home that they need; as they are where it is "".
std::vector<std::string> with_home(std::vector<std::string> words, const std::string& home);

// Lines below each other that are all shown, such as the end of a verb's answer.
class Lines {
 public:
  explicit Lines(const Style& style) : style_(style) {}
  const Style& style() const { return style_; }
  void add(std::vector<std::string> lines);
  // `text` of anybody, wrapped.
  void say(std::string_view label, std::string_view text);
  // As `style` has them, without spaces at their ends and the last line end.
  std::string text() const;

 private:
  Style style_;
  std::vector<std::string> lines_;
};

struct Block {
  int rank = 0;  // 0 is never left out
  std::vector<std::string> lines;
  std::vector<std::string> shorter = {};  // fewer lines that say the most important; empty = none
  int shortened = rank;                   // the rank by which it takes them
};

class Page {
 public:
  static constexpr std::size_t kLabelColumns = 9;
  static constexpr std::size_t kWideLabels = 11;
  explicit Page(const Style& style = {}, std::size_t label_columns = kLabelColumns);
  const Style& style() const { return style_; }
  std::size_t columns() const { return style_.columns; }
  // For the text of a field, beside its label.
  std::size_t room() const { return style_.columns - label_columns_; }

  void add(Block block) { blocks_.push_back(std::move(block)); }
  // `text`, cleaned, beside `label`, which fits into its column. `shorter`: of the text, "" = none.
  void add_field(int rank, std::string_view label, std::string_view text,
                 std::string_view shorter = {});
  void add_blank(int rank = 0) { add({.rank = rank, .lines = {""}}); }
  // The page as text, of at most `max_lines` lines where those of rank 0 are not more. Consumes
  // nothing; may be called again.
  std::string text(std::size_t max_lines) const;

 private:
  std::vector<std::string> field(std::string_view label, std::string_view text) const;

  Style style_;
  std::size_t label_columns_;
  std::vector<Block> blocks_;
};

}  // namespace flatout::report
