#include "store/run_writer.h"

#include <algorithm>
#include <utility>

#include "store/log_file.h"
#include "store/staging.h"
#include "store/timeline_builder.h"

namespace flatout::store {
namespace {

using base::ErrorCode;
using base::Result;

// Ids taken without a home's mkdir are longer, so that one is likely free when
// the home comes back.
constexpr std::size_t kHomelessIdLength = 6;

}  // namespace

RunWriter::RunWriter(std::optional<Home> home, const base::Clock& clock, Disk* disk,
                     WriterOptions options)
    : home_(std::move(home)), clock_(clock), disk_(disk), options_(std::move(options)) {}

std::unique_ptr<RunWriter> RunWriter::open(const Home& home, const base::Clock& clock, Disk& disk,
                                           WriterOptions options) {
  std::unique_ptr<RunWriter> writer(new RunWriter(home, clock, &disk, std::move(options)));
  writer->create_file();
  return writer;
}

std::unique_ptr<RunWriter> RunWriter::in_memory(std::string reason, const base::Clock& clock,
                                                WriterOptions options) {
  std::unique_ptr<RunWriter> writer(
      new RunWriter(std::nullopt, clock, nullptr, std::move(options)));
  writer->id_ = random_run_id(kHomelessIdLength);
  writer->problem_ = std::move(reason);
  return writer;
}

Result<std::unique_ptr<RunWriter>> RunWriter::reopen_lost(const Home& home, const std::string& id,
                                                          const base::Clock& clock, Disk& disk,
                                                          WriterOptions options) {
  if (!is_run_id(id))
    return base::fail(ErrorCode::kInvalid, std::string("no run can be called '") + id + "'");
  auto file = disk.open(log_path(home.folder(id)));
  if (!file) return std::unexpected(file.error());
  if (auto locked = (*file)->lock(); !locked) return std::unexpected(locked.error());
  std::unique_ptr<RunWriter> writer(new RunWriter(home, clock, &disk, std::move(options)));
  writer->id_ = id;
  writer->has_folder_ = true;
  writer->stage_ = Stage::kLost;
  writer->mark_recovered_ = true;
  if (auto resumed = writer->log_.resume(std::move(*file)); !resumed) {
    return std::unexpected(resumed.error());
  }
  if (auto found = writer->find_end(log_path(home.folder(id)).string()); !found) {
    return std::unexpected(found.error());
  }
  return writer;
}

// Where the log of a lost run goes on: after its last whole frame when the rest
// is a frame cut short, else after whatever there is.
Result<void> RunWriter::find_end(const std::string& name) {
  auto reader = FrameReader::open(log_, name);
  if (!reader) return std::unexpected(reader.error());
  for (;;) {
    const auto frame = reader->next();
    if (!frame) return std::unexpected(frame.error());
    if (!*frame) break;
    if ((*frame)->type == FrameType::kEnd) {
      return base::fail(ErrorCode::kInvalid,
                        "run " + id_ + " has ended; nothing is to be recovered");
    }
  }
  if (reader->damage().empty() || !reader->damage().back().cut_short) return {};
  return log_.cut(reader->end_of_frames());
}

RunWriter::~RunWriter() { write_pending(); }

std::optional<std::filesystem::path> RunWriter::folder() const {
  if (!log_.has_file()) return std::nullopt;
  return home_->folder(id_);
}

std::optional<std::string> RunWriter::take_problem() {
  if (problem_.empty() || problem_taken_) return std::nullopt;
  problem_taken_ = true;
  return problem_;
}

void RunWriter::refuse(const base::Error& error) {
  retry_at_ = clock_.monotonic() + options_.retry_interval_ns;
  if (!problem_.empty()) return;
  problem_ = error.message +
             "; the recording is kept in memory and written once that works again: make room or "
             "set FLATOUT_HOME to another place";
}

std::filesystem::path RunWriter::log_place() const {
  return options_.staging_root ? staged_place(*options_.staging_root, *home_, id_)
                               : home_->log(id_);
}

// The folder and the log in it; what is there already is not made again.
void RunWriter::create_file() {
  if (id_.empty()) {
    auto id = home_->create_run(*disk_);
    has_folder_ = id.has_value();
    id_ = id ? *id : random_run_id(kHomelessIdLength);
    if (!id) return refuse(id.error());
  }
  if (!has_folder_) {
    auto made = disk_->make_parents(home_->runs());
    if (made) made = disk_->make_dir(home_->folder(id_));
    if (!made) return refuse(made.error());
    has_folder_ = true;
  }
  if (options_.staging_root) {
    if (auto told = write_staged(*disk_, home_->folder(id_), log_place()); !told) {
      return refuse(told.error());
    }
  }
  auto file = disk_->create(log_place());
  if (!file) return refuse(file.error());
  // Without locks the recorder's process still reports that the run is in use.
  (void)(*file)->lock();
  log_.begin_in(std::move(*file));
}

Result<void> RunWriter::may_record() const {
  if (stage_ == Stage::kBegun || stage_ == Stage::kLost) return {};
  return base::fail(
      ErrorCode::kInvalid,
      "run " + id_ + (stage_ == Stage::kFresh ? " has not begun" : " has ended already"));
}

Result<void> RunWriter::keep(std::string_view frames, std::size_t records, bool always) {
  if (!always && log_.waiting_bytes() + frames.size() > options_.memory_limit_bytes) {
    dropped_.records += records;
    dropped_.bytes += frames.size();
    return base::fail(ErrorCode::kTooLarge, "dropped records of run " + id_ +
                                                ": the disk refuses them and " +
                                                std::to_string(options_.memory_limit_bytes) +
                                                " bytes of memory are full; make room on the disk");
  }
  log_.append(frames);
  return {};
}

Result<void> RunWriter::add(FrameType type, std::string_view payload, bool always) {
  if (auto may = may_record(); !may) return may;
  frames_.clear();
  if (auto marked = mark_recovery(); !marked) return marked;
  if (auto framed = encoder_.append(frames_, log_.end() + frames_.size(), type, payload); !framed) {
    return framed;
  }
  return keep(frames_, 1, always);
}

// What follows in the log of a lost run was not written by its recorder.
Result<void> RunWriter::mark_recovery() {
  if (!std::exchange(mark_recovered_, false)) return {};
  return encoder_.append(frames_, log_.end(), FrameType::kRecovered,
                         encode_recovered({.wall_ns = clock_.wall()}));
}

// One frame, or several when one would be too large.
template <typename T, typename Encode>
Result<void> RunWriter::frame_all(FrameType type, std::span<const T> items, Encode encode) {
  if (items.size() <= kMaxItems) {
    const std::string payload = encode(items);
    if (payload.size() <= kMaxFrameBytes || items.size() == 1) {
      return encoder_.append(frames_, log_.end() + frames_.size(), type, payload);
    }
  }
  const std::size_t half = items.size() / 2;
  if (auto framed = frame_all(type, items.first(half), encode); !framed) return framed;
  return frame_all(type, items.subspan(half), encode);
}

template <typename T, typename Encode>
Result<void> RunWriter::add_all(FrameType type, std::span<const T> items, Encode encode) {
  if (auto may = may_record(); !may) return may;
  if (items.empty()) return {};
  frames_.clear();
  if (auto marked = mark_recovery(); !marked) return marked;
  if (auto framed = frame_all(type, items, encode); !framed) return framed;
  return keep(frames_, items.size(), false);
}

Result<void> RunWriter::begin(const run::RunInfo& info) {
  if (stage_ != Stage::kFresh || info.id != id_) {
    return base::fail(ErrorCode::kInvalid, "run " + id_ + " cannot begin as '" + info.id + "'" +
                                               (stage_ == Stage::kFresh ? "" : " again"));
  }
  stage_ = Stage::kBegun;
  if (auto kept = keep(file_header(), 0, true); !kept) return kept;
  if (auto added = add(FrameType::kInfo, encode_info(info), true); !added) return added;
  return flush();
}

Result<void> RunWriter::proc(const run::Proc& proc) {
  return add(FrameType::kProc, encode_proc(proc));
}
Result<void> RunWriter::device(const run::Device& device) {
  return add(FrameType::kDevice, encode_device(device));
}
Result<void> RunWriter::lane(pid_t pid, const run::Lane& lane) {
  return add(FrameType::kLane, encode_lane(pid, lane));
}
Result<void> RunWriter::fact(pid_t pid, const run::Fact& fact) {
  if (stage_ != Stage::kEnded) return add(FrameType::kFact, encode_fact(pid, fact));
  frames_.clear();
  const auto framed =
      encoder_.append(frames_, log_.end(), FrameType::kFact, encode_fact(pid, fact));
  return framed ? keep(frames_, 1, false) : framed;
}
Result<void> RunWriter::phases(pid_t pid, std::span<const run::PhaseEvent> events) {
  return add_all(FrameType::kPhases, events,
                 [pid](std::span<const run::PhaseEvent> part) { return encode_phases(pid, part); });
}
Result<void> RunWriter::batches(pid_t pid, std::span<const run::Batch> batches) {
  return add_all(FrameType::kBatches, batches,
                 [pid](std::span<const run::Batch> part) { return encode_batches(pid, part); });
}
Result<void> RunWriter::device_phases(pid_t pid, std::span<const run::DevicePhase> phases) {
  return add_all(FrameType::kDevicePhases, phases, [pid](std::span<const run::DevicePhase> part) {
    return encode_device_phases(pid, part);
  });
}
Result<void> RunWriter::values(pid_t pid, std::span<const run::NamedValue> values) {
  return add_all(FrameType::kValues, values,
                 [pid](std::span<const run::NamedValue> part) { return encode_values(pid, part); });
}

Result<void> RunWriter::trace_names(pid_t pid, std::span<const run::TraceName> names) {
  return add_all(FrameType::kTraceNames, names, [pid](std::span<const run::TraceName> part) {
    return encode_trace_names(pid, part);
  });
}
Result<void> RunWriter::activities(pid_t pid, std::span<const run::DeviceActivity> activities) {
  return add_all(
      FrameType::kActivities, activities,
      [pid](std::span<const run::DeviceActivity> part) { return encode_activities(pid, part); });
}
Result<void> RunWriter::host_spans(pid_t pid, std::span<const run::HostSpan> spans) {
  return add_all(FrameType::kHostSpans, spans, [pid](std::span<const run::HostSpan> part) {
    return encode_host_spans(pid, part);
  });
}
Result<void> RunWriter::trace_windows(pid_t pid, std::span<const run::TraceWindow> windows) {
  return add_all(FrameType::kTraceWindows, windows, [pid](std::span<const run::TraceWindow> part) {
    return encode_trace_windows(pid, part);
  });
}

Result<void> RunWriter::samples(std::span<const run::Sample> samples) {
  return add_all(FrameType::kSamples, samples, encode_samples);
}

Result<void> RunWriter::counts(const run::RingCounts& counts) {
  if (auto may = may_record(); !may) return may;
  counts_ = counts;
  return {};
}

// The counts of this tick, and what has been dropped, once there is room again.
void RunWriter::add_accounts(bool always) {
  if (counts_) {
    const auto kept = add(FrameType::kCounts, encode_counts(*counts_), always);
    if (kept) counts_.reset();
  }
  if (dropped_ != dropped_told_ && (always || log_.waiting_bytes() == 0)) {
    const auto kept = add(FrameType::kDropped, encode_dropped(dropped_), true);
    if (kept) dropped_told_ = dropped_;
  }
}

Result<void> RunWriter::end(const run::RunEnd& end) {
  if (stage_ != Stage::kBegun) {
    return base::fail(ErrorCode::kInvalid, "run " + id_ + " cannot end now");
  }
  add_accounts(true);
  if (auto added = add(FrameType::kEnd, encode_end(end), true); !added) return added;
  stage_ = Stage::kEnded;
  retry_at_.reset();
  write_pending();
  sync(true);
  return {};
}

Result<void> RunWriter::flush() {
  if (stage_ == Stage::kBegun || stage_ == Stage::kLost) add_accounts(false);
  write_pending();
  sync(stage_ == Stage::kLost);
  // Rings that were recovered are freed after a flush: memory would not do.
  if (stage_ != Stage::kLost || stored()) return {};
  return base::fail(ErrorCode::kIo, problem_);
}

void RunWriter::write_pending() {
  if (log_.waiting_bytes() == 0 || disk_ == nullptr) return;
  log_.end_tick();
  if (retry_at_ && clock_.monotonic() < *retry_at_) return;
  if (!log_.has_file()) create_file();
  if (!log_.has_file()) return;
  if (auto written = log_.write(); !written) return refuse(written.error());
  retry_at_.reset();
}

void RunWriter::sync(bool now) {
  const auto time = clock_.monotonic();
  if (!log_.unsynced() || (!now && time - synced_at_ < options_.sync_interval_ns)) return;
  synced_at_ = time;
  const auto synced = log_.sync();
  if (!synced && problem_.empty()) {
    problem_ = synced.error().message + "; a power cut could lose records";
  }
}

RunWriter::Unwritten RunWriter::unwritten() {
  Unwritten out{.values = 0, .records = dropped_.records, .bytes = dropped_.bytes};
  if (log_.waiting_bytes() == 0) return out;
  out.bytes += log_.waiting_bytes();
  auto reader = FrameReader::open(log_, "run " + id_);
  if (!reader) return out;
  // In the file, but for its head, are whole frames.
  const std::uint64_t in_file = log_.end() - log_.waiting_bytes();
  if (in_file > file_header().size()) reader->seek(in_file);
  for (;;) {
    const auto frame = reader->next();
    if (!frame || !*frame) return out;
    if ((*frame)->type != FrameType::kValues) {
      ++out.records;
    } else if (const auto values = decode_values((*frame)->payload)) {
      out.values += values->value.size();
    }
  }
}

run::Timeline RunWriter::timeline() {
  if (stage_ == Stage::kBegun || stage_ == Stage::kLost) add_accounts(false);
  TimelineBuilder builder;
  auto reader = FrameReader::open(log_, log_.has_file() ? log_place().string() : "run " + id_);
  if (!reader) {
    builder.note(reader.error().message);
    return builder.finish(stage_ != Stage::kLost);
  }
  for (;;) {
    const auto frame = reader->next();
    if (!frame) builder.note(frame.error().message);
    if (!frame || !*frame) break;
    builder.add(**frame);
  }
  for (const auto& damage : reader->damage()) builder.note(damage.text);
  if (dropped_ != dropped_told_) {
    const std::string payload = encode_dropped(dropped_);
    builder.add({.type = FrameType::kDropped, .offset = log_.end(), .payload = payload});
  }
  return builder.finish(stage_ != Stage::kLost);
}

}  // namespace flatout::store
