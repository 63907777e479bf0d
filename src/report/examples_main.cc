// Every example and some random reports as JSON, each text followed
// by a form feed, so that a reader can split without parsing.
#include <cstdio>

#include "report/examples.h"
#include "report/json.h"

int main() {
  constexpr std::uint64_t kRandom = 200;
  for (const auto& [name, report] : flatout::report::example_reports()) {
    std::printf("%s\f", flatout::report::to_json(report).c_str());
  }
  for (std::uint64_t seed = 0; seed < kRandom; ++seed) {
    std::printf("%s\f", flatout::report::to_json(flatout::report::random_report(seed)).c_str());
  }
  return 0;
}
