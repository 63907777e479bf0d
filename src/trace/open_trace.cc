#include "trace/open_trace.h"

#include <string>

#include "trace/byte_source.h"
#include "trace/chrome/paired_events.h"
#include "trace/chrome/read_events.h"
#include "trace/kineto/timeline_builder.h"
#include "trace/nsys/read_export.h"
#include "trace/nsys/sqlite_file.h"
#include "trace/trace_parts.h"

namespace flatout::trace {

namespace {

using Room = std::optional<std::int64_t>;

std::unexpected<base::Error> no_trace(const std::filesystem::path& path, const base::Error& why) {
  return base::fail(why.code, path.string() + " is no trace that flatout reads: " + why.message);
}

base::Result<run::Timeline> open_export(const std::filesystem::path& path, Room room) {
  TraceParts parts;
  if (room) parts.keep_within(*room);
  const auto read = read_export(path, parts);
  if (!read) return no_trace(path, read.error());
  return parts.take(path.filename().string());
}

base::Result<run::Timeline> open_chrome(const std::filesystem::path& path, Room room) {
  const auto bytes = open_bytes(path);
  if (!bytes) return std::unexpected(bytes.error());
  TimelineBuilder builder;
  if (room) builder.keep_within(*room);
  PairedEvents pairs(builder);
  const auto read = read_chrome(**bytes, pairs);
  if (!read) return no_trace(path, read.error());
  if (!builder.has_read()) {
    const std::string cut = read->problem.empty() ? "" : "; " + read->problem;
    return no_trace(path, {base::ErrorCode::kInvalid, builder.unread().why_no_trace() + cut});
  }
  run::Timeline timeline = builder.take(path.filename().string());
  if (const std::string note = builder.unread().devices_note(); !note.empty()) {
    timeline.notes.push_back(note);
  }
  if (!read->problem.empty()) {
    timeline.notes.insert(timeline.notes.begin(), path.string() + ": " + read->problem);
  }
  if (pairs.unpaired() > 0) {
    timeline.notes.push_back(std::to_string(pairs.unpaired()) +
                             " events were left out: begins without an end, or ends without a "
                             "begin");
  }
  return timeline;
}

}  // namespace

base::Result<run::Timeline> open_trace(const std::filesystem::path& path,
                                       std::optional<std::int64_t> room_bytes) {
  return SqliteFile::is_one(path) ? open_export(path, room_bytes) : open_chrome(path, room_bytes);
}

}  // namespace flatout::trace
