#include "apply/user_knob.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "apply/toml_text.h"
#include "base/ascii.h"
#include "base/number_text.h"

namespace flatout::apply {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::string_view kHole = "{}";

std::unexpected<base::Error> wrong(const std::string& what) {
  return base::fail(ErrorCode::kInvalid, what);
}

bool is_number(const std::string& text) { return base::parse_number<double>(text).has_value(); }

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t at = text.find(by);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + by.size());
  }
}

Result<std::vector<std::string>> range(std::string_view text, const std::string& knob) {
  const auto parts = split(text, "..");
  std::vector<std::int64_t> numbers;
  for (const auto part : parts) {
    if (const auto number = base::parse_number<std::int64_t>(base::trimmed(part)))
      numbers.push_back(*number);
  }
  if (numbers.size() != parts.size() || numbers.size() > 3) {
    return wrong(knob + "{" + std::string(text) +
                 "} is no range; write {0..12}, {0..12..2}, or a list such as {1,2,4}");
  }
  const std::int64_t step = numbers.size() == 3 ? numbers[2] : 1;
  if (step < 1 || numbers[1] < numbers[0]) {
    return wrong(knob + "{" + std::string(text) +
                 "} must go up, by a step of at least 1, as in {0..12..2}");
  }
  const auto span = static_cast<std::uint64_t>(numbers[1]) - static_cast<std::uint64_t>(numbers[0]);
  const std::uint64_t last = span / static_cast<std::uint64_t>(step);
  if (last >= kMostKnobValues) {
    return wrong(knob + "{" + std::string(text) + "} has more than " +
                 std::to_string(kMostKnobValues) + " values; give a larger step");
  }
  std::vector<std::string> out;
  for (std::uint64_t i = 0; i <= last; ++i) {
    out.push_back(std::to_string(numbers[0] + static_cast<std::int64_t>(i) * step));
  }
  return out;
}

Result<std::vector<std::string>> listed(std::string_view text, const std::string& knob) {
  std::vector<std::string> out;
  bool numbers = true;
  for (const auto part : split(text, ",")) {
    const std::string value(base::trimmed(part));
    if (value.empty()) {
      return wrong(knob + "a value in {" + std::string(text) + "} is empty; write {1,2,4}");
    }
    numbers = numbers && is_number(value);
    out.push_back(value_literal(value));
  }
  if (std::set<std::string>(out.begin(), out.end()).size() != out.size()) {
    return wrong(knob + "a value in {" + std::string(text) + "} stands there twice");
  }
  const std::size_t most = numbers ? kMostKnobValues : kMostKnobTexts;
  if (out.size() > most) {
    return wrong(knob + "at most " + std::to_string(most) + (numbers ? " numbers" : " texts") +
                 " can be listed, since " +
                 (numbers ? "each may cost a trial" : "each costs a trial"));
  }
  return out;
}

Result<std::vector<std::string>> values_of(std::string_view text, const std::string& knob) {
  const bool is_range =
      text.find("..") != std::string_view::npos && text.find(',') == std::string_view::npos;
  return is_range ? range(text, knob) : listed(text, knob);
}

// A pattern in its parts: "--workers={}" is {"", "--workers=", ""}, "-w {}" is {"-w", "", ""}.
struct Form {
  std::string option;  // a word of its own before the value; "" = none
  std::string before, after;
};

Form form_of(std::string_view pattern) {
  Form form;
  if (const std::size_t blank = pattern.find(' '); blank != std::string_view::npos) {
    form.option = pattern.substr(0, blank);
    pattern = base::trimmed(pattern.substr(blank));
  }
  const std::size_t hole = pattern.find(kHole);
  if (hole == std::string_view::npos) return form;
  form.before = pattern.substr(0, hole);
  form.after = pattern.substr(hole + kHole.size());
  return form;
}

// What stands between `before` and `after`; nothing where the word is another one.
std::optional<std::string> between(const std::string& word, const std::string& before,
                                   const std::string& after) {
  if (word.size() <= before.size() + after.size()) return std::nullopt;
  if (!word.starts_with(before) || !word.ends_with(after)) return std::nullopt;
  return word.substr(before.size(), word.size() - before.size() - after.size());
}

struct ArgumentPlace {
  std::size_t index = 0;  // of the word that holds the value
  std::string before;     // of that word
  std::string value;
};

// The word before the value where it stands alone: "--workers" of "--workers=".
std::string lone_option(const Form& form) {
  if (!form.option.empty()) return form.option;
  const bool splits = form.before.starts_with('-') && form.before.ends_with('=');
  return splits ? form.before.substr(0, form.before.size() - 1) : "";
}

std::optional<ArgumentPlace> place_at(std::span<const std::string> command, std::size_t i,
                                      const Form& form, bool wants_number) {
  const std::string joined = form.option.empty() ? form.before : form.option + "=" + form.before;
  if (auto value = between(command[i], joined, form.after)) {
    const bool ends_clearly = !is_bare_key_char(joined.back());
    const bool same_kind = wants_number == is_number(*value);
    if (ends_clearly || (wants_number && same_kind))
      return ArgumentPlace{i, joined, std::move(*value)};
  }
  const std::string option = lone_option(form);
  if (option.empty() || command[i] != option || i + 1 >= command.size()) return std::nullopt;
  const std::string inner = form.option.empty() ? "" : form.before;
  const std::string& next = command[i + 1];
  if (next.starts_with('-') && !is_number(next) && inner.empty()) return std::nullopt;
  if (auto value = between(next, inner, form.after))
    return ArgumentPlace{i + 1, inner, std::move(*value)};
  return std::nullopt;
}

// Of several the last, which is the one that counts to most programs.
std::optional<ArgumentPlace> find_place(std::span<const std::string> command, const Form& form,
                                        bool wants_number) {
  for (std::size_t i = command.size(); i-- > 1;) {
    if (auto place = place_at(command, i, form, wants_number)) return place;
  }
  return std::nullopt;
}

Proposal screened(const std::vector<std::string>& values, const std::string& from) {
  Candidate candidate;
  candidate.from = from;
  candidate.confidence = 1;  // the user asks for it
  for (const auto& value : values) {
    if (value != from) candidate.screen.push_back(value);
  }
  if (candidate.screen.empty()) return {.why_not = "it has no value but the present one"};
  return {.candidates = {std::move(candidate)}};
}

}  // namespace

bool is_knob_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostKnobNameBytes &&
         std::ranges::all_of(name, is_bare_key_char);
}

std::string value_text(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  return value.is_string() ? value.get<std::string>() : json;
}

std::string value_literal(const std::string& text) {
  const auto value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_number() && value.dump() == text) return text;
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<void> check_pattern(const std::string& pattern) {
  const auto holes = split(pattern, kHole).size() - 1;
  if (pattern.find('\0') != std::string::npos) return wrong("an argument cannot hold a NUL");
  if (holes != 1) return wrong("'" + pattern + "' must have {} once, where the value goes");
  if (pattern.starts_with(kEnvironmentPattern)) {
    const std::string name = variable_name(pattern);
    const bool sane = !name.empty() && std::ranges::all_of(name, [](char c) {
      return c != '-' && is_bare_key_char(c);
    }) && !(name.front() >= '0' && name.front() <= '9');
    if (!sane || pattern.find(kHole) < kEnvironmentPattern.size() + name.size() + 1) {
      return wrong("'" + pattern + "' must name a variable, as in env:OMP_NUM_THREADS={}");
    }
    if (name.starts_with("FLATOUT_")) {
      return wrong("'" + pattern + "': variables that begin with FLATOUT_ are flatout's own");
    }
    return {};
  }
  const std::size_t blank = pattern.find(' ');
  if (blank != std::string::npos &&
      (blank > pattern.find(kHole) || pattern.rfind(' ') != blank || blank == 0)) {
    return wrong("'" + pattern +
                 "' must be one argument, or an option and its value: "
                 "'--workers={}' or '--workers {}'");
  }
  if (pattern.starts_with(kHole)) {
    return wrong("'" + pattern +
                 "' needs text before the braces, by which its argument is found: --workers={}");
  }
  return {};
}

Result<UserKnob> parse_user_knob(std::string_view text) {
  const std::size_t equals = text.find('=');
  UserKnob out;
  out.name = text.substr(0, equals);
  if (equals == std::string_view::npos || !is_knob_name(out.name)) {
    return wrong("--knob '" + std::string(text) +
                 "': write NAME=ARGUMENT, as in workers='--workers={0..12}'; a name has 1 to 64 "
                 "letters, digits, _ and -");
  }
  const std::string knob = "--knob " + out.name + ": ";
  for (const Knob* known : all_knobs()) {
    if (out.name != known->short_name) continue;
    return wrong(knob + "that is the name of a knob that flatout has itself (" + known->id +
                 "); choose another one");
  }
  const std::string_view pattern = text.substr(equals + 1);
  const std::size_t open = pattern.find('{');
  const std::size_t close = pattern.find('}', std::min(open, pattern.size()));
  const bool one = open != std::string_view::npos && close != std::string_view::npos &&
                   pattern.find_first_of("{}", open + 1) == close &&
                   pattern.find_first_of("{}", close + 1) == std::string_view::npos;
  if (!one) {
    return wrong(knob + "'" + std::string(pattern) +
                 "' must hold its values in one pair of braces, as in '--workers={0..12}', quoted "
                 "from the shell");
  }
  auto values = values_of(pattern.substr(open + 1, close - open - 1), knob);
  if (!values) return std::unexpected(values.error());
  out.values = std::move(*values);
  out.pattern = std::string(pattern.substr(0, open + 1)) + std::string(pattern.substr(close));
  if (const auto sane = check_pattern(out.pattern); !sane) {
    return wrong(knob + sane.error().message);
  }
  return out;
}

std::vector<std::string> set_argument(std::vector<std::string> command, const std::string& pattern,
                                      const std::string& value) {
  const Form form = form_of(pattern);
  const std::string text = value_text(value);
  if (const auto place = find_place(command, form, is_number(text))) {
    command[place->index] = place->before + text + form.after;
    return command;
  }
  if (!form.option.empty()) command.push_back(form.option);
  command.push_back(form.before + text + form.after);
  return command;
}

std::string variable_name(const std::string& pattern) {
  if (!pattern.starts_with(kEnvironmentPattern)) return "";
  const std::size_t equals = pattern.find('=');
  if (equals == std::string::npos) return "";
  return pattern.substr(kEnvironmentPattern.size(), equals - kEnvironmentPattern.size());
}

std::pair<std::string, std::string> set_variable(const std::string& pattern,
                                                 const std::string& value) {
  std::string text = pattern.substr(pattern.find('=') + 1);
  text.replace(text.find(kHole), kHole.size(), value_text(value));
  return {variable_name(pattern), std::move(text)};
}

std::string argument_value(std::span<const std::string> command, const std::string& pattern,
                           const std::string& like) {
  const auto place = find_place(command, form_of(pattern), is_number(value_text(like)));
  return place ? value_literal(place->value) : "";
}

std::string variable_value(const std::optional<std::string>& present, const std::string& pattern) {
  if (!present) return "";
  const std::string text = pattern.substr(pattern.find('=') + 1);
  const std::size_t hole = text.find(kHole);
  const auto value = between(*present, text.substr(0, hole), text.substr(hole + kHole.size()));
  return value_literal(value.value_or(*present));
}

Knob knob_of(const UserKnob& knob) {
  Knob out;
  out.id = std::string(run::kUserKnob) + knob.name;
  out.short_name = knob.name;
  out.risk = run::Risk::kRounding;
  out.changes = KnobChanges::kAnything;
  out.propose = [knob](const Situation&) { return screened(knob.values, knob.from); };
  out.by_hand = [](const std::string&) { return ByHand{}; };
  out.pattern = knob.pattern;
  return out;
}

Knob knob_of(const run::DeclaredKnob& declared) {
  Knob out = knob_of(UserKnob{
      .name = declared.name,
      .pattern = "",
      .values = values_between(declared.least, declared.most, declared.value),
      .from = std::to_string(declared.value),
  });
  out.id = std::string(run::kProgramKnob) + declared.name;
  return out;
}

std::vector<std::string> values_between(std::int64_t least, std::int64_t most, std::int64_t own) {
  std::set<std::int64_t> out;
  if (most < least) return {};
  const auto span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  if (span < kMostKnobValues) {
    for (std::uint64_t i = 0; i <= span; ++i) out.insert(least + static_cast<std::int64_t>(i));
  } else {
    out = {least, most, std::clamp(own, least, most)};
    for (int bit = 0; bit < 63; ++bit) {
      const std::int64_t power = std::int64_t{1} << bit;
      for (const std::int64_t value : {power, -power}) {
        if (value >= least && value <= most) out.insert(value);
      }
    }
  }
  std::vector<std::string> texts;
  for (const std::int64_t value : out) texts.push_back(std::to_string(value));
  return texts;
}

}  // namespace flatout::apply
