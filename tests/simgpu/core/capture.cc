#include "core/capture.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "core/process.h"

namespace simgpu {
namespace {

pid_t this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

// Nodes that nothing comes after: whoever waits for the capture must have joined all of them.
bool is_joined(const Capture& capture) {
  std::vector<bool> followed(capture.graph->nodes.size(), false);
  for (const GraphNode& node : capture.graph->nodes) {
    for (const std::uint32_t before : node.after) {
      followed[before] = true;
    }
  }
  for (const std::uint32_t reached : capture.origin->captured_after) {
    followed[reached] = true;
  }
  return std::find(followed.begin(), followed.end(), false) == followed.end();
}

void leave(Capture& capture) {
  for (Stream* const stream : capture.streams) {
    stream->capture.reset();
    stream->captured_after.clear();
  }
  std::erase_if(process().captures, [&](const auto& open) { return open.get() == &capture; });
}

}  // namespace

CaptureMode& thread_capture_mode() {
  thread_local CaptureMode mode = CaptureMode::kGlobal;
  return mode;
}

Status begin_capture(Stream& stream, CaptureMode mode) {
  static std::uint64_t captures = 0;
  static std::uint32_t graphs = 0;
  if (stream.kind == StreamKind::kLegacy || stream.capture != nullptr) {
    return stream.capture != nullptr ? kInvalidValue : kCaptureUnsupported;
  }
  auto capture = std::make_shared<Capture>();
  capture->id = ++captures;
  capture->mode = mode;
  capture->thread = this_thread();
  capture->origin = &stream;
  capture->streams = {&stream};
  capture->graph = std::make_shared<Graph>();
  capture->graph->number = ++graphs;
  stream.capture = capture;
  stream.captured_after.clear();
  process().captures.push_back(capture);
  return kSuccess;
}

Status end_capture(Stream& stream, std::shared_ptr<Graph>& graph) {
  const std::shared_ptr<Capture> capture = stream.capture;
  graph = nullptr;
  if (capture == nullptr) {
    return kInvalidValue;
  }
  if (capture->origin != &stream) {
    return kCaptureUnmatched;
  }
  if (capture->mode != CaptureMode::kRelaxed && capture->thread != this_thread()) {
    return kCaptureWrongThread;
  }
  const bool joined = is_joined(*capture);
  leave(*capture);
  if (capture->invalid) {
    return kCaptureInvalidated;
  }
  if (!joined) {
    return kCaptureUnjoined;
  }
  graph = capture->graph;
  return kSuccess;
}

void join_capture(Stream& stream, const std::shared_ptr<Capture>& capture,
                  const std::vector<std::uint32_t>& after) {
  if (stream.capture == nullptr) {
    stream.capture = capture;
    capture->streams.push_back(&stream);
  }
  for (const std::uint32_t node : after) {
    if (std::find(stream.captured_after.begin(), stream.captured_after.end(), node) ==
        stream.captured_after.end()) {
      stream.captured_after.push_back(node);
    }
  }
}

Status forbid_in_capture() {
  if (process().captures.empty() || thread_capture_mode() == CaptureMode::kRelaxed) {
    return kSuccess;
  }
  Status forbidden = kSuccess;
  for (const auto& capture : process().captures) {
    const bool own = capture->thread == this_thread() && capture->mode != CaptureMode::kRelaxed;
    const bool of_all =
        capture->mode == CaptureMode::kGlobal && thread_capture_mode() == CaptureMode::kGlobal;
    if (own || of_all) {
      capture->invalid = true;
      forbidden = kCaptureUnsupported;
    }
  }
  return forbidden;
}

}  // namespace simgpu
