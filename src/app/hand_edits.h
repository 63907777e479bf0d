// Where the program's own files set what a plan's knobs set, and the change as a diff: from what
// the trials that a plan names report of the lines that built loader and optimizer. Reads the runs
// in the home and the files in the working directory; writes nothing but what open_run() does.
#pragma once

#include <map>
#include <string>

#include "run/plan.h"

namespace flatout::app {

struct HandEdits {
  // Of a knob "train.py:41", with the reason in brackets where the diff does not hold it.
  std::map<std::string, std::string> where;
  std::string diff;  // of all files, for `git apply`; "" = of none
};

// `home`: --home. Of a knob whose place no trial reports there is nothing.
HandEdits hand_edits(const std::string& home, const run::Plan& plan);

}  // namespace flatout::app
