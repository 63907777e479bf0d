// Batches on their way from pinned memory to a device, on a stream of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "base/time.h"
#include "data/device/device_buffers.h"
#include "data/device/levels_table.h"

namespace flatout::data::device {

// A part of a batch: `bytes` at `from` of the host's memory go to `to` of the device's.
struct Piece {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t bytes = 0;
  bool pixels = false;  // become numbers on the way
};

struct RingOptions {
  std::size_t batch_bytes = 0;  // on the device, at most
  // Where pixels become numbers on the device: how, and bytes of a batch's pixels at most. Their
  // `count` is each piece's own.
  std::unique_ptr<LevelsTable> levels = nullptr;
  PixelBytes pixels = {};
  std::size_t pixel_bytes = 0;
};

struct RingStats {
  std::uint64_t batches = 0;    // sent
  std::uint64_t bytes = 0;      // over the bus
  base::DurationNs copy = 0;    // of the device: copying, and making numbers of pixels
  std::uint64_t timed = 0;      // batches whose time is in `copy`
  std::uint64_t waits = 0;      // of the host, since all slots were on their way
  base::DurationNs waited = 0;  // in these
};

// One thread. Buffers may outlive it, and be let go by any thread. In a child of fork() it does
// nothing but go.
class DeviceRing {
 public:
  // Batches that are on their way at once. One more is waited for.
  static constexpr std::size_t kSlots = 2;

  static base::Result<std::unique_ptr<DeviceRing>> open(
      std::shared_ptr<const DeviceContext> context, RingOptions options);
  ~DeviceRing();
  DeviceRing(const DeviceRing&) = delete;
  DeviceRing& operator=(const DeviceRing&) = delete;

  // Begins the copy of a batch. `host` is pinned, is written no more, and is held until the copy is
  // done. After an error nothing of it is under way. What the device itself failed at (an
  // earlier kernel of the program, say) comes up here.
  base::Result<std::shared_ptr<DeviceBuffer>> send(std::shared_ptr<std::byte> host,
                                                   std::span<const Piece> pieces);

  // Waits until nothing is on its way.
  void settle();

  RingStats stats() const;

 private:
  struct State;
  explicit DeviceRing(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace flatout::data::device
