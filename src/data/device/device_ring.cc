#include "data/device/device_ring.h"

#include <string>
#include <utility>

namespace flatout::data::device {

using base::Result;

namespace {

// Buffers that were let go stay for the next: one that the program computes on, one that it has
// just let go, and those on their way.
constexpr std::size_t kKeptBuffers = DeviceRing::kSlots + 2;

// What is held while the device may still read it.
struct Slot {
  std::shared_ptr<std::byte> host;
  std::shared_ptr<DeviceBuffer> buffer;
};

}  // namespace

struct DeviceRing::State {
  State(std::shared_ptr<const DeviceContext> of, RingOptions given)
      : context(std::move(of)),
        options(std::move(given)),
        buffers(context, options.batch_bytes, kKeptBuffers) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ~State() {
    settle();
    if (staging != 0) (void)context->call_code(context->f().free, staging);
    if (stream != nullptr) (void)context->call_code(context->f().stream_destroy, stream);
  }

  Result<void> start() {
    const CudaFunctions& f = context->f();
    auto done = context->call(f.stream, &stream, kStreamNonBlocking);
    if (!done || options.levels == nullptr) return done;
    done = context->call(f.allocate, &staging, options.pixel_bytes);
    if (done) return done;
    return base::fail(done.error().code, "no memory for a batch's " +
                                             std::to_string(options.pixel_bytes) +
                                             " bytes of pixels on " + done.error().message +
                                             "; make the batch smaller");
  }

  // Lets go what has been copied. Asks the device, and does not wait.
  void collect() {
    for (Slot& slot : slots) {
      if (slot.buffer == nullptr) continue;
      const CudaCode code = context->call_code(context->f().event_query, slot.buffer->ready());
      if (code == CudaCode::kSuccess) finish(slot);
    }
  }

  void finish(Slot& slot) {
    float elapsed = 0;
    const DeviceBuffer& buffer = *slot.buffer;
    if (context->call_code(context->f().elapsed_ms, &elapsed, buffer.begun(), buffer.ready()) ==
        CudaCode::kSuccess) {
      stats.copy += static_cast<base::DurationNs>(double{elapsed} * base::kSecond / 1000);
      ++stats.timed;
    }
    slot = {};
  }

  Result<void> make_room(Slot& slot) {
    if (slot.buffer == nullptr) return {};
    const base::TimeNs since = base::read_clock_ns(CLOCK_MONOTONIC);
    auto done = context->call(context->f().event_synchronize, slot.buffer->ready());
    ++stats.waits;
    stats.waited += base::read_clock_ns(CLOCK_MONOTONIC) - since;
    if (done) finish(slot);
    return done;
  }

  Result<void> begin_copies(const std::byte* host, const DeviceBuffer& buffer,
                            std::span<const Piece> pieces) {
    const CudaFunctions& f = context->f();
    if (auto done = context->call(f.record, buffer.begun(), stream); !done) return done;
    for (const Piece& piece : pieces) {
      const DeviceAddress to = buffer.address() + piece.to;
      const auto* const from = static_cast<const void*>(host + piece.from);
      auto done = context->call(f.copy, piece.pixels ? staging : to, from, piece.bytes, stream);
      if (done && piece.pixels) {
        PixelBytes shape = options.pixels;
        shape.count = static_cast<std::uint32_t>(piece.bytes);
        done = options.levels->convert(shape, staging, to, stream);
      }
      if (!done) return done;
      stats.bytes += piece.bytes;
    }
    return context->call(f.record, buffer.ready(), stream);
  }

  void settle() {
    if (stream != nullptr) (void)context->call_code(context->f().stream_synchronize, stream);
    for (Slot& slot : slots) {
      if (slot.buffer != nullptr) finish(slot);
    }
  }

  std::shared_ptr<const DeviceContext> context;
  RingOptions options;
  CudaStream stream = nullptr;
  DeviceAddress staging = 0;  // one is enough: the stream copies behind the kernel that read it
  DeviceBuffers buffers;
  std::array<Slot, kSlots> slots;
  std::size_t next = 0;
  RingStats stats;
};

DeviceRing::DeviceRing(std::unique_ptr<State> state) : state_(std::move(state)) {}

DeviceRing::~DeviceRing() {
  if (!state_->context->here()) (void)state_.release();  // of the parent of this fork
}

Result<std::unique_ptr<DeviceRing>> DeviceRing::open(std::shared_ptr<const DeviceContext> context,
                                                     RingOptions options) {
  auto state = std::make_unique<State>(std::move(context), std::move(options));
  if (auto done = state->start(); !done) return std::unexpected(done.error());
  return std::unique_ptr<DeviceRing>(new DeviceRing(std::move(state)));
}

Result<std::shared_ptr<DeviceBuffer>> DeviceRing::send(std::shared_ptr<std::byte> host,
                                                       std::span<const Piece> pieces) {
  State& state = *state_;
  state.collect();
  Slot& slot = state.slots[state.next];
  if (auto done = state.make_room(slot); !done) return std::unexpected(done.error());
  auto buffer = state.buffers.take(state.stream);
  if (!buffer) return std::unexpected(buffer.error());
  if (auto done = state.begin_copies(host.get(), **buffer, pieces); !done) {
    // What was begun may still read `host`.
    (void)state.context->call_code(state.context->f().stream_synchronize, state.stream);
    return std::unexpected(done.error());
  }
  state.next = (state.next + 1) % kSlots;
  ++state.stats.batches;
  slot = {std::move(host), *buffer};
  return buffer;
}

void DeviceRing::settle() { state_->settle(); }

RingStats DeviceRing::stats() const { return state_->stats; }

}  // namespace flatout::data::device
