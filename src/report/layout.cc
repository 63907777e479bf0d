#include "report/layout.h"

#include <algorithm>
#include <array>
#include <utility>

#include "report/text.h"

namespace flatout::report {
namespace {

constexpr std::size_t kLabelColumns = 8;
constexpr std::size_t kLongestLabel = 14;  // which moves its own text to the right

bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 13> kUnits = {"of", "%",  "ms", "s",   "B", "kB",   "MB",
                                                       "GB", "TB", "PB", "min", "h", "cores"};
  while (!word.empty() && std::string_view(".,;:)").find(word.back()) != std::string_view::npos) {
    word.remove_suffix(1);
  }
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

struct Piece {
  std::string text;
  std::size_t gap = 1;  // spaces before it, within a line
};

// True when `word` must not start a line of its own: "86 %", "-> x2 [1.9, 2.1]".
bool belongs_to(const std::string& before, std::string_view word) {
  if (before.ends_with("->") || before.ends_with(" of")) return true;
  if (before.starts_with("->") && word.starts_with('[')) return true;
  if (before.rfind('[') != std::string::npos && before.rfind(']') == std::string::npos) return true;
  return before.back() >= '0' && before.back() <= '9' && is_unit(word);
}

std::vector<Piece> pieces(std::string_view text) {
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
                      belongs_to(out.back().text, word);
    if (glue) {
      out.back().text.append(" ").append(word);
    } else {
      out.push_back({std::string(word), std::min<std::size_t>(gap, 2)});
    }
    gap = 0;
  }
  return out;
}

std::size_t count_lines(const std::vector<Block>& blocks) {
  std::size_t lines = 0;
  for (const Block& block : blocks) lines += block.lines.size();
  return lines;
}

}  // namespace

std::string to_ascii(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += ' ';
    } else if (byte >= 0xc0) {
      out += '?';  // the first byte of a character; the rest of it is silent
    }
  }
  return out;
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (text.size() <= columns) return std::string(text);
  if (columns <= 3) return std::string(text.substr(0, columns));
  const std::size_t head = (columns - 3) / 2;
  const std::size_t tail = columns - 3 - head;
  return std::string(text.substr(0, head)) + "..." + std::string(text.substr(text.size() - tail));
}

std::vector<std::string> wrap(std::string_view label, std::string_view text, std::size_t columns,
                              std::size_t max_lines) {
  std::vector<std::string> lines = {std::string(label)};
  const std::string indent(label.size(), ' ');
  const std::size_t room = columns - std::min(columns - 4, label.size());
  bool fresh = true;  // nothing on this line yet
  for (const auto& [whole, gap] : pieces(text)) {
    const std::string piece = shorten(whole, room);
    if (!fresh && lines.back().size() + gap + piece.size() > columns) {
      if (lines.size() == max_lines) {
        lines.back().resize(std::min(lines.back().size(), columns - 4));
        lines.back().erase(lines.back().find_last_not_of(' ') + 1);
        lines.back() += " ...";
        return lines;
      }
      lines.push_back(indent);
      fresh = true;
    }
    if (!fresh) lines.back().append(gap, ' ');
    lines.back() += piece;
    fresh = false;
  }
  return lines;
}

void Page::add(int rank, std::vector<std::string> lines) {
  blocks_.push_back({rank, std::move(lines)});
}

void Page::add_field(int rank, std::string_view label, std::string_view text,
                     std::size_t max_lines) {
  std::string padded =
      shorten(label, label.size() < kLabelColumns ? kLabelColumns - 1 : kLongestLabel);
  padded.resize(std::max(kLabelColumns, padded.size() + 2), ' ');
  add(rank, wrap(padded, to_ascii(text), kTextColumns, max_lines));
}

std::string Page::text(std::size_t max_lines, std::size_t columns) const {
  std::vector<Block> kept = blocks_;
  while (count_lines(kept) > max_lines) {
    const auto least = std::max_element(
        kept.begin(), kept.end(), [](const Block& a, const Block& b) { return a.rank < b.rank; });
    if (least->rank == 0) break;
    kept.erase(least);
  }
  std::string out;
  std::size_t written = 0;
  for (const Block& block : kept) {
    for (const std::string& line : block.lines) {
      if (written++ == max_lines) return out;
      std::string shown = to_ascii(line).substr(0, columns);
      shown.erase(shown.find_last_not_of(' ') + 1);
      out += shown + "\n";
    }
  }
  return out;
}

}  // namespace flatout::report
