// Comparisons, tunes and searches for the tests: some that look like one, and hostile ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/html/html.h"

namespace flatout::report {

struct ComparisonPicture {
  run::Comparison comparison;
  std::vector<run::Charts> charts;
};
ComparisonPicture compared_runs();
run::TuneReport tuned_program();
run::SearchReport searched_space();
PageContext page_context();

// Texts that want to be markup, numbers that are none.
ComparisonPicture hostile_comparison(std::uint64_t seed);
run::TuneReport hostile_tune(std::uint64_t seed);
run::SearchReport hostile_search(std::uint64_t seed);
PageContext hostile_context(std::uint64_t seed);

}  // namespace flatout::report
