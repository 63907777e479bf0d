// meta.json in a run's folder: what people and reports say of a run after it
// was recorded. Small, JSON, replaced as a whole, so that it is always either
// the old or the new one. The catalog only indexes it. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/report.h"

namespace flatout::store {

constexpr std::string_view kMetaFileName = "meta.json";

// The headline of a report, kept so that a list of runs needs no analysis.
struct RunOutcome {
  std::string finding;  // id of the verdict's finding: "input_bound", "no_steps"
  std::string cause;    // "" = none
  std::string summary;  // one sentence
  double confidence = 0;
  std::optional<std::int64_t> steps;
  std::optional<double> median_ms;
  std::optional<double> samples_per_s;
  std::optional<double> device_busy;          // 0 to 1
  std::optional<std::int64_t> stopped_after;  // steps: ended so by its --stop-after
  friend bool operator==(const RunOutcome&, const RunOutcome&) = default;
};
RunOutcome outcome_of(const run::Report& report);

// Below a run's folder: files that its tracked runs keep.
constexpr std::string_view kTrackedFolderName = "files";

// What a list shows of a recording's first tracked run. Texts are cut, and large values of configs
// and summaries become the beginning of their text, where they are written.
struct TrackedHeadline {
  std::string id;
  std::string project;
  std::string name;
  std::string group;
  std::string job_type;
  std::vector<std::string> tags;
  std::string config = "{}";   // a JSON object; below its fourth level, values are text
  std::string summary = "{}";  // likewise
  std::optional<std::int64_t> last_step =
      {};  // that anything was logged at: a resumed run goes on after it
  std::vector<std::string> other_ids = {};  // of the recording's further tracked runs
  // Where it begins with a history (run/tracked.h).
  std::string branch = {};  // "fork", "rewind"; "" = it does not
  std::string from = {};    // id of that tracked run
  std::optional<std::int64_t> from_step = {};
  friend bool operator==(const TrackedHeadline&, const TrackedHeadline&) = default;
};

struct RunMeta {
  std::vector<std::string> tags;  // sorted, each once
  std::string note;               // "" = none
  std::optional<RunOutcome> outcome;
  std::optional<TrackedHeadline> tracked = {};
  friend bool operator==(const RunMeta&, const RunMeta&) = default;
};

// Those that were set later and those of the script, sorted, each once: what a run is found by.
std::vector<std::string> all_tags(const RunMeta& meta);

// What may be a tag: 1 to 64 bytes without commas and control characters, and no blank at an end.
bool is_tag(std::string_view text);
inline constexpr const char* kTagRule =
    "1 to 64 bytes without commas and control characters, and no blank at either end";
constexpr std::size_t kMaxTags = 64;
constexpr std::size_t kMaxNoteBytes = 16U << 10;

// An empty RunMeta where there is no meta.json. kCorrupt: it is not readable;
// kTooLarge: no flatout wrote it.
base::Result<RunMeta> read_meta(const std::filesystem::path& folder);

// Reads, lets `change` change, and writes: under a lock, so that two flatouts
// do not undo each other's change. A meta.json that cannot be read is replaced.
// kInvalid: a tag or note out of bounds, nothing is written then; kNotFound:
// no such folder. Gives back what was written. Keys of a later flatout stay.
base::Result<RunMeta> update_meta(const std::filesystem::path& folder,
                                  const std::function<void(RunMeta&)>& change);

// Removes what a flatout that was killed while it wrote the meta.json of `folder` has left beside
// it. Nothing where somebody writes it just now.
void sweep_meta(const std::filesystem::path& folder);

}  // namespace flatout::store
