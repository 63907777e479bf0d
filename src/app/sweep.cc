#include "app/sweep.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <span>
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
#include "store/run_meta.h"
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

// A home that is away for longer is gone.
constexpr std::chrono::hours kHomeAway{7 * 24};
// The maker of a folder marks it at once.
constexpr std::chrono::minutes kUnmarked{10};

void sweep_rings(const launch::Abandoned& left) {
  if (!store::is_run_id(left.name) || is_written_to(left.dir)) return;
  if (!left.home.empty()) {
    const store::Home home = store::Home::at(left.home);
    std::error_code unknown;
    // Not mounted just now, perhaps; but not for ever, as the memory is the machine's.
    const auto untouched = launch::untouched_for(left.dir);
    const bool kept = !untouched || *untouched < kHomeAway;
    if (!fs::is_directory(home.runs(), unknown) && kept) return;
    if (fs::exists(home.folder(left.name), unknown)) {
      (void)open_run(left.home, left.name);  // recovers, then removes
      return;
    }
    if (unknown) return;
  }
  record::remove_rings(left.dir);
  (void)workspace::remove_tree(left.dir);
}

bool has_rings(const fs::path& dir) {
  std::error_code error;
  for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    if (name.starts_with("ring.") || name.starts_with(".ring.")) return true;
  }
  return static_cast<bool>(error);
}

void sweep_unmarked_rings(std::span<const fs::path> roots, const std::string& prefix) {
  for (const fs::path& dir : launch::unmarked_folders(roots, prefix, kUnmarked)) {
    const std::string id = dir.filename().native().substr(prefix.size());
    if (store::is_run_id(id) && !has_rings(dir)) (void)launch::remove_ring_dir(dir);
  }
}

// A page that led a browser to `flatout ui`: it was read long ago.
void sweep_ways_in(const fs::path& home) {
  constexpr std::chrono::hours kOpened{1};
  std::error_code error;
  for (fs::directory_iterator it(home, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename();
    std::error_code ignored;
    if (!name.starts_with("ui-") || !name.contains(".html") || !it->is_regular_file(ignored)) {
      continue;
    }
    const auto untouched = launch::untouched_for(it->path());
    if (untouched && *untouched >= kOpened) fs::remove(it->path(), ignored);
  }
}

// Whoever was killed has changed the folder of its run not long ago.
void sweep_home(const store::Home& home) {
  constexpr std::size_t kNewest = 64;
  sweep_ways_in(home.root());
  const auto ids = home.ids();
  if (!ids) return;
  std::vector<std::pair<std::chrono::seconds, fs::path>> folders;
  for (const std::string& id : *ids) {
    const auto untouched = launch::untouched_for(home.folder(id));
    if (untouched) folders.emplace_back(*untouched, home.folder(id));
  }
  const std::size_t count = std::min(kNewest, folders.size());
  std::ranges::partial_sort(folders, folders.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) store::sweep_meta(folders[i].second);
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
    sweep_unmarked_rings(roots, rings);
    if (const auto home = open_home("")) sweep_home(*home);
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
