// Any bytes as a plan: what is read must be written, and read again, the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apply/plan_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  const auto plan =
      apply::parse_plan(std::string_view(reinterpret_cast<const char*>(data), size), "plan.toml");
  if (!plan) return 0;
  (void)apply::plan_json(*plan);
  (void)apply::plan_environment(*plan);
  (void)apply::planned_command(*plan, {"./train", "--workers=2"});
  const std::string text = apply::plan_text(*plan);
  const auto again = apply::parse_plan(text, "again.toml");
  if (!again || apply::plan_json(*again) != apply::plan_json(*plan)) std::abort();
  if (apply::plan_text(*again) != text) std::abort();
  return 0;
}
