// A stored run, or a trace in a file, held against a budget. Main thread.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "run/check.h"

namespace flatout::app {

struct CheckRequest {
  std::string home;
  std::string run;       // an id, a name, "latest", else a file with a trace
  std::string budget;    // a file
  std::string baseline;  // as `run`; "" = none
  std::set<std::string> rules_off;
};

// The error is of what cannot be read: the budget first, since it is the quickest to fix.
base::Result<run::CheckReport> check_run(const CheckRequest& request);

}  // namespace flatout::app
