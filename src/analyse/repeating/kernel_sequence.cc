#include "analyse/repeating/kernel_sequence.h"

#include "analyse/kernels/kernel_class.h"

namespace flatout::analyse {

std::uint32_t KernelSymbols::of(const run::DeviceActivity& activity) {
  const KernelKey key = KernelKey::of(activity);
  if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
  if (symbols_.size() >= kMostSymbols) return kMostSymbols - 1;
  const auto number = static_cast<std::uint32_t>(symbols_.size());
  numbers_.emplace(key, number);
  const auto [stream, fresh] = streams_.try_emplace({activity.context, activity.stream},
                                                    static_cast<std::uint32_t>(streams_.size()));
  KernelSymbol symbol;
  symbol.key = key;
  symbol.stream = stream->second;
  symbol.kernel = activity.kind == run::ActivityKind::kKernel;
  symbol.optimizer =
      symbol.kernel && kernel_class(names_.at(activity.name)) == KernelClass::kOptimizer;
  symbol.to_device = activity.direction == run::CopyDirection::kHostToDevice;
  symbol.to_host = activity.direction == run::CopyDirection::kDeviceToHost;
  symbols_.push_back(symbol);
  return number;
}

}  // namespace flatout::analyse
