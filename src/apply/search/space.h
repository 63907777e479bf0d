// What `flatout search` searches: a file of arguments, variables of the
// environment and knobs with the values that each may take. Pure; any thread.
//
//     [search]
//     objective = "samples_per_s"       # or "device_busy", "log:NAME"
//     trials = 32
//     steps = [20, 60, 180]             # or min_steps, max_steps and reduction
//
//     [arguments]
//     "--lr" = {from = 1e-4, to = 1e-1, scale = "log"}
//     "--workers" = {values = [0, 2, 4]}
//
// All keys, with their defaults and bounds: docs/search.md. The text is ASCII.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "run/search.h"

namespace flatout::apply {

constexpr std::size_t kMaxSpaceBytes = 64U << 10;
constexpr std::size_t kMostDimensions = 64;
constexpr std::size_t kMostChoices = 256;  // of one dimension, where they are listed
constexpr std::size_t kMostRungs = 16;
constexpr std::int64_t kFewestSearchSteps = 16;  // fewer hold no steady part
constexpr std::int64_t kMostSearchSteps = 1'000'000'000;
constexpr int kMostSearchTrials = 10'000;

// Numbers from `from` to `to`, both included.
struct Range {
  double from = 0;
  double to = 0;
  double step = 0;     // 0 = any number between; whole ranges have at least 1
  bool log = false;    // equally likely by factor, not by difference; then no step
  bool whole = false;  // both ends were written as whole numbers
};

struct Dimension {
  run::SearchSetting::Kind kind = run::SearchSetting::Kind::kArgument;
  std::string name;                  // "--lr", "OMP_NUM_THREADS", "dataloader.num_workers"
  std::vector<std::string> choices;  // JSON literals; empty = `range`
  Range range;
};

struct SearchSpace {
  run::SearchObjective objective;
  int trials = 32;                                  // points at most
  std::vector<std::int64_t> steps = {20, 60, 180};  // of each rung, rising
  int reduction = 3;                                // one of so many goes on
  std::uint64_t seed = 0;
  std::optional<base::DurationNs> budget_ns;
  std::vector<Dimension> dimensions;  // at least one, in the order of the text
};

// kInvalid: not TOML, or not a space; the message names `name`, the line and what
// is wanted there.
base::Result<SearchSpace> parse_space(std::string_view text, const std::string& name);

// The variables of the environment that it may set and that are not in `allowed`, though they
// choose what code runs (plan_variables.h): a space may come from elsewhere, too.
std::vector<std::string> refused_variables(const SearchSpace& space,
                                           const std::set<std::string>& allowed);

// How many different points there are; absent: more than anyone can count.
std::optional<std::uint64_t> count_points(const SearchSpace& space);

}  // namespace flatout::apply
