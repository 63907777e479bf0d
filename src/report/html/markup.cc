#include "report/html/markup.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace flatout::report::html {
namespace {

constexpr char32_t kReplacement = 0xfffd;

// One character from the front of `text`, which is not empty.
char32_t take_character(std::string_view& text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  std::size_t length = 1;
  char32_t value = lead;
  if (lead >= 0xf0 && lead < 0xf5) {
    length = 4;
    value = lead & 0x07U;
  } else if (lead >= 0xe0 && lead < 0xf0) {
    length = 3;
    value = lead & 0x0fU;
  } else if (lead >= 0xc2 && lead < 0xe0) {
    length = 2;
    value = lead & 0x1fU;
  } else if (lead >= 0x80) {
    text.remove_prefix(1);
    return kReplacement;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || (byte(i) & 0xc0U) != 0x80U) {
      text.remove_prefix(i);
      return kReplacement;
    }
    value = (value << 6U) | (byte(i) & 0x3fU);
  }
  text.remove_prefix(length);
  const bool too_long = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  return too_long || surrogate || value > 0x10ffff ? kReplacement : value;
}

// Marks of direction and of invisible width: they make a line read as another.
bool deceives(char32_t c) {
  return (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c == 0x061c;
}

char32_t shown(char32_t c) {
  if (c == '\n' || c == '\t') return c;
  if (c < 0x20) return 0x2400 + c;
  if (c == 0x7f) return 0x2421;
  if (c >= 0x80 && c < 0xa0) return kReplacement;
  if ((c & 0xfffeU) == 0xfffeU) return kReplacement;  // the non-characters of each plane
  return deceives(c) ? kReplacement : c;
}

void append_utf8(std::string& out, char32_t c) {
  const auto push = [&out](char32_t bits) { out += static_cast<char>(bits); };
  if (c < 0x80) {
    push(c);
  } else if (c < 0x800) {
    push(0xc0U | (c >> 6U));
    push(0x80U | (c & 0x3fU));
  } else if (c < 0x10000) {
    push(0xe0U | (c >> 12U));
    push(0x80U | ((c >> 6U) & 0x3fU));
    push(0x80U | (c & 0x3fU));
  } else {
    push(0xf0U | (c >> 18U));
    push(0x80U | ((c >> 12U) & 0x3fU));
    push(0x80U | ((c >> 6U) & 0x3fU));
    push(0x80U | (c & 0x3fU));
  }
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char32_t c = shown(take_character(text));
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        append_utf8(out, c);
    }
  }
  return out;
}

std::string exact(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

void Markup::begin(std::string_view tag, Attributes attributes) {
  out_.append("<").append(tag);
  for (const Attribute& attribute : attributes) {
    out_.append(" ").append(attribute.name).append("=\"");
    out_.append(escape(attribute.value)).append("\"");
  }
}

void Markup::open(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  out_ += '>';
  open_.emplace_back(tag);
}

void Markup::close() {
  if (open_.empty()) return;
  out_.append("</").append(open_.back()).append(">");
  open_.pop_back();
}

void Markup::empty(std::string_view tag, Attributes attributes) {
  begin(tag, attributes);
  out_ += "/>";
}

void Markup::element(std::string_view tag, Attributes attributes, std::string_view content) {
  open(tag, attributes);
  text(content);
  close();
}

void Markup::number(double value, std::string_view shown_text) {
  if (std::isfinite(value)) {
    element("data", {{"value", exact(value)}}, shown_text);
  } else {
    text(shown_text);
  }
}

std::string Markup::take() {
  while (!open_.empty()) close();
  return std::move(out_);
}

}  // namespace flatout::report::html
