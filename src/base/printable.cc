#include "base/printable.h"

#include <cstdio>

namespace flatout::base {

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool lone = byte >= 0x80 && byte < 0xa0 && (i == 0 || (text[i - 1] & 0x80) == 0);
    const bool c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if ((byte >= ' ' || byte == '\t' || byte == '\n') && byte != 0x7f && !c1 && !lone) {
      out.push_back(text[i]);
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", c1 ? next : byte);
    out += escape;
    i += c1 ? 1 : 0;
  }
  return out;
}

}  // namespace flatout::base
