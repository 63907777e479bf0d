#include "store/output/output_filter.h"

#include <algorithm>

namespace flatout::store {
namespace {

char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool holds_text(std::string_view text, std::string_view wanted) {
  if (wanted.empty()) return true;
  return std::ranges::search(text, wanted, [](char a, char b) {
           return lower_ascii(a) == lower_ascii(b);
         }).begin() != text.end();
}

}  // namespace

bool show_if_wanted(const OutputFilter& filter, OutputLine& line) {
  if (filter.pid && line.pid != *filter.pid) return false;
  if (line.is_gap) return filter.contains.empty() && !filter.stream;
  if (filter.stream && line.stream != *filter.stream) return false;
  line.text = shown_output(line.text);
  return holds_text(line.text, filter.contains);
}

}  // namespace flatout::store
