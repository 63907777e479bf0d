#include "app/sweep.h"

#include <unistd.h>

#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/stored_runs.h"
#include "base/process.h"
#include "launch/owner_mark.h"
#include "launch/plan.h"
#include "launch/ring_dir.h"
#include "record/ring_file.h"
#include "store/home.h"
#include "workspace/scratch.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

// They train on without their recorder; what they say is for a later reader.
bool is_written_to(const fs::path& ring_dir) {
  std::error_code error;
  fs::directory_iterator it(ring_dir, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const auto writer = record::parse_ring_name(it->path().filename().native());
    if (writer && base::process_alive(*writer)) return true;
  }
  return static_cast<bool>(error);
}

void sweep_rings(const launch::Abandoned& left) {
  if (!store::is_run_id(left.name) || is_written_to(left.dir)) return;
  if (!left.home.empty()) {
    const store::Home home = store::Home::at(left.home);
    std::error_code unknown;
    if (!fs::is_directory(home.runs(), unknown)) return;  // not mounted just now, perhaps
    if (fs::exists(home.folder(left.name), unknown)) {
      (void)open_run(left.home, left.name);  // recovers, then removes
      return;
    }
    if (unknown) return;
  }
  record::remove_rings(left.dir);
  (void)workspace::remove_tree(left.dir);
}

constexpr const char* kSwept = ".swept";

// A trial lives on for a moment after who started it was killed, and writes its result here. Under
// another name it finds the folder no more, so that none is left that has lost its owner's mark.
void sweep_trials(const launch::Abandoned& left) {
  fs::path dir = left.dir;
  if (!left.name.ends_with(kSwept)) {
    std::error_code error;
    fs::path renamed = dir;
    renamed += kSwept;
    fs::rename(dir, renamed, error);
    if (error) return;
    dir = std::move(renamed);
  }
  (void)workspace::remove_tree(dir);
}

std::vector<fs::path> temporary_roots(const launch::Environment& env) {
  std::vector<fs::path> out = launch::ring_roots(env);
  out.emplace_back("/var/tmp");  // launch::find_scratch_root takes it, too
  return out;
}

}  // namespace

void sweep_leftovers() noexcept {
  try {
    const auto env = launch::current_environment();
    const std::vector<fs::path> roots = temporary_roots(env);
    const std::string rings = "flatout-" + std::to_string(::getuid()) + "-";
    for (const auto& left : launch::abandoned_folders(roots, rings)) sweep_rings(left);
    // Those of trials that a scheduler places lie in the home, which other machines share, and
    // of a process there nothing is known here. A script's artifacts: flatout/track/_staging.py.
    for (const char* const prefix : {"flatout-tune-", "flatout-trials-", "flatout-artifact-"}) {
      for (const auto& left : launch::abandoned_folders(roots, prefix)) {
        sweep_trials(left);
      }
    }
  } catch (const std::exception&) {  // what is left is left to the next command
    return;
  }
}

}  // namespace flatout::app
