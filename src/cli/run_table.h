// The table of `ls`. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal.h"
#include "store/run_family.h"

namespace flatout::cli {

enum class TrialsShown : std::uint8_t {
  kCounted,  // a tune or search is one row
  kBelow,    // indented below their first run, in the order in which they ran
};

struct ListedFamily {
  store::RunFamily family;
  store::FamilyKind kind = store::FamilyKind::kRun;
  bool going_on = false;  // a tune or search whose journal is held
};

// Of a tune or search "running" as long as it goes on, also between two trials.
std::string state_of(const ListedFamily& listed);

std::string run_table(const std::vector<ListedFamily>& families, TrialsShown trials,
                      const TerminalStyle& style);

}  // namespace flatout::cli
