#include "store/log_follower.h"

#include <algorithm>
#include <utility>

#include "store/frame_log.h"
#include "store/log_file.h"
#include "store/timeline_builder.h"

namespace flatout::store {
namespace {

// Bounds what one call reads of a log that grows faster than it is read; the rest comes next.
constexpr std::uint64_t kMostDecodedBytes = 256U << 20;

bool is_of_trace(FrameType type) {
  return type == FrameType::kTraceNames || type == FrameType::kActivities ||
         type == FrameType::kHostSpans || type == FrameType::kTraceWindows;
}

// What comes by the thousand.
bool is_event(FrameType type) {
  return type == FrameType::kPhases || type == FrameType::kBatches ||
         type == FrameType::kDevicePhases || type == FrameType::kSamples ||
         type == FrameType::kValues;
}

}  // namespace

struct LogFollower::State {
  State(OpenLog opened, FrameReader frames) : log(std::move(opened)), reader(std::move(frames)) {}
  OpenLog log;
  FrameReader reader;
  std::uint64_t tail_from = 0;
  bool left_out = false;
  run::RunInfo info;
};

LogFollower::LogFollower(std::unique_ptr<State> state) : state_(std::move(state)) {}
LogFollower::LogFollower(LogFollower&&) noexcept = default;
LogFollower& LogFollower::operator=(LogFollower&&) noexcept = default;
LogFollower::~LogFollower() = default;

base::Result<LogFollower> LogFollower::open(const std::filesystem::path& folder,
                                            std::uint64_t tail_bytes) {
  auto log = open_log(folder);
  if (!log) return std::unexpected(log.error());
  auto reader = FrameReader::open(*log->source, log->name);
  if (!reader) return std::unexpected(reader.error());
  auto state = std::make_unique<State>(std::move(*log), std::move(*reader));
  const std::uint64_t bytes = state->log.status.bytes;
  state->tail_from = bytes - std::min(bytes, tail_bytes);
  return LogFollower(std::move(state));
}

base::Result<run::Timeline> LogFollower::read_new(const Viewpoint& from) {
  State& s = *state_;
  s.reader.go_on();
  // Before the rest is read: a recorder that ends in between has written its end by then.
  const auto status = s.log.file->status();
  const base::WallNs changed_ns = status ? status->changed_ns : 0;
  const bool known = !s.info.id.empty();
  bool alive = known && recorder_alive(s.info, from, changed_ns);
  TimelineBuilder builder;
  for (std::uint64_t decoded = 0; decoded < kMostDecodedBytes;) {
    const auto frame = s.reader.next();
    if (!frame) return std::unexpected(frame.error());
    if (!*frame) break;
    if (is_of_trace((*frame)->type)) continue;
    if (is_event((*frame)->type) && (*frame)->offset < s.tail_from) {
      s.left_out = true;
      continue;
    }
    decoded += (*frame)->payload.size();
    builder.add(**frame);
    if (!known && s.info.id.empty() && builder.has_info()) {
      s.info = builder.info();
      alive = recorder_alive(s.info, from, changed_ns);
    }
  }
  run::Timeline more = builder.finish(alive);
  more.info = s.info;
  return more;
}

bool LogFollower::whole() const { return !state_->left_out; }

}  // namespace flatout::store
