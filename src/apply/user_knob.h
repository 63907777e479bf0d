// Knobs that flatout does not know by itself: of an argument of the command, of a
// variable of the environment, or of one that the program declares. Pure; any thread.
//
//     --knob workers='--workers={0..12}'        an argument
//     --knob omp='env:OMP_NUM_THREADS={1,2,4}'  the environment
//     flatout_knob_int("workers", 2, 0, 12)     in the program (flatout.h)
//
// The text before the braces says what is replaced, see set_argument.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apply/knobs/knob.h"
#include "base/result.h"
#include "run/plan.h"

namespace flatout::apply {

constexpr std::size_t kMostKnobValues = 1000;  // numbers, of which a screen tries some
constexpr std::size_t kMostKnobTexts = 16;     // each is tried
constexpr std::size_t kMostKnobNameBytes = 64;

struct UserKnob {
  std::string name;                 // "workers"; letters, digits, _ and -
  std::string pattern;              // "--workers={}", "env:OMP_NUM_THREADS={}"
  std::vector<std::string> values;  // JSON literals, as written; at least one, none twice
  std::string from = {};            // the program's own value, a JSON literal; "" = not known
};

// `text`: NAME=PATTERN with one pair of braces: {a..b}, {a..b..step} (whole
// numbers) or {x,y,z}. kInvalid says what is wrong and what to write, and names --knob.
base::Result<UserKnob> parse_user_knob(std::string_view text);

// 1 to kMostKnobNameBytes letters, digits, _ and -.
bool is_knob_name(std::string_view name);

constexpr std::string_view kEnvironmentPattern = "env:";  // of a pattern for a variable

// Whether a plan may hold it: with one "{}", behind text by which it is found.
// kInvalid says what is missing.
base::Result<void> check_pattern(const std::string& pattern);

// `command` with the argument of `pattern` ("--workers={}") set to `value`, a JSON literal.
// The last of these forms in it is replaced, and kept in its form:
//     --workers=2     text of the pattern around a value
//     --workers 2     the same without its "=", where it begins with a dash
// What looks for "-j{}" takes a word for it only where a value of the same kind
// follows: "-j8", not "-json". Where there is none, it is appended.
std::vector<std::string> set_argument(std::vector<std::string> command, const std::string& pattern,
                                      const std::string& value);

// Name and value of the environment for "env:NAME={}".
std::pair<std::string, std::string> set_variable(const std::string& pattern,
                                                 const std::string& value);

// The value that `command` gives to the argument, as a JSON literal; "" = none.
// `like`: one of the knob's values, whose kind it has.
std::string argument_value(std::span<const std::string> command, const std::string& pattern,
                           const std::string& like);
// Likewise of `present`, the variable's value; where that does not fit the
// pattern, all of it.
std::string variable_value(const std::optional<std::string>& present, const std::string& pattern);
// "NAME" of "env:NAME={}"; "" for an argument.
std::string variable_name(const std::string& pattern);

// "4" for 4, "fast" for "\"fast\"".
std::string value_text(const std::string& json);
// The literal of what a user wrote: a number where JSON writes it the same way.
std::string value_literal(const std::string& text);

// As the loop knows them. Its risk is rounding: the user named it, so it is tried
// by default, and held to its losses.
Knob knob_of(const UserKnob& knob);
Knob knob_of(const run::DeclaredKnob& declared);

// Up to kMostKnobValues whole numbers from `least` to `most`: all of them, else
// powers of two beside both ends and the program's own value.
std::vector<std::string> values_between(std::int64_t least, std::int64_t most, std::int64_t own);

}  // namespace flatout::apply
