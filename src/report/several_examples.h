// A comparison, a tune and a search for the tests, each as one may look.
#pragma once

#include <string>
#include <vector>

#include "run/comparison.h"
#include "run/search.h"
#include "run/tune.h"

namespace flatout::report {

// One run of k7f2, which waits for its input, against one of m3qa, which does not.
run::Comparison compared_example();
// A trial that was kept and one that was reverted, confirmed.
run::TuneReport tuned_example();
// Three points on two rungs and one that failed; #3 is the best, confirmed.
run::SearchReport searched_example();

// Parts of them.
run::ComparedRun compared_run(const std::string& id, const std::string& finding);
run::SearchPointReport searched_point(int number, const std::string& lr,
                                      const std::vector<double>& values);

}  // namespace flatout::report
