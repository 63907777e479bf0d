// Any bytes as what a terminal sends: the same keys come of them, however they are cut into parts
// (but where a lone Escape is meant, which only time says).
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "cli/top_keys.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  cli::TopKeys at_once;
  const std::vector<cli::TopEvent> whole = at_once.take(bytes);
  cli::TopKeys in_parts;
  std::vector<cli::TopEvent> parts;
  for (std::size_t i = 0; i < size; ++i) {
    for (const cli::TopEvent& event : in_parts.take(bytes.substr(i, 1))) parts.push_back(event);
  }
  (void)at_once.rest();
  (void)in_parts.rest();
  if (at_once.waits() || in_parts.waits()) std::abort();
  // A sequence that is too long is given up where its part ends, so only short ones are held.
  if (size < 32 && parts != whole) std::abort();
  return 0;
}
