#include "app/stored_runs.h"

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "app/tracked_headline.h"
#include "base/time.h"
#include "launch/plan.h"
#include "launch/ring_dir.h"
#include "record/recover.h"
#include "record/ring_file.h"
#include "store/run_list.h"
#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/seal.h"

namespace flatout::app {
namespace {

// Rings that can still be there: of this machine, not rebooted since.
bool may_have_rings(const run::Timeline& timeline) {
  if (timeline.state != run::RunState::kLost || timeline.info.ring_dir.empty()) return false;
  std::error_code unknown;
  return std::filesystem::is_directory(timeline.info.ring_dir, unknown) &&
         timeline.info.boot_id == base::boot_id();
}

// What the user should know of a recovery; "" when there is nothing to say.
std::string recover_rings(const store::Home& home, const std::string& id,
                          const run::Timeline& stored) {
  // The log may be anybody's, and rings are written to and removed.
  const auto rings = launch::own_ring_dir(stored.info.ring_dir, id,
                                          launch::ring_roots(launch::current_environment()));
  if (!rings) return "events still in shared memory are left there: " + rings.error().message;
  const base::SystemClock clock;
  auto writer = store::RunWriter::reopen_lost(home, id, clock);
  if (!writer) {
    // kExists: another flatout recovers it just now.
    if (writer.error().code == base::ErrorCode::kExists) return "";
    return "events still in shared memory could not be added: " + writer.error().message;
  }
  const auto done = record::recover(*rings, **writer, &stored);
  if (!done) return "events still in shared memory could not be read: " + done.error().message;
  if (!(*writer)->stored()) return (*writer)->take_problem().value_or("");
  if (done->alive.empty()) {
    record::remove_rings(*rings);
    (void)launch::remove_ring_dir(*rings);
  }
  return done->notes.empty() ? "" : done->notes.front();
}

base::Result<run::Timeline> read_recovered(const store::Home& home, const std::string& id) {
  const store::Viewpoint here = store::viewpoint_here();
  auto timeline = store::read_run(home.folder(id), here);
  if (!timeline) return timeline;
  if (!may_have_rings(*timeline)) {
    // Of one that was lost with its machine, say.
    if (timeline->state != run::RunState::kRunning) {
      keep_missing_tracked(home.folder(id), *timeline);
    }
    seal_what_is_over(home);
    return timeline;
  }
  const std::string problem = recover_rings(home, id, *timeline);
  timeline = store::read_run(home.folder(id), here);
  if (timeline && !problem.empty()) timeline->notes.push_back(problem);
  if (timeline) keep_tracked(home.folder(id), *timeline);
  return timeline;
}

}  // namespace

base::Result<store::Home> open_home(const std::string& option) {
  if (!option.empty()) return store::Home::at(option);
  return store::Home::resolve([](const char* name) { return std::getenv(name); });
}

std::string home_to_name(const store::Home& home) {
  const auto usual = open_home("");
  return usual && usual->root() == home.root() ? "" : home.root().string();
}

base::Result<FoundRun> find_stored_run(const std::string& home_option,
                                       const std::string& reference) {
  const auto home = open_home(home_option);
  if (!home) return std::unexpected(home.error());
  const store::Viewpoint here = store::viewpoint_here();
  const auto id = store::find_run(*home, reference, here);
  if (!id) return std::unexpected(id.error());
  auto summary = store::read_summary(home->folder(*id), here);
  if (!summary) return std::unexpected(summary.error());
  return FoundRun{home->folder(*id), std::move(*summary)};
}

base::Result<StoredRun> open_run(const std::string& home_option, const std::string& reference) {
  const auto home = open_home(home_option);
  if (!home) return std::unexpected(home.error());
  const auto id = store::find_run(*home, reference, store::viewpoint_here());
  if (!id) return std::unexpected(id.error());
  auto timeline = read_recovered(*home, *id);
  if (!timeline) return std::unexpected(timeline.error());
  return StoredRun{home->folder(*id), std::move(*timeline)};
}

bool sealing_wanted() {
  const char* set = std::getenv("FLATOUT_SEAL");
  return set == nullptr || std::string_view(set) != "off";
}

// What cannot be sealed stays a log, which is as good; so nothing is said.
void seal_what_is_over(const store::Home& home) {
  constexpr base::DurationNs kBudget = base::kSecond / 4;
  if (!sealing_wanted()) return;
  (void)store::seal_ended(home, store::viewpoint_here(), base::SystemClock(), kBudget);
}

}  // namespace flatout::app
