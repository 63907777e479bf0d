#include "store/sealed/read_sealed.h"

#include <algorithm>
#include <utility>

#include "run/plausible.h"
#include "store/codec.h"
#include "store/frame_log.h"
#include "store/json_fields.h"
#include "store/seal.h"
#include "store/sealed/sealed_reader.h"
#include "store/sealed/sealed_schema.h"
#include "store/timeline_builder.h"

namespace flatout::store {
namespace {

using base::Result;

void add_key(SealedReader& reader, const char* key, FrameType type, TimelineBuilder& builder) {
  if (const auto value = reader.value(key)) {
    builder.add({.type = type, .offset = 0, .payload = *value});
  }
}

// The log's size and last change, kept for the duration of a lost run.
struct LogFacts {
  std::uint64_t bytes = 0;
  base::WallNs changed_ns = 0;
};
LogFacts log_facts(SealedReader& reader) {
  LogFacts facts;
  Fields fields(reader.value(kLogKey).value_or("{}"), "log");
  fields.read("bytes", facts.bytes);
  fields.read("changed_ns", facts.changed_ns);
  if (!run::plausible_wall_ns(facts.changed_ns)) facts.changed_ns = 0;
  return facts;
}

void note_damage(const SealedDamage& damage, const std::string& name, TimelineBuilder& builder) {
  if (damage.rows + damage.missing != 0) {
    builder.note(name + ": " + std::to_string(damage.rows + damage.missing) +
                 " pieces of the recording are damaged and left out");
  }
  if (!damage.problem.empty()) {
    builder.note(name + " is damaged (" + damage.problem + "); what could be read is shown");
  }
}

std::vector<std::string> notes_on_asking(SealedFile& file, const std::string& name) {
  const std::lock_guard lock(file.mutex);
  const std::size_t pieces = file.unread_events.size() + file.unread_chunks.size();
  if (pieces == 0) return {};
  return {name + ": " + std::to_string(pieces) +
          (pieces == 1 ? " piece of the recording that was asked for cannot be read and is left out"
                       : " pieces of the recording that were asked for cannot be read and are "
                         "left out")};
}

}  // namespace

// One pass over all rows says what the run is, what is damaged, and where events and points lie.
// Points are not decoded, and of events nothing is held.
run::Timeline sealed_timeline(SealedReader opened, const std::string& id, const std::string& name,
                              ReadLimits limits) {
  const auto file = std::make_shared<SealedFile>(std::move(opened));
  SealedReader& reader = file->reader;
  TimelineBuilder builder;
  std::uint64_t decoded = 0;
  bool cut = false;
  add_key(reader, kInfoKey, FrameType::kInfo, builder);
  reader.stated(
      [&](StatedRow row, std::int64_t type, std::string_view payload) {
        decoded += payload.size();
        cut = std::max(decoded, builder.held_bytes()) > limits.decoded_bytes;
        if (cut) return false;
        if (type == kNoteRecord) {
          builder.note(std::string(payload));
        } else if (type > 0 && type <= UINT8_MAX) {
          builder.add({.type = static_cast<FrameType>(type), .offset = 0, .payload = payload}, row);
        }
        return true;
      },
      limits.points ? FrameTypes::all() : FrameTypes::all().without(FrameType::kValues));
  if (limits.points) {
    reader.times([&](const ChunkHead& head, std::span<const std::int64_t> times) {
      builder.add(head, times);
      return true;
    });
  }
  add_key(reader, kCountsKey, FrameType::kCounts, builder);
  add_key(reader, kDroppedKey, FrameType::kDropped, builder);
  add_key(reader, kRecoveredKey, FrameType::kRecovered, builder);
  add_key(reader, kEndKey, FrameType::kEnd, builder);
  if (cut) {
    builder.note(name +
                 ": only a part of it is shown, the rest does not fit into the memory set "
                 "aside");
  }
  note_damage(reader.damage(), name, builder);
  const bool has_info = builder.has_info();
  auto timeline = builder.finish(false, file);
  timeline.later_notes = [file, name] { return notes_on_asking(*file, name); };
  if (!has_info) {
    timeline.info.id = id;
    timeline.notes.push_back(name + ": what was known at the start of the run is lost");
  }
  return timeline;
}

Result<run::Timeline> read_sealed_run(const std::filesystem::path& folder, const Viewpoint& from,
                                      ReadLimits limits) {
  const auto path = folder / kSealedFileName;
  auto reader = SealedReader::open(path, system_disk());
  if (!reader) return std::unexpected(reader.error());
  auto timeline =
      sealed_timeline(std::move(*reader), folder.filename().string(), path.string(), limits);
  if (timeline.state == run::RunState::kLost) timeline.survivors = survivors(timeline, from);
  return timeline;
}

Result<RunSummary> read_sealed_summary(const std::filesystem::path& folder) {
  auto reader = SealedReader::open(folder / kSealedFileName, system_disk());
  if (!reader) return std::unexpected(reader.error());
  RunSummary summary;
  summary.sealed = true;
  summary.info.id = folder.filename().string();
  if (const auto info = reader->value(kInfoKey)) {
    auto decoded = decode_info(*info);
    if (decoded && run::plausible(*decoded)) summary.info = std::move(*decoded);
  }
  if (const auto end = reader->value(kEndKey)) {
    auto decoded = decode_end(*end);
    if (decoded && run::plausible(*decoded)) summary.end = std::move(*decoded);
  }
  if (const auto status = reader->file().status()) summary.log_bytes = status->bytes;
  summary.log_changed_ns = log_facts(*reader).changed_ns;
  summary.state = state_of(summary.end, false);
  return summary;
}

}  // namespace flatout::store
