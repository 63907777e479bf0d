// The figures that a budget may limit, by name. Pure; any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/report.h"

namespace flatout::check {

// What is known of the run that is checked.
struct Subject {
  const run::Report* report = nullptr;
  std::optional<double> p99_ms = {};  // of a steady step
  // What the program logged or summarised: by name, the last value; absent = infinite or no number.
  std::map<std::string, std::optional<double>> values = {};
};

struct FigureFacts {
  std::string name;            // "step.median_ms"
  std::string unit;            // as run::Figure has it
  bool against_baseline;       // it has an interval there
  std::string_view not_there;  // why it may be absent, and what to do
};

// All of them, in the order of the docs; "value.NAME" is not among them.
const std::vector<FigureFacts>& known_figures();
const FigureFacts* figure_facts(std::string_view name);

// Absent where it could not be measured. `name` is a known figure, or "value." and any name.
std::optional<double> figure_of(std::string_view name, const Subject& subject);

inline constexpr std::string_view kValuePrefix = "value.";

}  // namespace flatout::check
