// flatout trial FILE: one trial that a launcher placed here. Not for people: the
// file comes from `flatout search`, or from `tune` with a launcher.
#include "app/voice.h"
#include "cli/exit_status.h"
#include "cli/verbs.h"
#include "trial/run_job.h"

namespace flatout::cli {

int trial_verb(const TrialOptions& options) {
  app::Voice voice(false);
  const auto job = trial::read_job(options.file);
  if (!job) {
    voice.error(job.error().message);
    return kWrongOption;
  }
  if (const auto done = trial::run_job(*job, options.file); !done) {
    voice.error(done.error().message);
    return 1;
  }
  return 0;
}

}  // namespace flatout::cli
