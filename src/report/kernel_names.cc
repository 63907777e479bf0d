#include "report/kernel_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace flatout::report {
namespace {

// As CUPTI and Nsight Systems write it.
constexpr std::array<std::string_view, 2> kUnnamed = {"(anonymous namespace)::", "<unnamed>::"};
// Arguments are looked at within arguments so deep.
constexpr int kDeepest = 4;

// Without what a compiler says of where it stands, and of what it returns: a template's result may
// be std::enable_if<(...), void>::type.
std::string without_places(std::string_view name) {
  constexpr std::string_view kResult = ">::type ";
  const std::size_t result = name.starts_with("std::enable_if<") ? name.find(kResult) : name.npos;
  if (result != name.npos) name.remove_prefix(result + kResult.size());
  if (name.starts_with("void ")) name.remove_prefix(5);
  std::string text(name);
  for (const std::string_view unnamed : kUnnamed) {
    for (std::size_t at = text.find(unnamed); at != text.npos; at = text.find(unnamed, at)) {
      text.erase(at, unnamed.size());
    }
  }
  return text;
}

// "AddFunctor" of "at::native::AddFunctor<float>".
std::string last_part(std::string_view text) {
  text = text.substr(0, text.find_first_of("<("));
  const std::size_t colons = text.rfind("::");
  if (colons != std::string_view::npos) text.remove_prefix(colons + 2);
  return std::string(text);
}

int depth_after(char c) {
  if (c == '<' || c == '(' || c == '{' || c == '[') return 1;
  return c == '>' || c == ')' || c == '}' || c == ']' ? -1 : 0;
}

// Those of the first template in `text`: "float", "4" of "f<float, 4>(int)".
std::vector<std::string_view> template_arguments(std::string_view text) {
  const std::size_t opens = text.find('<');
  if (opens == std::string_view::npos || text.find('(') < opens) return {};
  std::vector<std::string_view> found;
  int depth = 0;
  std::size_t begin = opens + 1;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const bool closes = depth == 0 && text[i] == '>';
    if (closes || (depth == 0 && text[i] == ',')) {
      while (begin < i && text[begin] == ' ') ++begin;
      found.push_back(text.substr(begin, i - begin));
      begin = i + 1;
      if (closes) return found;
    } else {
      depth += depth_after(text[i]);
    }
  }
  return {};  // cut off
}

std::size_t count_distinct(const std::vector<std::string>& texts) {
  return std::set<std::string>(texts.begin(), texts.end()).size();
}

// Of each name what tells it from the others, by most of them; "" where nothing does.
std::vector<std::string> differences(const std::vector<std::string_view>& names, int depth = 0) {
  std::vector<std::string> best(names.size());
  std::vector<std::vector<std::string_view>> arguments;
  std::size_t shared = SIZE_MAX;
  for (const std::string_view name : names) {
    arguments.push_back(template_arguments(name));
    shared = std::min(shared, arguments.back().size());
  }
  for (std::size_t i = 0; i < shared; ++i) {
    std::vector<std::string_view> whole;
    std::vector<std::string> parts;
    for (const auto& own : arguments) {
      whole.push_back(own[i]);
      parts.push_back(last_part(own[i]));
    }
    if (count_distinct(parts) == 1 && depth < kDeepest) parts = differences(whole, depth + 1);
    if (count_distinct(parts) > count_distinct(best)) best = std::move(parts);
  }
  return best;
}

}  // namespace

std::string short_kernel_name(std::string_view name) { return last_part(without_places(name)); }

std::vector<std::string> distinct_kernel_names(const std::vector<std::string_view>& names) {
  std::vector<std::string> whole;
  std::vector<std::string> out;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < names.size(); ++i) {
    whole.push_back(without_places(names[i]));
    out.push_back(last_part(whole.back()));
    alike[out.back()].push_back(i);
  }
  for (const auto& [name, places] : alike) {
    if (places.size() < 2) continue;
    std::vector<std::string_view> those;
    for (const std::size_t place : places) those.emplace_back(whole[place]);
    const std::vector<std::string> what = differences(those);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!what[i].empty()) out[places[i]] += "<" + what[i] + ">";
    }
  }
  return out;
}

}  // namespace flatout::report
