#include "app/import_runs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "app/import_sink.h"
#include "app/stored_runs.h"
#include "base/joined.h"
#include "base/time.h"
#include "store/catalog.h"
#include "trackers/find_runs.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

std::string origin_of(const trackers::FoundRun& run) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(run.path, error);
  return (error ? fs::absolute(run.path) : whole).string();
}

// The newest run of each origin, by the command that it is stored with.
std::map<std::string, std::string> imported_before(const store::Home& home) {
  std::map<std::string, std::string> known;
  const auto listing = store::list_catalog(home, store::viewpoint_here());
  if (!listing) return known;
  for (const store::CatalogEntry& run : listing->runs) {
    if (run.problem.empty()) known.try_emplace(run.command, run.id);
  }
  return known;
}

ImportOutcome import_one(const store::Home& home, const base::Clock& clock,
                         const trackers::FoundRun& found, const std::string& origin) {
  ImportOutcome outcome;
  outcome.source = trackers::tracker_name(found.kind);
  outcome.path = origin;
  ImportIntoHome sink(home, clock, origin);
  const auto done = trackers::read_found(found, sink);
  if (!done) outcome.problem = done.error().message;
  sink.close();
  outcome.run = sink.id();
  outcome.name = sink.name();
  outcome.values = sink.value_count();
  outcome.notes = sink.notes();
  return outcome;
}

}  // namespace

base::Result<std::vector<ImportOutcome>> import_runs(
    const ImportRequest& request, const std::function<void(const ImportOutcome&)>& each) {
  std::vector<trackers::FoundRun> found;
  for (const std::string& path : request.paths) {
    auto here = trackers::find_runs(path);
    if (!here) return std::unexpected(here.error());
    std::ranges::move(*here, std::back_inserter(found));
  }
  const auto home = open_home(request.home);
  if (!home) return std::unexpected(home.error());
  const base::SystemClock clock;
  const auto known = request.again ? std::map<std::string, std::string>() : imported_before(*home);
  std::vector<ImportOutcome> outcomes;
  for (const trackers::FoundRun& run : found) {
    const std::string origin = origin_of(run);
    const auto before = known.find(base::joined(import_command(origin)));
    if (before == known.end()) {
      outcomes.push_back(import_one(*home, clock, run, origin));
    } else {
      ImportOutcome outcome;
      outcome.source = trackers::tracker_name(run.kind);
      outcome.path = origin;
      outcome.run = before->second;
      outcome.known = true;
      outcomes.push_back(std::move(outcome));
    }
    if (each) each(outcomes.back());
  }
  return outcomes;
}

}  // namespace flatout::app
