// The functions of the made-up driver: streams, events, copies, kernels.
#include <array>

#include "data/device/fake/fake_cuda.h"
#include "data/device/levels_kernel.h"

using namespace flatout::data::device;
using fake::Event;
using fake::machine;
using fake::Mark;
using fake::Stream;

// Begins each function: one at a time, and as FAKE_CUDA_FAIL says.
#define ENTER(name)                             \
  const std::scoped_lock lock(machine().mutex); \
  if (const CudaCode failed = machine().enter(name); failed != CudaCode::kSuccess) return failed

namespace {

// Null where the program gave it back, or never had it.
Event* known(CudaEvent event) {
  auto* const made = reinterpret_cast<Event*>(event);
  return machine().events.contains(made) ? made : nullptr;
}

constexpr std::array<const char*, 2> kKernels = {"flatout_levels_float32", "flatout_levels_bits16"};

template <typename Number>
void run_levels(PixelBytes shape, unsigned blocks, unsigned threads, DeviceAddress table,
                DeviceAddress from, DeviceAddress to) {
  if (!fake::inside(machine().memory, from, shape.count) ||
      !fake::inside(machine().memory, to, shape.count * sizeof(Number)) ||
      !fake::inside(machine().memory, table, shape.channels * kTableValues * sizeof(Number))) {
    (void)machine().fault("a kernel beyond the memory that it was given");
    return;
  }
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned thread = 0; thread < threads; ++thread) {
      write_levels(shape, block, thread, reinterpret_cast<const Number*>(table),
                   reinterpret_cast<const std::uint8_t*>(from), reinterpret_cast<Number*>(to));
    }
  }
}

}  // namespace

extern "C" {

CudaCode cuStreamCreate(CudaStream* stream, unsigned flags) {
  ENTER("cuStreamCreate");
  auto made = std::make_shared<Stream>();
  made->blocking = (flags & kStreamNonBlocking) == 0;
  *stream = reinterpret_cast<CudaStream>(made.get());
  machine().streams[*stream] = std::move(made);
  ++machine().counts.streams;
  return CudaCode::kSuccess;
}

CudaCode cuStreamSynchronize(CudaStream stream) {
  ENTER("cuStreamSynchronize");
  const auto found = machine().find(stream);
  if (found == nullptr) return machine().fault("waited for a stream that is not there");
  machine().ask(found, [] {});
  machine().run({found, found->asked});
  return CudaCode::kSuccess;
}

CudaCode cuStreamDestroy_v2(CudaStream stream) {
  ENTER("cuStreamDestroy_v2");
  const auto found = machine().streams.find(stream);
  if (found == machine().streams.end()) return machine().fault("destroyed what is no stream");
  machine().run({found->second, found->second->asked});
  machine().streams.erase(found);
  --machine().counts.streams;
  return CudaCode::kSuccess;
}

CudaCode cuCtxSynchronize() {
  ENTER("cuCtxSynchronize");
  for (const auto& [handle, stream] : std::map(machine().streams))
    machine().run({stream, stream->asked});
  machine().run({machine().legacy, machine().legacy->asked});
  return CudaCode::kSuccess;
}

CudaCode cuEventCreate(CudaEvent* event, unsigned flags) {
  ENTER("cuEventCreate");
  auto* const made = new Event{.timed = flags == kEventDefault, .mark = {}, .at = 0};
  machine().events.insert(made);
  *event = reinterpret_cast<CudaEvent>(made);
  ++machine().counts.events;
  return CudaCode::kSuccess;
}

CudaCode cuEventDestroy_v2(CudaEvent event) {
  ENTER("cuEventDestroy_v2");
  Event* const made = known(event);
  if (made == nullptr) return machine().fault("destroyed what is no event");
  // Whatever waits for its mark goes on waiting; its time is asked by nobody.
  machine().run(made->mark);
  machine().events.erase(made);
  delete made;
  --machine().counts.events;
  return CudaCode::kSuccess;
}

CudaCode cuEventRecord(CudaEvent event, CudaStream stream) {
  ENTER("cuEventRecord");
  Event* const made = known(event);
  const auto found = machine().find(stream);
  if (made == nullptr || found == nullptr) return CudaCode::kInvalidHandle;
  machine().ask(found, [made] {
    if (machine().events.contains(made)) made->at = machine().clock;
  });
  made->mark = {found, found->asked};
  return CudaCode::kSuccess;
}

CudaCode cuEventQuery(CudaEvent event) {
  ENTER("cuEventQuery");
  const Event* const made = known(event);
  if (made == nullptr) return machine().fault("asked for what is no event");
  const bool done = made->mark.stream == nullptr || made->mark.stream->done >= made->mark.behind;
  return done ? CudaCode::kSuccess : CudaCode::kNotReady;
}

CudaCode cuEventSynchronize(CudaEvent event) {
  ENTER("cuEventSynchronize");
  const Event* const made = known(event);
  if (made == nullptr) return machine().fault("waited for what is no event");
  machine().run(made->mark);
  return CudaCode::kSuccess;
}

CudaCode cuEventElapsedTime(float* milliseconds, CudaEvent from, CudaEvent to) {
  ENTER("cuEventElapsedTime");
  const Event* const begun = known(from);
  const Event* const ended = known(to);
  if (begun == nullptr || ended == nullptr || !begun->timed || !ended->timed)
    return machine().fault("times of events that have none");
  *milliseconds = static_cast<float>(ended->at - begun->at);
  return CudaCode::kSuccess;
}

CudaCode cuStreamWaitEvent(CudaStream stream, CudaEvent event, unsigned) {
  ENTER("cuStreamWaitEvent");
  const Event* const made = known(event);
  const auto found = machine().find(stream);
  if (made == nullptr || found == nullptr) return CudaCode::kInvalidHandle;
  machine().ask(found, [mark = made->mark] { machine().run(mark); });
  return CudaCode::kSuccess;
}

CudaCode cuMemcpyHtoDAsync_v2(DeviceAddress to, const void* from, std::size_t bytes,
                              CudaStream stream) {
  ENTER("cuMemcpyHtoDAsync_v2");
  const auto found = machine().find(stream);
  if (found == nullptr) return CudaCode::kInvalidHandle;
  if (!fake::inside(machine().memory, to, bytes))
    return machine().fault("a copy beyond the memory that it was given");
  ++machine().counts.copies;
  machine().counts.bytes += static_cast<std::int64_t>(bytes);
  if (!fake::inside(machine().pinned, reinterpret_cast<std::uintptr_t>(from), bytes)) {
    ++machine().counts.pageable_copies;  // has been read when the call returns
    const std::string read(static_cast<const char*>(from), bytes);
    machine().ask(
        found, [read, to] { std::memcpy(reinterpret_cast<void*>(to), read.data(), read.size()); });
    return CudaCode::kSuccess;
  }
  machine().ask(found, [=] {
    if (!fake::inside(machine().pinned, reinterpret_cast<std::uintptr_t>(from), bytes)) {
      (void)machine().fault("a copy from memory that was given back before it");
      return;
    }
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  });
  return CudaCode::kSuccess;
}

CudaCode cuModuleGetFunction(CudaKernel* kernel, CudaModule, const char* name) {
  ENTER("cuModuleGetFunction");
  for (const auto& known_name : kKernels) {
    if (std::strcmp(name, known_name) != 0) continue;
    *kernel = reinterpret_cast<CudaKernel>(const_cast<const char**>(&known_name));
    return CudaCode::kSuccess;
  }
  return CudaCode::kNotFound;
}

CudaCode cuLaunchKernel(CudaKernel kernel, unsigned blocks, unsigned, unsigned, unsigned threads,
                        unsigned, unsigned, unsigned, CudaStream stream, void** arguments, void**) {
  ENTER("cuLaunchKernel");
  const auto found = machine().find(stream);
  if (found == nullptr) return CudaCode::kInvalidHandle;
  ++machine().counts.launches;
  const bool wide = *reinterpret_cast<const char**>(kernel) == kKernels[0];
  const PixelBytes shape = *static_cast<const PixelBytes*>(arguments[0]);
  const auto table = *static_cast<const DeviceAddress*>(arguments[1]);
  const auto from = *static_cast<const DeviceAddress*>(arguments[2]);
  const auto to = *static_cast<const DeviceAddress*>(arguments[3]);
  machine().ask(found, [=] {
    if (wide)
      run_levels<float>(shape, blocks, threads, table, from, to);
    else
      run_levels<std::uint16_t>(shape, blocks, threads, table, from, to);
  });
  return CudaCode::kSuccess;
}

}  // extern "C"
