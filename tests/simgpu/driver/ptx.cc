// PTX ISA: "Directives": .target, .entry.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "driver/image.h"

namespace simgpu::driver {
namespace {

// Without comments: names of entries stand in them, too.
std::string without_comments(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      const auto end = text.find("*/", 2);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
      kept += ' ';
    } else {
      kept += text.front();
      text.remove_prefix(1);
    }
  }
  return kept;
}

bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$' ||
         letter == '%';
}

// The word after each `directive`.
std::vector<std::string> words_after(std::string_view text, std::string_view directive) {
  std::vector<std::string> found;
  for (auto at = text.find(directive); at != std::string_view::npos;
       at = text.find(directive, at + 1)) {
    auto begin = at + directive.size();
    if (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin])) == 0) {
      continue;  // the beginning of a longer word
    }
    while (begin < text.size() && std::isspace(static_cast<unsigned char>(text[begin])) != 0) {
      ++begin;
    }
    auto end = begin;
    while (end < text.size() && is_of_name(text[end])) {
      ++end;
    }
    found.emplace_back(text.substr(begin, end - begin));
  }
  return found;
}

}  // namespace

CUresult read_ptx(const char* text, Image& into) {
  const std::string code = without_comments(text);
  const auto versions = words_after(code, ".version");
  const auto targets = words_after(code, ".target");
  if (versions.empty() && targets.empty()) {
    return CUDA_ERROR_INVALID_IMAGE;
  }
  if (versions.empty() || targets.empty() || !targets.front().starts_with("sm_")) {
    return CUDA_ERROR_INVALID_PTX;
  }
  into.is_ptx = true;
  into.architecture = std::atoi(targets.front().c_str() + std::strlen("sm_"));
  for (const std::string& name : words_after(code, ".entry")) {
    if (name.empty()) {
      return CUDA_ERROR_INVALID_PTX;
    }
    into.kernels.emplace_back().name = name;
  }
  return CUDA_SUCCESS;
}

}  // namespace simgpu::driver
