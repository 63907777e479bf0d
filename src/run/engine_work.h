// What the threads of flatout's loading engine did in the steady steps, as near as it was recorded.
// Seconds over all its threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace flatout::run {

// In a sample's order.
enum class EnginePart : std::uint8_t { kRead, kDecode, kTransform, kMix };
constexpr std::array<std::string_view, 4> kEnginePartNames = {"read", "decode", "transform", "mix"};
constexpr std::string_view engine_part_name(EnginePart part) {
  return kEnginePartNames[static_cast<std::size_t>(part)];
}

struct EngineStage {
  EnginePart part = EnginePart::kRead;
  double busy_s = 0;     // computing
  double blocked_s = 0;  // waiting for bytes or a core
};

struct EngineWork {
  std::optional<int> threads;
  std::optional<int> ahead;         // batches
  std::vector<EngineStage> stages;  // those that were recorded, in a sample's order
  // Its threads without a sample to make: while nobody waited for a batch, while the training
  // waited for one, and while none was asked for.
  std::optional<double> idle_full_s, idle_starved_s, idle_unasked_s;
  std::optional<double> consumer_wait_s;  // the training waiting for a batch
};

// Shares of the time that the threads had work, or should have had it: their idle time counts only
// where somebody waited for them. A batch that nobody asks for yet is no loss.
struct EngineShares {
  std::optional<EnginePart> slowest;  // absent where no part was told apart
  double slowest_share = 0;           // its waiting included, but for that for files
  double files = 0;                   // reading waits for bytes
  double cores = 0;                   // there is something to compute, and no core
  double underrun = 0;                // idle, because too few batches are asked for
};

}  // namespace flatout::run
