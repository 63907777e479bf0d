#include "apply/source_edit.h"

#include <algorithm>
#include <vector>

namespace flatout::apply {
namespace {

constexpr auto kNowhere = std::string_view::npos;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (c & 0x80) != 0;
}

// Where what begins at `at` ends: past a text in quotes or a comment, or one character on. kNowhere
// where a text does not end.
std::size_t past(std::string_view source, std::size_t at) {
  const char c = source[at];
  if (c == '#') return std::min(source.find('\n', at), source.size());
  if (c == '\\') return std::min(at + 2, source.size());
  if (c != '"' && c != '\'') return at + 1;
  const std::string_view three = source.substr(at, 3);
  const bool triple = three.size() == 3 && three[1] == c && three[2] == c;
  const std::string_view quotes = triple ? three : three.substr(0, 1);
  for (std::size_t i = at + quotes.size(); i < source.size(); ++i) {
    if (source[i] == '\\') {
      ++i;
    } else if (source[i] == '\n' && !triple) {
      return kNowhere;
    } else if (source.substr(i, quotes.size()) == quotes) {
      return i + quotes.size();
    }
  }
  return kNowhere;
}

std::size_t line_start(std::string_view source, int line) {
  std::size_t at = 0;
  for (int i = 1; i < line; ++i) {
    const std::size_t end = source.find('\n', at);
    if (end == kNowhere) return kNowhere;
    at = end + 1;
  }
  return line < 1 || at >= source.size() ? kNowhere : at;
}

// The bracket of each call of that name that begins on the line.
std::vector<std::size_t> brackets_of(std::string_view source, std::size_t start,
                                     std::string_view call) {
  std::vector<std::size_t> out;
  const std::size_t end = std::min(source.find('\n', start), source.size());
  for (std::size_t at = start; at < end;) {
    const bool begins = at == 0 || !in_name(source[at - 1]);
    if (begins && source.substr(at).starts_with(call)) {
      std::size_t bracket = at + call.size();
      while (bracket < end && (source[bracket] == ' ' || source[bracket] == '\t')) ++bracket;
      if (bracket < end && source[bracket] == '(') out.push_back(bracket);
    }
    at = past(source, at);
    if (at == kNowhere) break;
  }
  return out;
}

// [first, last] without blanks and comments around; kNowhere: it is empty.
struct Part {
  std::size_t first = kNowhere;
  std::size_t last = kNowhere;
  std::size_t comma = kNowhere;  // that ends it
};

struct Call {
  std::size_t bracket = 0;  // that opens it
  std::vector<Part> parts;  // empty where the call does not end
};

Call call_at(std::string_view source, std::size_t bracket) {
  Call out{.bracket = bracket, .parts = {}};
  Part part;
  int depth = 0;
  for (std::size_t at = bracket; at < source.size();) {
    const char c = source[at];
    const std::size_t next = past(source, at);
    if (next == kNowhere) return {};
    const bool opens = c == '(' || c == '[' || c == '{';
    const bool closes = c == ')' || c == ']' || c == '}';
    depth += opens ? 1 : closes ? -1 : 0;
    if (depth == 0) {
      out.parts.push_back(part);
      return out;
    }
    if (depth == 1 && c == ',') {
      part.comma = at;
      out.parts.push_back(part);
      part = {};
    } else if (at != bracket && c != '#' && c != '\\' && !is_blank(c)) {
      if (part.first == kNowhere) part.first = at;
      part.last = next - 1;
    }
    at = next;
  }
  return {};
}

// Where the value of a keyword argument begins; kNowhere for any other argument.
std::size_t value_of(std::string_view source, const Part& part, std::string_view keyword = "") {
  std::size_t at = part.first;
  while (at <= part.last && in_name(source[at])) ++at;
  if (at == part.first) return kNowhere;
  const std::string_view name = source.substr(part.first, at - part.first);
  while (at <= part.last && is_blank(source[at])) ++at;
  if (at >= part.last || source[at] != '=' || source[at + 1] == '=') return kNowhere;
  if (!keyword.empty() && name != keyword) return kNowhere;
  for (++at; at < part.last && is_blank(source[at]);) ++at;
  return at;
}

std::string replaced(std::string_view source, std::size_t from, std::size_t to,
                     std::string_view with) {
  return std::string(source.substr(0, from)).append(with).append(source.substr(to));
}

// The blanks before `at`, where nothing else stands before it on its line.
std::optional<std::string_view> indent_of(std::string_view source, std::size_t at) {
  const std::size_t break_before = at == 0 ? kNowhere : source.rfind('\n', at - 1);
  const std::size_t start = break_before == kNowhere ? 0 : break_before + 1;
  const std::string_view before = source.substr(start, at - start);
  if (!std::ranges::all_of(before, is_blank)) return std::nullopt;
  return before;
}

// After the last argument: in its line, or, where each has a line and a comma, in one of its own.
std::string appended(std::string_view source, const Call& call, const std::string& text) {
  const bool comma_ends = call.parts.size() > 1 && call.parts.back().first == kNowhere;
  if (call.parts.size() == 1 && call.parts.front().first == kNowhere) {
    return replaced(source, call.bracket + 1, call.bracket + 1, text);
  }
  if (!comma_ends) {
    const std::size_t end = call.parts.back().last + 1;
    return replaced(source, end, end, ", " + text);
  }
  const Part& last = call.parts[call.parts.size() - 2];
  const auto indent = indent_of(source, last.first);
  const std::size_t line_end = source.find('\n', last.comma);
  const bool own_line = indent && line_end != kNowhere;
  if (!own_line) return replaced(source, last.comma + 1, last.comma + 1, " " + text + ",");
  const std::string_view line_break = source[line_end - 1] == '\r' ? "\r\n" : "\n";
  const std::string line = std::string(*indent) + text + "," + std::string(line_break);
  return replaced(source, line_end + 1, line_end + 1, line);
}

SourceEdit left_alone(std::string why_not) { return {.text = "", .why_not = std::move(why_not)}; }

}  // namespace

SourceEdit with_argument(std::string_view source, const CallPlace& place,
                         const Argument& argument) {
  const std::string name(place.call);
  const std::size_t start = line_start(source, place.line);
  if (start == kNowhere) return left_alone("the file has no such line any more");
  const auto brackets = brackets_of(source, start, place.call);
  if (brackets.empty()) return left_alone("the line does not call " + name);
  if (brackets.size() > 1) return left_alone("the line calls " + name + " more than once");
  const Call call = call_at(source, brackets.front());
  if (call.parts.empty()) return left_alone("the end of the call was not found");
  const std::string text = std::string(argument.keyword) + "=" + std::string(argument.value);
  int positional = 0;
  for (const Part& part : call.parts) {
    if (part.first == kNowhere) continue;
    const std::size_t value = value_of(source, part, argument.keyword);
    if (value != kNowhere) {
      return {.text = replaced(source, value, part.last + 1, argument.value), .why_not = ""};
    }
    if (source[part.first] == '*') {
      return left_alone("the call takes arguments from a variable, by * or **");
    }
    if (value_of(source, part) == kNowhere) ++positional;
  }
  if (argument.position && positional > *argument.position) {
    return left_alone("the call gives " + std::string(argument.keyword) + " by its position");
  }
  return {.text = appended(source, call, text), .why_not = ""};
}

}  // namespace flatout::apply
