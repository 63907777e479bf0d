#include "trace/open_trace.h"

#include <string>

#include "trace/byte_source.h"
#include "trace/chrome/read_events.h"
#include "trace/kineto/timeline_builder.h"

namespace flatout::trace {

base::Result<run::Timeline> open_trace(const std::filesystem::path& path) {
  const auto bytes = open_bytes(path);
  if (!bytes) return std::unexpected(bytes.error());
  TimelineBuilder builder;
  const auto read = read_chrome(**bytes, builder);
  if (!read) {
    return base::fail(read.error().code,
                      path.string() + " is no trace that flatout reads: " + read.error().message);
  }
  run::Timeline timeline = builder.take(path.filename().string());
  if (!read->problem.empty()) {
    timeline.notes.insert(timeline.notes.begin(), path.string() + ": " + read->problem);
  }
  return timeline;
}

}  // namespace flatout::trace
