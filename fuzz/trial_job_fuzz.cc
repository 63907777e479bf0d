// Any bytes as a trial's file and as its result: what is read must be written, and read
// again, the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trial/job.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto job = trial::parse_trial_job(text)) {
    const std::string written = trial::trial_job_text(*job);
    const auto again = trial::parse_trial_job(written);
    if (!again || trial::trial_job_text(*again) != written) std::abort();
    if (job->command.empty() || job->steps == 0) std::abort();
  }
  if (const auto result = trial::parse_trial_result(text)) {
    const std::string written = trial::trial_result_text(*result);
    const auto again = trial::parse_trial_result(written);
    if (!again || trial::trial_result_text(*again) != written) std::abort();
  }
  return 0;
}
