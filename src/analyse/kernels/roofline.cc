#include "analyse/kernels/roofline.h"

#include <algorithm>
#include <string>

namespace flatout::analyse {
namespace {

KernelClass class_of(run::OpClass op_class) {
  switch (op_class) {
    case run::OpClass::kGemm:
      return KernelClass::kGemm;
    case run::OpClass::kConvolution:
      return KernelClass::kConvolution;
    case run::OpClass::kAttention:
      return KernelClass::kAttention;
    case run::OpClass::kNormalization:
      return KernelClass::kNormalization;
    case run::OpClass::kSoftmax:
      return KernelClass::kSoftmax;
    case run::OpClass::kReduction:
      return KernelClass::kReduction;
    case run::OpClass::kElementwise:
      break;
  }
  return KernelClass::kElementwise;
}

std::optional<double> ratio(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

}  // namespace

// Times in ns. Each figure has the time of the ops that it is of.
struct Roofline::Sums {
  double known_ns = 0;
  double flops = 0, flops_ns = 0;
  double bytes = 0, bytes_ns = 0;
  double both_flops = 0, both_bytes = 0;  // of ops of which both are known
  double peak_ns = 0, peak_of_ns = 0;     // at the peak of their type
  double bandwidth_ns = 0;                // of `bytes`, at the memory's bandwidth
  double least_ns = 0, least_of_ns = 0;   // the longer of the two
  double compute_least_ns = 0;            // of least_ns: where FLOPs take longer
  double odd_ns = 0;                      // of known_ns: dimensions that are no multiples of 8
};

Roofline::Kind Roofline::kind_of(std::string_view name) {
  return {kernel_class(name), uses_tensor_cores(name)};
}

Roofline::Roofline(const run::NameTable& names, const OpInstances* ops,
                   const run::OpCostTable* costs)
    : kinds_(names, kind_of), ops_(ops), costs_(costs) {
  if (ops_ != nullptr) seen_.resize(ops_->size());
}

void Roofline::add(const run::DeviceActivity& activity) {
  if (activity.kind != run::ActivityKind::kKernel || seen_.empty() || host_ == nullptr) return;
  const Kind kind = kinds_.of(activity.name);
  if (kind.kernel_class == KernelClass::kCollective) return;
  const auto ns =
      static_cast<double>(std::max<std::int64_t>(0, activity.end_ns - activity.begin_ns));
  const std::optional<Launch> launch = host_->launch(activity.correlation);
  const auto op = launch ? ops_->at(launch->lane, launch->begin_ns) : std::nullopt;
  if (!op) {
    unknown_ns_[static_cast<std::size_t>(kind.kernel_class)] += ns;
    return;
  }
  seen_[*op].ns += ns;
  seen_[*op].tensor_cores = seen_[*op].tensor_cores || kind.tensor_cores;
}

void Roofline::add_to(Sums& sums, const run::OpCost& cost, const Seen& seen,
                      const DevicePeaks* peaks) const {
  sums.known_ns += seen.ns;
  if (cost.odd_dims) sums.odd_ns += seen.ns;
  std::optional<double> peak_ns, bandwidth_ns;
  if (cost.flops) {
    sums.flops += *cost.flops;
    sums.flops_ns += seen.ns;
    const auto peak = peaks != nullptr ? peaks->tflops(cost.type, seen.tensor_cores) : std::nullopt;
    if (peak) peak_ns = *cost.flops / *peak / 1000;
  }
  if (cost.bytes) {
    sums.bytes += *cost.bytes;
    sums.bytes_ns += seen.ns;
    if (peaks != nullptr) bandwidth_ns = *cost.bytes / peaks->memory_gb_per_s;
  }
  if (cost.flops && cost.bytes) {
    sums.both_flops += *cost.flops;
    sums.both_bytes += *cost.bytes;
  }
  if (peak_ns) {
    sums.peak_ns += *peak_ns;
    sums.peak_of_ns += seen.ns;
  }
  sums.bandwidth_ns += bandwidth_ns.value_or(0);
  if (!bandwidth_ns || (cost.flops && !peak_ns)) return;
  const double compute_ns = peak_ns.value_or(0);
  sums.least_ns += std::max(compute_ns, *bandwidth_ns);
  sums.least_of_ns += seen.ns;
  if (compute_ns > *bandwidth_ns) sums.compute_least_ns += compute_ns;
}

std::optional<run::RooflineReport> Roofline::report(double window_ns,
                                                    const DevicePeaks* peaks) const {
  std::array<Sums, kClasses> classes{};
  Sums all;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const run::OpCost& cost = (*costs_)[ops_->at(i).cost];
    if (!(seen_[i].ns > 0)) continue;
    const auto number = static_cast<std::size_t>(class_of(cost.op_class));
    // A convolution of which nothing came to light.
    if (!cost.flops && !cost.bytes) continue;
    add_to(classes[number], cost, seen_[i], peaks);
    add_to(all, cost, seen_[i], peaks);
  }
  if (!(all.known_ns > 0)) return std::nullopt;
  auto unknown_ns = unknown_ns_;
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const run::OpCost& cost = (*costs_)[ops_->at(i).cost];
    if (!cost.flops && !cost.bytes) {
      unknown_ns[static_cast<std::size_t>(class_of(cost.op_class))] += seen_[i].ns;
    }
  }
  run::RooflineReport report;
  double all_ns = all.known_ns;
  for (const double ns : unknown_ns) all_ns += ns;
  report.known_share = all.known_ns / all_ns;
  if (all.flops > 0 && window_ns > 0) {
    report.tflops = all.flops / window_ns / 1000;
    if (all.peak_of_ns > 0) report.flops_utilization = all.peak_ns / window_ns;
  }
  if (peaks != nullptr) {
    report.peaks = {std::string(peaks->source), peaks->float32_tflops,  peaks->tf32_tflops,
                    peaks->float16_tflops,      peaks->bfloat16_tflops, peaks->float8_tflops,
                    peaks->memory_gb_per_s};
  }
  for (std::size_t i = 0; i < kClasses; ++i) {
    const Sums& sums = classes[i];
    if (!(sums.known_ns > 0)) continue;
    run::RooflineClassReport one;
    one.kernel_class = kernel_class_name(static_cast<KernelClass>(i));
    one.time_ms = (sums.known_ns + unknown_ns[i]) / 1e6;
    one.known_share = sums.known_ns / (sums.known_ns + unknown_ns[i]);
    if (sums.flops > 0) one.tflops = sums.flops / sums.flops_ns / 1000;
    if (sums.bytes > 0) one.gb_per_s = sums.bytes / sums.bytes_ns;
    if (sums.both_flops > 0) one.flops_per_byte = ratio(sums.both_flops, sums.both_bytes);
    one.compute_share = ratio(sums.peak_ns, sums.peak_of_ns);
    if (peaks != nullptr) one.bandwidth_share = ratio(sums.bandwidth_ns, sums.bytes_ns);
    one.roof_share = ratio(sums.least_ns, sums.least_of_ns);
    if (one.roof_share)
      one.bound = 2 * sums.compute_least_ns > sums.least_ns ? "compute" : "memory";
    if (sums.odd_ns > 0) one.odd_dims_share = sums.odd_ns / sums.known_ns;
    report.classes.push_back(std::move(one));
  }
  std::ranges::stable_sort(report.classes, std::ranges::greater(),
                           &run::RooflineClassReport::time_ms);
  return report;
}

}  // namespace flatout::analyse
