// Any bytes as the report of a tune or search that is kept beside its runs: what is read must be
// written, and read again, the same, and its texts can be made.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/stored_story.h"
#include "report/search_json.h"
#include "report/search_text.h"
#include "report/tune_json.h"
#include "report/tune_text.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

void read_tune(std::string_view text) {
  const auto stored = app::parse_tune_report(text, "tune");
  if (!stored) return;
  const std::string json = report::tune_to_json(stored->tuned, stored->plan_file);
  const auto again = app::parse_tune_report(json, "again");
  if (!again || report::tune_to_json(again->tuned, again->plan_file) != json) std::abort();
  const report::Style style = {.columns = 60};
  (void)report::tune_baseline_line(stored->tuned, style);
  for (const auto& trial : stored->tuned.trials) (void)report::tune_trial_line(trial, style);
  (void)report::tune_closing(stored->tuned, stored->plan_file, {"python", "train.py"}, style);
}

void read_search(std::string_view text) {
  const auto stored = app::parse_search_report(text, "search");
  if (!stored) return;
  const std::string json = report::search_to_json(stored->found, stored->command, "");
  const auto again = app::parse_search_report(json, "again");
  if (!again || report::search_to_json(again->found, again->command, "") != json) std::abort();
  (void)report::search_closing(stored->found, stored->command, {.columns = 60});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_tune(text);
  read_search(text);
  return 0;
}
