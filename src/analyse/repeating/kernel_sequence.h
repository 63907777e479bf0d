// What a device did, one activity after the other, as numbers: which kernel or copy on which stream
// of which context. Sizes and shapes are not in it: the same kernel on a larger batch is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "run/timeline.h"

namespace flatout::analyse {

// What an activity has in common with those that are the same again.
struct KernelKey {
  std::uint32_t name = 0;
  std::uint32_t stream = 0;
  std::uint16_t context = 0;
  run::ActivityKind kind = run::ActivityKind::kKernel;
  run::CopyDirection direction = run::CopyDirection::kUnknown;

  static KernelKey of(const run::DeviceActivity& activity) {
    return {activity.name, activity.stream, activity.context, activity.kind, activity.direction};
  }
  friend bool operator==(const KernelKey&, const KernelKey&) = default;
};

struct KernelSymbol {
  KernelKey key = {};
  std::uint32_t stream = 0;  // counted over all contexts
  bool kernel = false;
  bool optimizer = false;  // a kernel whose name says so
  bool to_device = false;  // copies
  bool to_host = false;
};

struct KernelSequence {
  std::vector<KernelSymbol> symbols;
  std::vector<std::uint32_t> order;    // symbols, by the begin of their activity
  std::vector<std::uint32_t> idle_ns;  // that the device idled before each, at most 4 s
  std::vector<std::size_t> parts;      // where a piece begins that nothing is missing in; not 0
};

// Numbers activities as they come. What is beyond kMostSymbols shares the last number.
class KernelSymbols {
 public:
  static constexpr std::size_t kMostSymbols = 1U << 16;

  explicit KernelSymbols(const run::NameTable& names) : names_(names) {}
  std::uint32_t of(const run::DeviceActivity& activity);
  const std::vector<KernelSymbol>& all() const { return symbols_; }

 private:
  struct Hash {
    std::size_t operator()(const KernelKey& key) const {
      const std::uint64_t mixed =
          (std::uint64_t{key.name} << 32 | key.stream) * 0x9e37'79b9'7f4a'7c15;
      return static_cast<std::size_t>(mixed ^ mixed >> 29 ^ std::uint64_t{key.context} << 7 ^
                                      static_cast<std::uint64_t>(key.kind) << 3 ^
                                      static_cast<std::uint64_t>(key.direction));
    }
  };

  const run::NameTable& names_;
  std::unordered_map<KernelKey, std::uint32_t, Hash> numbers_;
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint32_t> streams_;
  std::vector<KernelSymbol> symbols_;
};

}  // namespace flatout::analyse
