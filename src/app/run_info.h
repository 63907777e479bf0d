// What is known of a run when it starts.
#pragma once

#include <string>

#include "app/session_options.h"
#include "base/time.h"
#include "run/plan.h"
#include "run/run.h"

namespace flatout::app {

// id, ring_dir and hooks_off are the caller's to fill.
run::RunInfo run_facts(const SessionOptions& options, const base::Clock& clock);

std::string host_name();

// The JSON of a failure (run::facts::kFailure) with secrets in its message masked: the exception
// that ended a program may name a URL with its password, or a key. Any other text as it is.
std::string with_masked_message(const std::string& json);
// The JSON literal `literal` of the setting, masked where its variable or argument is called
// like a secret.
std::string masked_value(const run::KnobSetting& setting, const std::string& literal);

}  // namespace flatout::app
