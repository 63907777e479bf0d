#include "analyse/kernels/fusible_chains.h"

#include <algorithm>

#include "analyse/kernels/device_stream.h"

namespace flatout::analyse {

FusibleChains::FusibleChains(const run::NameTable& names) : kinds_(names, &kind_of) {}

FusibleChains::Kind FusibleChains::kind_of(std::string_view name) {
  return {kernel_class(name), is_strided_copy(name)};
}

void FusibleChains::Sums::add(const Chain& chain) {
  if (chain.kernels < 2) return;
  ++chains;
  kernels += chain.kernels;
  ns += chain.ns;
  fusible_ns += chain.ns - chain.longest_ns;
}

void FusibleChains::begin() {
  for (const auto& [stream, chain] : open_) ended_.add(chain);
  open_.clear();
}

void FusibleChains::add(const run::DeviceActivity& activity) {
  Chain& chain = open_[device_stream(activity)];
  const auto end_chain = [&] {
    ended_.add(chain);
    chain = {};
  };
  if (activity.kind != run::ActivityKind::kKernel) return end_chain();
  const Kind kind = kinds_.of(activity.name);
  const auto ns =
      static_cast<double>(std::max<std::int64_t>(0, activity.end_ns - activity.begin_ns));
  if (kind.kernel_class != KernelClass::kCollective) all_ns_ += ns;
  if (kind.kernel_class == KernelClass::kTranspose) layout_ns_ += ns;
  if (kind.strided_copy) strided_copy_ns_ += ns;
  if (kind.strided_copy || !could_be_fused(kind.kernel_class)) return end_chain();
  ++chain.kernels;
  chain.ns += ns;
  chain.longest_ns = std::max(chain.longest_ns, ns);
}

void FusibleChains::report(run::KernelPatternsReport& patterns) const {
  Sums sums = ended_;
  for (const auto& [stream, chain] : open_) sums.add(chain);
  patterns.chains = sums.chains;
  patterns.chain_kernels = sums.kernels;
  if (!(all_ns_ > 0)) return;
  patterns.layout_share = layout_ns_ / all_ns_;
  patterns.strided_copy_share = strided_copy_ns_ / all_ns_;
  patterns.chain_share = sums.ns / all_ns_;
  patterns.fusible_share = sums.fusible_ns / all_ns_;
}

}  // namespace flatout::analyse
