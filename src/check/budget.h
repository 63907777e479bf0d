// Budgets as files, parsed strictly: a key that is not known is an error, since a limit that
// nobody holds is worse than none.
//
//     [limits]                                    # of the run itself
//     device.busy = {min = "85 %"}
//     step.median_ms = {max = 120}
//     phase.data_wait = {max = 0.1}
//     device.memory_bytes = {max = "70 GB", optional = true}
//
//     [values]                                    # what the program logged, the last of each
//     "train/loss" = {max = 0.3}
//
//     [run]
//     states = ["finished"]
//     no_findings = ["input_bound", "sync_bound"]
//
//     [baseline]                                  # against --baseline, by intervals
//     step.mean_ms = {worse_by = "5 %"}
//     phase.data_wait = {worse_by = 0.02, strict = true}
//     refuse = ["other_machine"]
//
// Pure but for read_budget; any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::check {

constexpr std::size_t kMaxBudgetBytes = 64U << 10U;
constexpr std::size_t kMostLines = 1000;

struct Limit {
  std::string id;      // "limits.step.median_ms", "values.train/loss"
  std::string figure;  // "step.median_ms", "value.train/loss"
  std::optional<double> least, most;
  bool optional = false;
};

struct BaselineLimit {
  std::string id;  // "baseline.step.mean_ms"
  std::string figure;
  double worse_by = 0;  // as run::Worsening::change
  bool strict = false;
  bool optional = false;
};

struct Budget {
  std::vector<Limit> limits;             // in the order of the file, those of [values] last
  std::vector<std::string> states;       // that are allowed; empty = any
  std::vector<std::string> no_findings;  // ids that must not be raised above severity info
  std::vector<BaselineLimit> baseline;   // in the order of the file
  std::vector<std::string> refuse;       // ids of cautions of a comparison
};

// `finding_ids`: those that there are. kInvalid: not TOML, or not a budget; the message names
// `name`, the line, what is wanted there, and of a mistyped name the nearest.
base::Result<Budget> parse_budget(std::string_view text, const std::string& name,
                                  const std::vector<std::string>& finding_ids);

// Also what reading a file may bring.
base::Result<Budget> read_budget(const std::filesystem::path& path,
                                 const std::vector<std::string>& finding_ids);

}  // namespace flatout::check
