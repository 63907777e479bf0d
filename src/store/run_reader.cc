#include "store/run_reader.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/process.h"
#include "run/plausible.h"
#include "store/disk.h"
#include "store/frame_log.h"
#include "store/home.h"
#include "store/log_file.h"
#include "store/logged_records.h"
#include "store/sealed/read_sealed.h"
#include "store/timeline_builder.h"

namespace flatout::store {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

std::string id_of(const std::filesystem::path& folder) {
  return folder.has_filename() ? folder.filename().string()
                               : folder.parent_path().filename().string();
}

}  // namespace

Viewpoint viewpoint_here() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return {.proc = "/proc", .host = name, .wall_ns = base::SystemClock().wall()};
}

bool recorder_alive(const run::RunInfo& info, const Viewpoint& from, base::WallNs log_changed_ns) {
  if (info.boot_id == base::boot_id(from.proc) &&
      base::process_alive({info.recorder_pid, info.recorder_start_ticks}, from.proc)) {
    return true;
  }
  // Another machine, or another container with process numbers of its own.
  return info.host != from.host && from.wall_ns - log_changed_ns < kForeignSilenceNs;
}

std::vector<pid_t> survivors(const run::Timeline& timeline, const Viewpoint& from) {
  std::set<pid_t> alive;
  if (timeline.info.boot_id != base::boot_id(from.proc)) return {};
  const auto look_at = [&](base::ProcessId id) {
    if (id.start_ticks != 0 && base::process_alive(id, from.proc)) alive.insert(id.pid);
  };
  // Known from before its first instruction, when nobody had looked at it yet.
  look_at({timeline.info.program_pid, timeline.info.program_start_ticks});
  for (const auto& [pid, track] : timeline.processes) look_at({pid, track.proc.start_ticks});
  return {alive.begin(), alive.end()};
}

namespace {

std::vector<std::string> notes_on_asking_log(LogRecords& records, const std::string& name) {
  const std::lock_guard lock(records.mutex);
  if (records.unread.empty()) return {};
  return {name + ": " + std::to_string(records.unread.size()) +
          " frames of the kernel trace cannot be read any more and are left out"};
}

// The recorder's life is looked at after the first frame and before the rest:
// one that ends in between has written its end by then, and the end is read.
Result<run::Timeline> read_log(const std::filesystem::path& folder, const Viewpoint& from,
                               ReadLimits limits) {
  auto log = open_log(folder);
  if (!log) return std::unexpected(log.error());
  auto reader = FrameReader::open(*log->source, log->name);
  if (!reader) return std::unexpected(reader.error());
  if (!limits.points) {
    reader->want(FrameTypes::all().without(FrameType::kValues).without(FrameType::kSamples));
  }
  TimelineBuilder builder;
  bool alive = false;
  std::uint64_t decoded = 0;
  for (bool first = true;; first = false) {
    const auto frame = reader->next();
    if (!frame) return std::unexpected(frame.error());
    if (!*frame) break;
    decoded += (*frame)->payload.size();
    if (std::max(decoded, builder.held_bytes()) > limits.decoded_bytes) {
      builder.note(log->name + ": only its first " + std::to_string((*frame)->offset) +
                   " bytes are shown, the rest does not fit into the memory set aside");
      break;
    }
    builder.add_logged(**frame);
    if (first) alive = recorder_alive(builder.info(), from, log->status.changed_ns);
  }
  for (const auto& damage : reader->damage()) {
    // While the recorder writes, the last frame may be half there: no loss.
    if (!(alive && damage.at_end)) builder.note(damage.text);
  }
  const bool has_info = builder.has_info();
  const std::string name = log->name;
  const auto records = std::make_shared<LogRecords>(std::move(*log));
  auto timeline = builder.finish(has_info && alive, records);
  timeline.later_notes = [records, name] { return notes_on_asking_log(*records, name); };
  if (!has_info) {
    timeline.info.id = id_of(folder);
    timeline.notes.push_back(name + ": what was known at the start of the run is lost");
  }
  if (timeline.state == run::RunState::kLost) timeline.survivors = survivors(timeline, from);
  return timeline;
}

Result<RunSummary> read_log_summary(const std::filesystem::path& folder, const Viewpoint& from) {
  auto log = open_log(folder);
  if (!log) return std::unexpected(log.error());
  auto reader = FrameReader::open(*log->source, log->name);
  if (!reader) return std::unexpected(reader.error());
  RunSummary summary;
  summary.log_bytes = log->status.bytes;
  summary.log_changed_ns = log->status.changed_ns;
  summary.info.id = id_of(folder);
  bool alive = false;
  const auto first = reader->next();
  if (!first) return std::unexpected(first.error());
  if (*first && (*first)->type == FrameType::kInfo) {
    if (auto info = decode_info((*first)->payload); info && run::plausible(*info)) {
      summary.info = std::move(*info);
      alive = recorder_alive(summary.info, from, summary.log_changed_ns);
    }
  }
  const auto status = log->file->status();  // again: it may have ended since
  const auto payload = FrameReader::find_last(
      *log->source, status ? status->bytes : summary.log_bytes, FrameType::kEnd);
  if (payload) {
    auto end = decode_end(*payload);
    if (end && run::plausible(*end)) summary.end = std::move(*end);
  }
  summary.state = state_of(summary.end, alive);
  return summary;
}

// The sealed form counts if there are both. A run may be sealed between two
// reads, so the sealed form is tried once more if there is no log; if it cannot
// be read but the log is still there, the log is the run.
template <typename Sealed, typename Log>
auto either(Sealed read_sealed_form, Log read_log_form) -> decltype(read_log_form()) {
  auto sealed = read_sealed_form();
  if (sealed) return sealed;
  auto log = read_log_form();
  if (log || log.error().code != ErrorCode::kNotFound) return log;
  if (sealed.error().code != ErrorCode::kNotFound) return sealed;
  auto again = read_sealed_form();
  return again || again.error().code != ErrorCode::kNotFound ? again : log;
}

// Paths and commands are made of an id, and what a log says may be anything.
void call_as_folder(run::RunInfo& info, const std::filesystem::path& folder) {
  const std::string name = id_of(folder);
  if (is_run_id(name) || !is_run_id(info.id)) info.id = name;
}

}  // namespace

Result<run::Timeline> read_run(const std::filesystem::path& folder, const Viewpoint& from,
                               ReadLimits limits) {
  auto timeline = either([&] { return read_sealed_run(folder, from, limits); },
                         [&] { return read_log(folder, from, limits); });
  if (timeline) call_as_folder(timeline->info, folder);
  return timeline;
}

Result<RunSummary> read_summary(const std::filesystem::path& folder, const Viewpoint& from) {
  auto summary = either([&] { return read_sealed_summary(folder); },
                        [&] { return read_log_summary(folder, from); });
  if (summary) call_as_folder(summary->info, folder);
  return summary;
}

}  // namespace flatout::store
