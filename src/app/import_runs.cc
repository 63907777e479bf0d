#include "app/import_runs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "app/import_sink.h"
#include "app/parquet_process.h"
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
                         const trackers::FoundRun& found, const std::string& origin,
                         trackers::ParquetRows* parquet) {
  ImportOutcome outcome;
  outcome.source = trackers::tracker_name(found.kind);
  outcome.path = origin;
  ImportIntoHome sink(home, clock, origin);
  const auto done = trackers::read_found(found, parquet, sink);
  if (!done) outcome.problem = done.error().message;
  sink.close();
  outcome.run = sink.id();
  outcome.name = sink.name();
  outcome.values = sink.value_count();
  outcome.notes = sink.notes();
  return outcome;
}

ImportOutcome known_one(const trackers::FoundRun& found, const std::string& origin,
                        const std::string& run) {
  ImportOutcome outcome;
  outcome.source = trackers::tracker_name(found.kind);
  outcome.path = origin;
  outcome.run = run;
  outcome.known = true;
  return outcome;
}

// The Python for Parquet, found before the first run that needs it. Without one those runs are one
// outcome, not a thousand that say the same.
class Parquet {
 public:
  explicit Parquet(std::vector<trackers::FoundRun>& found) {
    const auto needs = [](const trackers::FoundRun& run) {
      return run.kind == trackers::TrackerKind::kNeptune;
    };
    const auto first = std::ranges::find_if(found, needs);
    if (first == found.end()) return;
    auto process = ParquetProcess::find();
    if (process) {
      process_.emplace(std::move(*process));
      return;
    }
    ImportOutcome outcome;
    outcome.source = trackers::tracker_name(first->kind);
    outcome.path = origin_of(*first);
    const std::size_t count = static_cast<std::size_t>(std::ranges::count_if(found, needs));
    outcome.problem = std::to_string(count) + (count == 1 ? " run" : " runs") +
                      " of Neptune's cannot be read, since Parquet is read by a Python of yours: " +
                      process.error().message;
    problem_ = std::move(outcome);
    std::erase_if(found, needs);
  }
  trackers::ParquetRows* rows() { return process_ ? &*process_ : nullptr; }
  const std::optional<ImportOutcome>& problem() const { return problem_; }

 private:
  std::optional<ParquetProcess> process_;
  std::optional<ImportOutcome> problem_;
};

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
  Parquet parquet(found);
  std::vector<ImportOutcome> outcomes;
  if (parquet.problem()) {
    outcomes.push_back(*parquet.problem());
    if (each) each(outcomes.back());
  }
  for (const trackers::FoundRun& run : found) {
    const std::string origin = origin_of(run);
    const auto before = known.find(base::joined(import_command(origin)));
    outcomes.push_back(before == known.end() ? import_one(*home, clock, run, origin, parquet.rows())
                                             : known_one(run, origin, before->second));
    if (each) each(outcomes.back());
  }
  return outcomes;
}

}  // namespace flatout::app
