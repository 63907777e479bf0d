#include "app/history/find_history.h"

#include <algorithm>
#include <ranges>

#include "analyse/tracked/tracked_runs.h"
#include "app/tracked_headline.h"
#include "store/catalog.h"
#include "store/point_scan.h"
#include "store/run_reader.h"

namespace flatout::app {
namespace {

constexpr std::size_t kMostUnknown = 64;  // recordings that are looked into without a headline

// All but numbers, so that tracked runs can be made of it.
class FactsOf final : public store::PointTaker {
 public:
  void values(const store::ValueColumns&, store::PointPlace) override {}
  void samples(std::span<const run::Sample>, store::PointPlace) override {}
  void chunk(const store::PointChunk&, store::PointPlace) override {}
  void proc(const run::Proc& proc) override { timeline.processes[proc.pid].proc = proc; }
  void fact(pid_t pid, const run::Fact& fact) override {
    if (fact.key.starts_with("track_")) timeline.processes[pid].facts.push_back(fact);
  }
  run::Timeline timeline;
};

bool may_hold(const store::CatalogEntry& entry, const HistoryAsked& asked) {
  if (entry.id == asked.recording) return true;
  const auto& known = entry.meta.tracked;
  if (!known) return false;
  return known->id == asked.from ||
         std::ranges::find(known->other_ids, asked.from) != known->other_ids.end();
}

// Its headline is written a moment after it ended, or when somebody reads it.
bool is_unknown(const store::CatalogEntry& entry) {
  return !entry.meta.tracked && !entry.meta.outcome && entry.problem.empty();
}

bool is_copied_whole(const run::TrackedPart& part) {
  return part.branch && part.branch->values && part.branch->problem.empty();
}

class HistorySearch {
 public:
  HistorySearch(const store::Home& home, const HistoryAsked& asked) : home_(home), asked_(asked) {}

  FoundHistory found() {
    const auto listing = store::list_catalog(home_, store::viewpoint_here());
    if (!listing) return std::move(out_);
    std::size_t unknown = 0;
    for (const store::CatalogEntry& entry : listing->runs) {
      if (!may_hold(entry, asked_) && !(is_unknown(entry) && unknown++ < kMostUnknown)) continue;
      out_.live =
          out_.live || (entry.state == run::RunState::kRunning && entry.id != asked_.recording);
      if (take(entry.id, asked_.from)) break;
    }
    if (out_.sources.empty()) take_recording(listing->runs);
    std::ranges::reverse(out_.sources);
    return std::move(out_);
  }

 private:
  // What is called so is a recording; the first of its tracked runs then.
  void take_recording(const std::vector<store::CatalogEntry>& runs) {
    for (const store::CatalogEntry& entry : runs) {
      if (entry.id == asked_.recording) continue;
      if (entry.id != asked_.from && entry.name != asked_.from) continue;
      take(entry.id, std::nullopt);
      return;
    }
  }

  // True where this one holds all that was before it.
  bool take(const std::string& recording, const std::optional<std::string>& id) {
    const auto folder = home_.folder(recording);
    auto scan = store::PointScan::open(folder, store::ScanOf::kFacts);
    FactsOf facts;
    if (!scan || !scan->next(facts)) return false;
    const auto read = [&](std::string_view name) { return read_tracked_file(folder, name); };
    auto runs = analyse::tracked_runs(facts.timeline, read);
    const auto wanted = std::ranges::find_if(
        runs, [&](const run::TrackedRun& run) { return !id || run.id == *id; });
    return wanted != runs.end() && take(recording, folder, std::move(*wanted));
  }

  bool take(const std::string& recording, const std::filesystem::path& folder,
            run::TrackedRun run) {
    HistorySource source{.recording = recording, .folder = folder, .tracks = {}, .rows = {}};
    bool whole = false;
    for (const run::TrackedPart& part : run.parts) {
      const bool asks =
          recording == asked_.recording && (part.started_ns >= asked_.t_ns ||
                                            (part.pid == asked_.pid && part.track == asked_.track));
      if (part.archived || asks) continue;
      source.tracks.emplace_back(part.pid, part.track);
      whole = whole || is_copied_whole(part);
    }
    if (source.tracks.empty()) return false;
    std::ranges::sort(source.tracks);
    for (run::TrackedRow& row : run.rows) {
      if (std::ranges::binary_search(source.tracks, std::pair(row.pid, row.track))) {
        source.rows.push_back(std::move(row));
      }
    }
    if (out_.sources.empty()) {
      out_.config = std::move(run.config);
      out_.metrics = std::move(run.metrics);
    }
    out_.sources.push_back(std::move(source));
    return whole;
  }

  const store::Home& home_;
  const HistoryAsked& asked_;
  FoundHistory out_;
};

}  // namespace

FoundHistory find_history(const store::Home& home, const HistoryAsked& asked) {
  return HistorySearch(home, asked).found();
}

}  // namespace flatout::app
