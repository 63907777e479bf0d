// Reports for the tests: one of each kind, and as many random ones as wanted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run/report.h"

namespace flatout::report {

struct Example {
  std::string name;
  run::Report report;
};

std::vector<Example> example_reports();

// Any values a Report can hold, absurd ones included: huge and non-finite
// numbers, names that are long or not ASCII, many findings and notes.
run::Report random_report(std::uint64_t seed);

}  // namespace flatout::report
