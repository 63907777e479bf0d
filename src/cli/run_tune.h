// `run --tune`: what the user sees of settings that are tried inside the training, and what is kept
// of them. Main thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/run_session.h"
#include "app/voice.h"
#include "launch/plan.h"
#include "run/plan.h"
#include "trial/live_tuning.h"

namespace flatout::cli {

class RunTune {
 public:
  // Before the program starts. Says why where it cannot be, and does nothing then. `plan`: under
  // which the program is started.
  RunTune(bool wanted, const app::RunSession& session, const run::Plan& plan, app::Voice& voice);

  // `env` with what the program needs for it.
  launch::Environment environment(launch::Environment env) const;
  void begin();  // the program has started
  void tick();
  // The program has ended, and the session has not finished yet.
  void end(app::RunSession& session);
  // After the report: writes what was kept, with what the program was started under.
  void write(const std::string& plan_file);

 private:
  const run::Plan plan_;
  app::Voice& voice_;
  std::unique_ptr<trial::LiveTuning> tuning_;
};

}  // namespace flatout::cli
