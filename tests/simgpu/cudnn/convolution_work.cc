#include <algorithm>

#include "cudnn/graph_work.h"

namespace simgpu::cudnn {
namespace {

void mix(std::uint64_t& hash, std::uint64_t value) {  // FNV-1a, by 64 bits
  hash = (hash ^ value) * 0x100000001b3ULL;
}

std::uint64_t hash_of(const GraphWork& work, const TensorShape& x, const TensorShape& filter) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  mix(hash, static_cast<std::uint64_t>(work.pattern));
  for (const TensorShape* const tensor : {&x, &filter}) {
    mix(hash, static_cast<std::uint64_t>(tensor->type));
    for (const std::int64_t dim : tensor->dims) {
      mix(hash, static_cast<std::uint64_t>(dim));
    }
  }
  return hash ^ (hash >> 32U);
}

}  // namespace

bool is_convolution(Pattern pattern) {
  return pattern == Pattern::kConvolutionForward || pattern == Pattern::kConvolutionBackwardData ||
         pattern == Pattern::kConvolutionBackwardFilter;
}

double convolution_flops(const TensorShape& activations, const TensorShape& filter) {
  // A filter is [K, C/g, R, S]: all of its dimensions but the first are summed over for one result.
  const double summed = filter.dims.empty() || filter.dims[0] == 0
                            ? 0
                            : filter.elements() / static_cast<double>(filter.dims[0]);
  return 2 * activations.elements() * summed;
}

void describe_convolution(GraphWork& work, const TensorShape& x, const TensorShape& filter,
                          const TensorShape& y) {
  constexpr std::int64_t kTile = 128;
  work.flops += convolution_flops(y, filter);
  work.filter = filter;
  work.type = work.pattern == Pattern::kConvolutionBackwardData ? y.type : x.type;
  switch (work.pattern) {
    case Pattern::kConvolutionForward:
      work.inputs = {x, filter};
      work.outputs = {y};
      break;
    case Pattern::kConvolutionBackwardData:
      work.inputs = {y, filter};
      work.outputs = {x};
      break;
    default:
      work.inputs = {x, y};
      work.outputs = {filter};
      break;
  }
  const TensorShape& result = work.outputs.front();
  const std::int64_t columns =
      result.dims.size() > 1
          ? std::max<std::int64_t>(1, work.pattern == Pattern::kConvolutionBackwardFilter
                                          ? result.dims[0]
                                          : result.dims[1])
          : 1;
  const auto rows = static_cast<std::int64_t>(result.elements()) / columns;
  work.tiles = ((rows + kTile - 1) / kTile) * ((columns + kTile - 1) / kTile);
  work.shape_hash = hash_of(work, x, filter);
}

}  // namespace simgpu::cudnn
