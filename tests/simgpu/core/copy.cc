#include "core/copy.h"

#include <cstring>

#include "core/config.h"
#include "core/cost.h"
#include "core/memory.h"
#include "core/process.h"

namespace simgpu {
namespace {

constexpr std::size_t kUnstagedBytes = 64 << 10U;

using memory::Where;

OpKind kind_of(const memory::Location& to, const memory::Location& from) {
  if (to.where == Where::kDevice && from.where == Where::kDevice) {
    return to.device == from.device ? OpKind::kCopyOnDevice : OpKind::kCopyPeer;
  }
  return to.where == Where::kDevice ? OpKind::kCopyToDevice : OpKind::kCopyToHost;
}

Nanoseconds duration_of(const Operation& what, int device) {
  return what.kind == OpKind::kCopyOnDevice ? on_device_copy_time(device, what.bytes)
                                            : copy_time(device, what.bytes, what.pageable);
}

void move(const Copy& what) {
  for (std::size_t row = 0; row < what.rows; ++row) {
    std::memmove(static_cast<char*>(what.to) + row * what.to_pitch,
                 static_cast<const char*>(what.from) + row * what.from_pitch, what.row_bytes);
  }
}

// Copies over PCIe from pinned memory cost no host time on a real machine: large ones move nothing
// here, so that they do not either.
bool moves_data(const Operation& what) {
  if (what.kind == OpKind::kCopyToDevice && !config().numbers) {
    return false;
  }
  return what.pageable || what.bytes <= config().copied_bytes;
}

bool host_waits(const Operation& what, bool asynchronous) {
  if (what.kind == OpKind::kCopyOnDevice || what.kind == OpKind::kCopyPeer) {
    return false;
  }
  if (!asynchronous) {
    return what.kind == OpKind::kCopyToHost || !what.pageable || what.bytes > kUnstagedBytes;
  }
  return what.pageable && (what.kind == OpKind::kCopyToHost || what.bytes > kUnstagedBytes);
}

Status wait_for_stream(CUstream_st* handle) {
  std::shared_ptr<Mark> mark;
  {
    const Locked guard(process().lock);
    mark = mark_of(*stream_of(handle));
  }
  return wait_for(mark);
}

}  // namespace

Status copy(CUstream_st* stream, const Copy& what, bool asynchronous) {
  const memory::Location to = memory::find(what.to);
  const memory::Location from = memory::find(what.from);
  const std::size_t bytes = what.row_bytes * what.rows;
  if (bytes == 0) {
    return standing_error();
  }
  if (!asynchronous) {
    const Locked guard(process().lock);
    if (const Status forbidden = forbid_in_capture(); forbidden != kSuccess) {
      return forbidden;
    }
  }
  if (to.where != Where::kDevice && from.where != Where::kDevice) {
    move(what);
    return standing_error();
  }
  Submission submission;
  Operation& operation = submission.what;
  operation.kind = kind_of(to, from);
  operation.bytes = bytes;
  operation.asynchronous = asynchronous;
  operation.pageable = to.where == Where::kHost || from.where == Where::kHost;
  operation.duration = duration_of(operation, device_of(stream));
  operation.from = reinterpret_cast<std::uint64_t>(what.from);
  operation.to = reinterpret_cast<std::uint64_t>(what.to);
  if (captures(stream) && operation.pageable) {
    const Locked guard(process().lock);  // a copy that would wait for the host's own staging
    stream_of(stream)->capture->invalid = true;
    return kCaptureUnsupported;
  }
  if (moves_data(operation)) {
    submission.effect = [what] { move(what); };
  }
  const bool waits = host_waits(operation, asynchronous) && !captures(stream);
  const Status status = submit(stream, std::move(submission));
  return status == kSuccess && waits ? wait_for_stream(stream) : status;
}

Status set(CUstream_st* stream, void* to, std::uint8_t value, std::size_t bytes,
           bool asynchronous) {
  return set_values(stream, to, value, 1, bytes, asynchronous);
}

Status set_values(CUstream_st* stream, void* to, std::uint32_t value, std::size_t value_bytes,
                  std::size_t count, bool asynchronous) {
  const std::size_t bytes = value_bytes * count;
  if (bytes == 0) {
    return standing_error();
  }
  Submission submission;
  submission.what.kind = OpKind::kSet;
  submission.what.bytes = bytes;
  submission.what.value = value;
  submission.what.asynchronous = asynchronous;  // it does not keep the host either way
  submission.what.duration = on_device_copy_time(device_of(stream), bytes / 2);
  submission.what.to = reinterpret_cast<std::uint64_t>(to);
  if (config().numbers && bytes <= config().copied_bytes) {  // larger ones take their time alone:
                                                             // fresh memory is zero anyway
    submission.effect = [=] {
      for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(static_cast<char*>(to) + i * value_bytes, &value, value_bytes);
      }
    };
  }
  return submit(stream, std::move(submission));
}

}  // namespace simgpu
