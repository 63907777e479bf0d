// The hidden verb `bench-engine`: a job from stdin, what was measured to stdout as JSON. flatout
// starts it itself (app/engine_speed.h).
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "analyse/engine_facts.h"
#include "app/data_library.h"
#include "app/engine_bench.h"
#include "base/file.h"
#include "cli/verbs.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kMostJobBytes = 256U << 10;

// Whoever waits for it may be killed; and what a broken file does to it stays small.
void bound_this_process() {
  constexpr rlim_t kMostMemory = rlim_t{2} << 30;
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  (void)::setrlimit(RLIMIT_CORE, &no_core);
  rlimit data{};
  if (::getrlimit(RLIMIT_DATA, &data) != 0) return;
  data.rlim_cur = std::min(data.rlim_max, kMostMemory);
  (void)::setrlimit(RLIMIT_DATA, &data);
}

}  // namespace

int engine_bench_verb() {
  bound_this_process();
  const auto job = base::read_file("/proc/self/fd/0", kMostJobBytes);
  const auto library = app::open_data_library();
  const auto speed = !job       ? base::Result<run::EngineSpeed>(std::unexpected(job.error()))
                     : !library ? base::Result<run::EngineSpeed>(std::unexpected(library.error()))
                                : app::bench_engine(*library, *job, base::SystemClock());
  run::EngineMeasurement measured;
  if (speed) measured.speed = *speed;
  if (!speed) measured.skipped = speed.error().message;
  const std::string text = analyse::engine_measurement_text(measured) + "\n";
  return base::write_all(1, text, "stdout") ? 0 : 1;
}

}  // namespace flatout::cli
