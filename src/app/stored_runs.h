// Runs in a home, as the verbs want them. Main thread.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "run/timeline.h"
#include "store/home.h"
#include "store/run_reader.h"

namespace flatout::app {

// `option` is --home, "" = $FLATOUT_HOME and so on.
base::Result<store::Home> open_home(const std::string& option);

// What --home has to say for another command to find `home`: "" where it does without.
std::string home_to_name(const store::Home& home);

// open_home() and in it the run that `reference` means ("latest", an id, a name); of the run only
// what its first and last bytes say, whatever its size.
struct FoundRun {
  std::filesystem::path folder;
  store::RunSummary summary;
};
base::Result<FoundRun> find_stored_run(const std::string& home_option,
                                       const std::string& reference);

struct StoredRun {
  std::filesystem::path folder;
  run::Timeline timeline;
};

// The same, read whole. Where its recorder was killed, what still lies in its rings is first
// appended to its log; what goes wrong with that becomes a note of the Timeline.
base::Result<StoredRun> open_run(const std::string& home_option, const std::string& reference);

// False where FLATOUT_SEAL=off asks to keep logs as they are, to look into them.
bool sealing_wanted();

// Seals runs that are over and were not sealed when they ended, for a moment.
void seal_what_is_over(const store::Home& home);

}  // namespace flatout::app
