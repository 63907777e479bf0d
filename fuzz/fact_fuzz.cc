// A fact of any key, as a program may have written it: it is decoded, or says nothing.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "run/fact_list.h"
#include "run/facts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// The key, a line break, the JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = input.find('\n');
  if (cut == std::string::npos) return 0;
  const flatout::run::Fact fact{1, input.substr(0, cut), input.substr(cut + 1)};
  flatout::run::FactList facts;
  facts.push_back(fact);
  facts.push_back(fact);
  if (facts.size() != 2 || facts.back() != fact) std::abort();
  // The same text says the same each time, and all of it goes with its fact.
  flatout::run::FactList once = {fact};
  once.push_back(fact);
  if (once.observed() != facts.observed()) std::abort();
  once.clear();
  if (once.observed() != flatout::run::Observed()) std::abort();
  return 0;
}
