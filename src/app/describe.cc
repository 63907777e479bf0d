#include "app/describe.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <system_error>

#include "analyse/analysis.h"
#include "analyse/compare/stated.h"
#include "app/tracked_headline.h"
#include "store/folder_size.h"
#include "store/run_meta.h"

namespace flatout::app {
namespace {

double seconds(const run::Timeline& timeline, std::int64_t t_ns) {
  return static_cast<double>(t_ns - timeline.info.started_ns) / 1e9;
}

run::SeriesRange range_of(const run::Timeline& timeline, const run::SeriesKey& key,
                          const run::Records<run::Point>& points) {
  run::SeriesRange range;
  range.metric = key.metric;
  range.source = key.source;
  range.count = points.size();
  range.first_s = seconds(timeline, points.first_ns());
  range.last_s = seconds(timeline, points.last_ns());
  double sum = 0;
  std::size_t finite = 0;
  for (const run::Point& point : points) {
    if (!std::isfinite(point.value)) continue;
    range.min = std::min(range.min.value_or(point.value), point.value);
    range.max = std::max(range.max.value_or(point.value), point.value);
    sum += point.value;
    ++finite;
  }
  if (finite > 0) range.mean = sum / static_cast<double>(finite);
  return range;
}

void add_files(const std::filesystem::path& folder, run::Description& to) {
  to.folder = folder.string();
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code gone;  // a running recorder replaces files
    const std::string name = at->path().filename().string();
    if (at->symlink_status(gone).type() == std::filesystem::file_type::directory) {
      to.files.push_back({name + "/", store::folder_bytes(at->path())});
      continue;
    }
    if (!at->is_regular_file(gone) || gone) continue;
    const auto bytes = at->file_size(gone);
    if (!gone) to.files.push_back({name, bytes});
  }
  if (error) to.notes.push_back("files of " + to.folder + " were not listed: " + error.message());
  std::ranges::sort(to.files, {}, &run::FileSize::name);
}

void add_meta(const std::filesystem::path& folder, run::Description& to) {
  auto meta = store::read_meta(folder);
  if (!meta) {
    to.notes.push_back(meta.error().message);
    return;
  }
  to.tags = std::move(meta->tags);
  to.note = std::move(meta->note);
}

void add_processes(const run::Timeline& timeline, run::Description& to) {
  for (const auto& [pid, process] : timeline.processes) {
    ++to.processes.all;
    if (process.proc.role == run::ProcRole::kWorker) ++to.processes.workers;
    to.batches += static_cast<std::int64_t>(process.batches.size());
  }
}

// Stated facts and steps need the analysis, which may break on a recording that
// nobody has foreseen; all else is shown then too.
void add_analysed(const run::Timeline& timeline, run::Description& to) {
  try {
    const analyse::Analysis analysis = analyse::measure(timeline);
    to.steps = static_cast<std::int64_t>(analysis.cut.steps.size());
    to.config = analyse::config_of(timeline, analysis);
    to.environment = analyse::environment_of(timeline, analysis);
    to.places = analyse::places_of(timeline, analysis);
  } catch (const std::exception& problem) {
    to.notes.push_back(std::string("the analysis failed: ") + problem.what());
  }
}

}  // namespace

run::Description describe_recording(const run::Timeline& timeline,
                                    const std::filesystem::path& folder) {
  run::Description out;
  out.run = timeline.info;
  out.state = timeline.state;
  out.end = timeline.end;
  out.survivors = timeline.end ? timeline.end->survivors : timeline.survivors;
  out.duration_s =
      std::max(0.0, seconds(timeline, timeline.end ? timeline.end->t_ns : timeline.last_ns));
  out.events = timeline.counts.events;
  out.dropped = timeline.counts.dropped;
  out.notes = timeline.notes;
  add_processes(timeline, out);
  add_analysed(timeline, out);
  for (const auto& [index, device] : timeline.devices) out.devices.push_back(device);
  for (const auto& [key, points] : timeline.series) {
    if (!points.empty()) out.series.push_back(range_of(timeline, key, points));
  }
  if (timeline.later_notes)
    std::ranges::move(timeline.later_notes(), std::back_inserter(out.notes));
  out.tracked = tracked_runs_of(timeline, folder);
  return out;
}

void add_files_and_meta(const std::filesystem::path& folder, run::Description& to) {
  add_files(folder, to);
  add_meta(folder, to);
}

run::Description describe(const run::Timeline& timeline, const std::filesystem::path& folder) {
  run::Description out = describe_recording(timeline, folder);
  add_files_and_meta(folder, out);
  return out;
}

}  // namespace flatout::app
