#include "store/output/output_record.h"

#include <algorithm>
#include <charconv>

#include "base/terminal_text.h"

namespace flatout::store {
namespace {

template <typename T>
bool take_number(std::string_view& text, T& value) {
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  if (done.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(done.ptr - text.data()));
  return true;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// Behind the escape sequence at `at` (an ESC).
std::size_t behind_escape(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (end >= text.size()) return end;
  const char kind = text[end++];
  if (kind == '[') {  // CSI: parameters, then one letter
    while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
    return std::min(end + 1, text.size());
  }
  if (kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X') {  // to ST or BEL
    for (; end < text.size(); ++end) {
      if (text[end] == '\a') return end + 1;
      if (text[end] == '\x1b') return std::min(end + 2, text.size());
    }
    return end;
  }
  while (kind >= ' ' && kind <= '/' && end < text.size() && text[end] >= ' ' && text[end] <= '/') {
    ++end;
  }
  return kind >= ' ' && kind <= '/' ? std::min(end + 1, text.size()) : end;
}

}  // namespace

std::optional<OutputLine> parse_output_record(std::string_view record, bool finished) {
  OutputLine line;
  if (!take_number(record, line.t_ns) || line.t_ns < 0 || !take(record, '\t') || record.empty()) {
    return std::nullopt;
  }
  const char tag = record.front();
  record.remove_prefix(1);
  if (!take(record, '\t')) return std::nullopt;
  if (tag == '-') {
    line.is_gap = true;
    if (!take_number(record, line.left_out_lines) || !take(record, ' ') ||
        !take_number(record, line.left_out_bytes)) {
      return std::nullopt;
    }
    return line;
  }
  if (tag != 'o' && tag != 'e') return std::nullopt;
  line.stream = tag == 'o' ? OutputStream::kStdout : OutputStream::kStderr;
  line.going_on = !finished;
  const std::size_t count = record.find('\0');
  if (count != std::string_view::npos) {
    std::string_view number = record.substr(count + 1);
    if (!take_number(number, line.left_out_bytes)) line.left_out_bytes = 0;
    record = record.substr(0, count);
  }
  line.text = record;
  return line;
}

std::size_t output_record_end(std::string_view bytes, std::size_t at) {
  const std::size_t end = bytes.find_first_of(std::string_view("\n\r", 2), at);
  return end == std::string_view::npos ? bytes.size() : end + 1;
}

std::string shown_output(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\x1b') {
      at = behind_escape(text, at);
    } else if (text[at] == '\b') {  // as a terminal has it, of ASCII at least
      if (!plain.empty() && plain.back() != '\t') plain.pop_back();
      ++at;
    } else {
      plain += text[at++];
    }
  }
  std::string out;
  for (std::size_t from = 0; from <= plain.size();) {
    const std::size_t tab = std::min(plain.find('\t', from), plain.size());
    out += base::terminal_text(std::string_view(plain).substr(from, tab - from), true);
    if (tab < plain.size()) out += '\t';
    from = tab + 1;
  }
  return out;
}

}  // namespace flatout::store
