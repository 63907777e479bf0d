// Any bytes as a budget: what is read has limits that can be kept, and is judged.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "check/budget.h"
#include "check/judge.h"
#include "report/check_view.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  const auto budget =
      check::parse_budget(std::string_view(reinterpret_cast<const char*>(data), size),
                          "budget.toml", {"input_bound", "host_bound"});
  if (!budget) {
    if (budget.error().message.find('\n') != std::string::npos) std::abort();
    return 0;
  }
  for (const check::Limit& limit : budget->limits) {
    if (limit.least && !std::isfinite(*limit.least)) std::abort();
    if (limit.most && !std::isfinite(*limit.most)) std::abort();
    if (!limit.least && !limit.most) std::abort();
  }
  const run::Report report;
  const check::Subject subject{&report, {}, {{"train/loss", 0.5}}};
  for (const bool compared : {false, true}) {
    run::CheckReport checked =
        check::judge(*budget, subject,
                     compared ? std::optional<check::Against>(check::Against{}) : std::nullopt);
    if (checked.lines.empty()) std::abort();
    checked.budget = "budget.toml";
    (void)report::check_text(checked, {});
    (void)report::check_json(checked);
    (void)report::check_markdown(checked);
    (void)report::check_junit(checked);
  }
  return 0;
}
