// Any bytes as what a driven program answers of its settings: bounded, and the same each time.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "trial/control_page.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto outcomes = trial::outcomes_in(text);
  for (const auto& outcome : outcomes) {
    if (outcome.reason.size() > size + 2000) std::abort();
  }
  if (trial::outcomes_in(text).size() != outcomes.size()) std::abort();
  if (trial::training_in(text).losses.size() > size) std::abort();
  return 0;
}
