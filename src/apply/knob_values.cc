#include "apply/knob_values.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/nearest_name.h"
#include "base/number_text.h"

namespace flatout::apply {
namespace {

using Kind = run::KnobValueKind;

// The text in a JSON string; absent for other literals. No declared word needs an escape.
std::optional<std::string_view> text_in(std::string_view literal) {
  if (literal.size() < 2 || !literal.starts_with('"') || !literal.ends_with('"')) {
    return std::nullopt;
  }
  return literal.substr(1, literal.size() - 2);
}

bool is_count(const run::KnobValues& values, std::string_view literal) {
  const auto number = base::parse_number<std::int64_t>(literal);
  return number && *number >= values.least && *number <= values.most;
}

// "1/2" and on: so many parts become one.
bool is_joined(const run::KnobValues& values, std::string_view literal) {
  const auto text = text_in(literal);
  if (!text || !text->starts_with("1/") || text->starts_with("1/0")) return false;
  const auto joined = base::parse_number<std::int64_t>(text->substr(2));
  return joined && *joined >= 2 && *joined <= values.most;
}

bool is_word(const run::KnobValues& values, std::string_view literal) {
  const auto text = text_in(literal);
  return text && std::ranges::find(values.words, *text) != values.words.end();
}

std::string count_text(const run::KnobValues& values) {
  return "a whole number from " + std::to_string(values.least) + " to " +
         std::to_string(values.most);
}

std::string words_text(const run::KnobValues& values, std::string_view literal) {
  std::string out;
  for (const std::string_view& word : values.words) {
    const bool last = &word == &values.words.back();
    out += (out.empty() ? "" : last ? " or " : ", ") + ("\"" + std::string(word) + "\"");
  }
  const std::vector<std::string_view> words(values.words.begin(), values.words.end());
  const std::string near = base::nearest_name(text_in(literal).value_or(""), words);
  return near.empty() ? out : out + "; did you mean \"" + near + "\"?";
}

}  // namespace

std::string wrong_value(const run::KnobValues& values, std::string_view literal) {
  const std::string must = "its value must be ";
  switch (values.kind) {
    case Kind::kSwitch:
      return literal == "true" || literal == "false" ? "" : must + "true or false";
    case Kind::kOn:
      return literal == "true" ? "" : must + "true";
    case Kind::kCount:
      return is_count(values, literal) ? "" : must + count_text(values);
    case Kind::kWord:
      return is_word(values, literal) ? "" : must + words_text(values, literal);
    case Kind::kParts:
      if (is_count(values, literal) || is_joined(values, literal)) return "";
      return must + count_text(values) + ", or \"1/2\", \"1/3\", ... to join";
  }
  return "";
}

}  // namespace flatout::apply
