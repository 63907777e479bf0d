#include "core/submit.h"

#include "core/api.h"
#include "core/config.h"
#include "core/context.h"
#include "core/cost.h"
#include "core/process.h"

namespace simgpu {
namespace {

constexpr std::size_t kLaunchQueue =
    1024;  // operations that a stream takes before the launch of the next one waits

Status capture_into(Stream& stream, Submission submission) {
  Capture& capture = *stream.capture;
  if (capture.invalid) {
    return kCaptureInvalidated;
  }
  GraphNode node{.kind = GraphNode::Kind::kOperation,
                 .submission = std::move(submission),
                 .after = {},
                 .number = 0};
  stream.captured_after = {add_node(*capture.graph, std::move(node), stream.captured_after)};
  return kSuccess;
}

// A blocking stream that captures stands against any use of the legacy stream of its device.
bool breaks_a_capture(const Stream& stream) {
  if (stream.kind != StreamKind::kLegacy) {
    return false;
  }
  bool broken = false;
  for (const auto& capture : process().captures) {
    for (const Stream* const captured : capture->streams) {
      if (captured->device == stream.device && captured->kind != StreamKind::kNonBlocking) {
        capture->invalid = true;
        broken = true;
      }
    }
  }
  return broken;
}

}  // namespace

Status submit(CUstream_st* handle, Submission submission) {
  Process& here = process();
  Nanoseconds room_at = 0;
  {
    const Locked guard(here.lock);
    if (const Status error = standing_error(); error != kSuccess) {
      return error;
    }
    Stream* const stream = stream_of(handle);
    if (stream == nullptr) {
      return kInvalidResourceHandle;
    }
    open_context(stream->device);
    if (stream->capture != nullptr) {
      return capture_into(*stream, std::move(submission));
    }
    if (breaks_a_capture(*stream)) {
      return kCaptureImplicit;
    }
    push(*stream,
         {{.correlation = current_correlation(), .graph = 0, .graph_node = 0, .enqueued = now()},
          QueuedOperation{std::move(submission)}});
    if (stream->pending_ends.size() > kLaunchQueue) {
      room_at = stream->pending_ends[stream->pending_ends.size() - kLaunchQueue];
    }
  }
  if (room_at > now()) {
    wait_until(room_at);
  }
  return kSuccess;
}

Status submit_kernel(CUstream_st* stream, const char* name, double flops, FlopType type,
                     double bytes, std::uint32_t blocks) {
  const LaunchParameters parameters{.grid = {blocks, 1, 1}, .block = {256, 1, 1}, .stream = stream};
  static ApiEntry entry("cudaLaunchKernel");  // as the library's own launch: counted, seen by CUPTI
  ApiScope scope(entry, &parameters, name);
  const int device = device_of(stream);
  Submission kernel;
  kernel.what.kind = OpKind::kKernel;
  kernel.what.name = name;
  kernel.what.duration = kernel_time(device, flops, type, bytes);
  kernel.what.grid = {blocks, 1, 1};
  kernel.what.block = {256, 1, 1};
  kernel.what.shares_sms = blocks * 2 < static_cast<std::uint32_t>(spec_of(device).sm_count);
  return scope.ends(submit(stream, std::move(kernel)));
}

int device_of(CUstream_st* handle) {
  const Locked guard(process().lock);
  const Stream* const stream = stream_of(handle);
  return stream == nullptr ? current_device() : stream->device;
}

std::uint32_t number_of(CUstream_st* handle) {
  const Locked guard(process().lock);
  const Stream* const stream = stream_of(handle);
  return stream == nullptr ? 0 : stream->number;
}

bool captures(CUstream_st* handle) {
  const Locked guard(process().lock);
  const Stream* const stream = stream_of(handle);
  return stream != nullptr && stream->capture != nullptr;
}

}  // namespace simgpu
