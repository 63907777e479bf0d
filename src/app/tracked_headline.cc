#include "app/tracked_headline.h"

#include <algorithm>

#include "analyse/tracked/tracked_runs.h"
#include "base/file.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = 16U << 20;
constexpr std::size_t kMostNameBytes = 128;

}  // namespace

bool is_tracked_file_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= kMostNameBytes && name.front() != '.' &&
         std::ranges::all_of(name, plain);
}

namespace {

bool tracks_anything(const run::Timeline& timeline) {
  return std::ranges::any_of(timeline.processes, [](const auto& entry) {
    return !entry.second.facts.observed().track_runs.empty();
  });
}

std::optional<std::int64_t> last_step_of(const run::TrackedRun& run) {
  std::optional<std::int64_t> out;
  const auto take = [&](const std::optional<std::int64_t>& step) {
    if (step) out = std::max(out.value_or(*step), *step);
  };
  for (const run::TrackedSeries& series : run.series) take(series.last_step);
  for (const run::TrackedRow& row : run.rows) take(row.step);
  return out;
}

}  // namespace

std::optional<std::string> read_tracked_file(const fs::path& folder, std::string_view name) {
  if (!is_tracked_file_name(name)) return std::nullopt;
  auto text = base::read_file(folder / store::kTrackedFolderName / name, kMostFileBytes);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

std::vector<run::TrackedRun> tracked_runs_of(const run::Timeline& timeline,
                                             const fs::path& folder) {
  return analyse::tracked_runs(
      timeline, [&](std::string_view name) { return read_tracked_file(folder, name); });
}

std::optional<store::TrackedHeadline> tracked_headline(const std::vector<run::TrackedRun>& runs) {
  if (runs.empty()) return std::nullopt;
  const run::TrackedRun& first = runs.front();
  store::TrackedHeadline out{.id = first.id,
                             .project = first.project,
                             .name = first.name,
                             .group = first.group,
                             .job_type = first.job_type,
                             .tags = first.tags,
                             .config = first.config,
                             .summary = first.summary,
                             .last_step = last_step_of(first)};
  for (auto run = runs.begin() + 1; run != runs.end(); ++run) {
    if (!run->id.empty() && run->id != first.id) out.other_ids.push_back(run->id);
  }
  if (!first.branch) return out;
  out.branch = first.branch->rewind ? "rewind" : "fork";
  out.from = first.branch->from;
  out.from_step = first.branch->from_step;
  return out;
}

void keep_tracked(const fs::path& folder, const run::Timeline& timeline) {
  if (!tracks_anything(timeline)) return;
  const auto headline = tracked_headline(tracked_runs_of(timeline, folder));
  if (!headline) return;
  (void)store::update_meta(folder, [&](store::RunMeta& meta) { meta.tracked = headline; });
}

void keep_missing_tracked(const fs::path& folder, const run::Timeline& timeline) {
  if (!tracks_anything(timeline)) return;
  const auto meta = store::read_meta(folder);
  if (!meta || !meta->tracked) keep_tracked(folder, timeline);
}

}  // namespace flatout::app
