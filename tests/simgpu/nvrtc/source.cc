#include <cctype>
#include <cstring>
#include <string_view>

#include "nvrtc/program.h"

namespace simgpu::nvrtc {
namespace {

bool is_of_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
}

std::string_view take_word(std::string_view& text) {
  skip_spaces(text);
  std::size_t bytes = 0;
  while (bytes < text.size() && is_of_word(text[bytes])) {
    ++bytes;
  }
  const std::string_view word = text.substr(0, bytes);
  text.remove_prefix(bytes);
  return word;
}

void skip_parentheses(std::string_view& text) {
  skip_spaces(text);
  int depth = 0;
  while (!text.empty()) {
    const char letter = text.front();
    depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
    text.remove_prefix(1);
    if (depth <= 0) {
      return;
    }
  }
}

}  // namespace

std::vector<std::string> kernels_in(const std::string& source) {
  constexpr std::string_view kGlobal = "__global__";
  std::vector<std::string> found;
  std::string_view text = source;
  for (auto at = text.find(kGlobal); at != std::string_view::npos; at = text.find(kGlobal)) {
    text.remove_prefix(at + kGlobal.size());
    std::string_view word = take_word(text);
    while (word == "void" || word == "__launch_bounds__") {
      if (word == "__launch_bounds__") {
        skip_parentheses(text);
      }
      word = take_word(text);
    }
    skip_spaces(text);
    if (!word.empty() && text.starts_with('(')) {
      found.emplace_back(word);
    }
  }
  return found;
}

}  // namespace simgpu::nvrtc
