#include "report/unified_diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace flatout::report {
namespace {

constexpr std::size_t kContext = 3;
// Of the lines between the first and the last change, squared: more are shown as one change.
constexpr std::size_t kMostCells = 4'000'000;

struct Line {
  char kind;  // ' ', '-' or '+'
  std::string_view text;
};

// With their line breaks.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    out.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

using Lines = std::vector<std::string_view>;

// By the longest common subsequence of what lies between the common beginning and the common end.
void add_middle(const Lines& before, const Lines& after, std::vector<Line>& out) {
  const std::size_t rows = before.size();
  const std::size_t columns = after.size();
  const std::size_t width = columns + 1;
  const bool small = rows * width <= kMostCells;
  std::vector<std::uint32_t> common(small ? (rows + 1) * width : 0);
  for (std::size_t i = rows; small && i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      common[i * width + j] =
          before[i] == after[j] ? common[(i + 1) * width + j + 1] + 1
                                : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (small && i < rows && j < columns && before[i] == after[j]) {
      out.push_back({' ', before[i]});
      ++i, ++j;
      continue;
    }
    const bool takes_away = i < rows && (j == columns || !small ||
                                         common[(i + 1) * width + j] >= common[i * width + j + 1]);
    if (takes_away) {
      out.push_back({'-', before[i++]});
    } else {
      out.push_back({'+', after[j++]});
    }
  }
}

std::vector<Line> compared(const Lines& before, const Lines& after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  std::vector<Line> out;
  for (std::size_t i = 0; i < head; ++i) out.push_back({' ', before[i]});
  const auto middle = [&](const Lines& all) {
    return Lines(all.begin() + static_cast<std::ptrdiff_t>(head),
                 all.end() - static_cast<std::ptrdiff_t>(tail));
  };
  add_middle(middle(before), middle(after), out);
  for (std::size_t i = before.size() - tail; i < before.size(); ++i)
    out.push_back({' ', before[i]});
  return out;
}

// "12,7": the first line, counted from 1, and how many; of none, the line before it.
std::string range(std::size_t before_it, std::size_t count) {
  return std::to_string(count == 0 ? before_it : before_it + 1) + "," + std::to_string(count);
}

struct Counted {
  std::size_t before = 0, after = 0;  // lines of the two texts

  void add(const Line& line) {
    if (line.kind != '+') ++before;
    if (line.kind != '-') ++after;
  }
};

// Lines [first, end); `gone` is how many there are before them.
std::string hunk(const std::vector<Line>& lines, std::size_t first, std::size_t end,
                 const Counted& gone) {
  Counted inside;
  std::string body;
  for (std::size_t i = first; i < end; ++i) {
    inside.add(lines[i]);
    body.append(1, lines[i].kind).append(lines[i].text);
    if (!lines[i].text.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return "@@ -" + range(gone.before, inside.before) + " +" + range(gone.after, inside.after) +
         " @@\n" + body;
}

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  const std::vector<Line> lines = compared(lines_of(before), lines_of(after));
  std::string hunks;
  Counted gone;
  std::size_t done = 0;
  const auto changed = [&](std::size_t from) {
    return static_cast<std::size_t>(
        std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(from), lines.end(),
                     [](const Line& line) { return line.kind != ' '; }) -
        lines.begin());
  };
  for (std::size_t next = changed(0); next < lines.size();) {
    const std::size_t first = std::max(done, next - std::min(next, kContext));
    std::size_t end = next;
    // Changes whose contexts would meet are one hunk.
    while (next < lines.size() && next <= end + 2 * kContext) {
      end = next + 1;
      next = changed(end);
    }
    end = std::min(end + kContext, lines.size());
    for (std::size_t i = done; i < first; ++i) gone.add(lines[i]);
    hunks += hunk(lines, first, end, gone);
    for (std::size_t i = first; i < end; ++i) gone.add(lines[i]);
    done = end;
  }
  if (hunks.empty()) return "";
  const std::string name(path);
  return "--- a/" + name + "\n+++ b/" + name + "\n" + hunks;
}

}  // namespace flatout::report
