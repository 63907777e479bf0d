#include "report/layout.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/shell_word.h"
#include "base/terminal_text.h"

namespace flatout::report {
namespace {

bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 13> kUnits = {"of", "%",  "ms", "s",   "B", "kB",   "MB",
                                                       "GB", "TB", "PB", "min", "h", "cores"};
  while (!word.empty() && std::string_view(".,;:)").find(word.back()) != std::string_view::npos) {
    word.remove_suffix(1);
  }
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

std::string unmarked(std::string_view text) {
  std::string out(text);
  std::erase_if(out, is_mark);
  return out;
}

struct Piece {
  std::string text;
  std::size_t gap = 1;  // spaces before it, within a line
};

// True when `word` must not start a line of its own: "86 %", "-> x2 [1.9, 2.1]".
bool belongs_to(const std::string& before, std::string_view word) {
  if (before.empty() || word.empty()) return false;
  if (before.ends_with("->") || before.ends_with(" of")) return true;
  if (before.starts_with("->") && word.starts_with('[')) return true;
  if (before.starts_with("->") && (word.starts_with("slower") || word.starts_with("faster")))
    return true;
  if (before.rfind('[') != std::string::npos && before.rfind(']') == std::string::npos) return true;
  return before.back() >= '0' && before.back() <= '9' && is_unit(word);
}

std::vector<Piece> pieces(std::string_view text, std::size_t room) {
  constexpr std::size_t kLongestGlued = 40;
  std::vector<Piece> out;
  std::size_t gap = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    ++gap;
    if (word.empty()) continue;
    const bool glue = gap == 1 && !out.empty() && out.back().text.size() < kLongestGlued &&
                      width_of(out.back().text) + 1 + width_of(word) <= room &&
                      belongs_to(unmarked(out.back().text), unmarked(word));
    if (glue) {
      out.back().text.append(" ").append(word);
    } else {
      out.push_back({std::string(word), std::min<std::size_t>(gap, 2)});
    }
    gap = 0;
  }
  return out;
}

// Lines that grow piece by piece. A tone that is open at the end of a line begins anew on the next.
class Wrapped {
 public:
  Wrapped(std::string_view label, std::size_t columns)
      : indent_(width_of(label)), columns_(columns), width_(indent_), lines_{std::string(label)} {}

  void add(const Piece& piece) {
    if (!fresh_ && width_ + piece.gap + width_of(piece.text) > columns_) next();
    if (!fresh_) append(std::string(piece.gap, ' '), piece.gap);
    std::string_view rest = piece.text;
    while (!rest.empty()) {
      const std::string_view character = rest.substr(0, base::next_character(rest, 0));
      const std::size_t width = width_of(character);
      if (width_ + width > columns_) next();
      if (is_mark(character.front())) {
        tone_ = character.front() == kToneEnds ? '\0' : character.front();
      }
      append(character, width);
      rest.remove_prefix(character.size());
    }
    fresh_ = false;
  }
  std::vector<std::string> take() { return std::move(lines_); }

 private:
  void append(std::string_view text, std::size_t width) {
    lines_.back() += text;
    width_ += width;
  }
  void next() {
    if (tone_ != 0) lines_.back() += kToneEnds;
    lines_.emplace_back(indent_, ' ');
    if (tone_ != 0) lines_.back() += tone_;
    width_ = indent_;
    fresh_ = true;
  }

  std::size_t indent_;
  std::size_t columns_;
  std::size_t width_;  // of the last line
  std::vector<std::string> lines_;
  char tone_ = '\0';   // the mark of the one that is open
  bool fresh_ = true;  // nothing on this line yet
};

// Without spaces at its end, inside of a tone or not.
std::string trimmed(std::string_view line) {
  std::size_t end = line.size();
  while (end > 0 && (line[end - 1] == ' ' || is_mark(line[end - 1]))) --end;
  std::string out(line);
  out.erase(std::remove(out.begin() + static_cast<std::ptrdiff_t>(end), out.end(), ' '), out.end());
  return out;
}

std::size_t count_lines(const std::vector<Block>& blocks) {
  std::size_t lines = 0;
  for (const Block& block : blocks) lines += block.lines.size();
  return lines;
}

// The one that may be shortened before all others; false where none is left.
bool shorten_one(std::vector<Block>& blocks) {
  Block* least = nullptr;
  for (Block& block : blocks) {
    const bool shortens = !block.shorter.empty() && block.shorter.size() < block.lines.size();
    if (shortens && (least == nullptr || least->shortened < block.shortened)) least = &block;
  }
  if (least == nullptr) return false;
  least->lines = std::exchange(least->shorter, {});
  return true;
}

// Those of rank 0, and of the others what there is room for, the most important first.
std::vector<Block> fitting(std::vector<Block> blocks, std::size_t max_lines) {
  if (count_lines(blocks) <= max_lines) return blocks;
  std::vector<const Block*> by_rank;
  for (const Block& block : blocks) by_rank.push_back(&block);
  std::ranges::stable_sort(by_rank, {}, &Block::rank);
  std::vector<const Block*> left_out;
  std::size_t lines = 0;
  for (const Block* block : by_rank) {
    if (block->rank == 0 || lines + block->lines.size() <= max_lines) {
      lines += block->lines.size();
    } else {
      left_out.push_back(block);
    }
  }
  std::vector<Block> kept;
  for (Block& block : blocks) {
    if (std::ranges::find(left_out, &block) == left_out.end()) kept.push_back(std::move(block));
  }
  return kept;
}

// Words as a shell takes them; an option and its value are one, where a line holds both.
std::vector<std::string> units_of(const std::vector<std::string>& words, std::size_t columns,
                                  bool unicode) {
  std::vector<std::string> out;
  bool option = false;  // the last word
  for (const std::string& word : words) {
    const std::string shown = base::shown_shell_word(word, unicode);
    const bool value = option && !word.starts_with('-');
    if (value && width_of(out.back()) + 1 + width_of(shown) <= columns) {
      out.back() += " " + shown;
    } else {
      out.push_back(shown);
    }
    option = word.starts_with("--") && word.size() > 2 && !word.contains('=');
  }
  return out;
}

// A word that is longer than a line goes on in the next one, at its begin: a shell joins the two.
std::vector<std::string> divided(std::string_view word, std::size_t columns, bool unicode) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  while (begin < word.size()) {
    std::size_t end = base::next_character(word, begin);
    while (end < word.size()) {
      const std::size_t more = base::next_character(word, end);
      if (width_of(base::shown_shell_word(word.substr(begin, more - begin), unicode)) > columns)
        break;
      end = more;
    }
    out.push_back(base::shown_shell_word(word.substr(begin, end - begin), unicode));
    begin = end;
  }
  return out;
}

}  // namespace

std::vector<std::string> wrap(std::string_view label, std::string_view text, std::size_t columns) {
  columns = std::max({columns, kFewestColumns, width_of(label) + 16});
  Wrapped lines(label, columns);
  for (const Piece& piece : pieces(text, columns - width_of(label))) lines.add(piece);
  return lines.take();
}

std::vector<std::string> with_home(std::vector<std::string> words, const std::string& home) {
  if (!home.empty()) words.insert(words.end(), {"--home", home});
  return words;
}

std::vector<std::string> command_lines(std::string_view lead, const std::vector<std::string>& words,
                                       const Style& style) {
  constexpr std::string_view kIndent = "    ";
  const std::size_t columns = std::max(style.columns, kFewestColumns) - 2;  // room for " \"
  std::vector<std::string> lines = {std::string(lead)};
  for (const std::string& unit : units_of(words, columns - kIndent.size(), style.unicode)) {
    const std::string gap = lines.back().ends_with(' ') || lines.back().empty() ? "" : " ";
    if (width_of(lines.back() + gap + unit) <= columns) {
      lines.back() += gap + unit;
      continue;
    }
    lines.back() += gap + "\\";
    if (width_of(unit) + kIndent.size() <= columns) {
      lines.push_back(std::string(kIndent) + unit);
      continue;
    }
    const auto word = std::ranges::find_if(words, [&](const std::string& one) {
      return base::shown_shell_word(one, style.unicode) == unit;
    });
    const auto parts = divided(*word, columns, style.unicode);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      lines.push_back(parts[i] + (i + 1 < parts.size() ? "\\" : ""));
    }
  }
  return lines;
}

void Lines::add(std::vector<std::string> lines) {
  std::ranges::move(lines, std::back_inserter(lines_));
}

void Lines::say(std::string_view label, std::string_view text) {
  add(wrap(label, cleaned(text, style_), style_.columns));
}

std::string Lines::text() const {
  std::string out;
  for (const std::string& line : lines_) {
    if (&line != &lines_.front()) out += '\n';
    out += finished(trimmed(line), style_);
  }
  return out;
}

Page::Page(const Style& style, std::size_t label_columns)
    : style_(style), label_columns_(label_columns) {
  style_.columns = std::max(style_.columns, kFewestColumns);
}

std::vector<std::string> Page::field(std::string_view label, std::string_view text) const {
  const std::string head = toned(Tone::kHeading, shorten(label, label_columns_ - 1));
  return wrap(padded(head, label_columns_), text, style_.columns);
}

void Page::add_field(int rank, std::string_view label, std::string_view text,
                     std::string_view shorter) {
  Block block = {.rank = rank, .lines = field(label, text)};
  if (!shorter.empty()) block.shorter = field(label, shorter);
  add(std::move(block));
}

std::string Page::text(std::size_t max_lines) const {
  std::vector<Block> blocks = blocks_;
  while (count_lines(blocks) > max_lines && shorten_one(blocks)) {
  }
  Lines out(style_);
  for (Block& block : fitting(std::move(blocks), max_lines)) out.add(std::move(block.lines));
  return out.text() + "\n";
}

}  // namespace flatout::report
