#include "data/feed/order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/draws.h"

namespace flatout::data {
namespace {

// Streams of a sample's transforms are numbered from 0; the order has the last one for itself.
constexpr int kOrderStream = Draws::kStreams - 1;
// A stream has 2^26 words; as many swaps take one stream, with words to spare for rejected ones.
constexpr std::int64_t kSwapsOfStream = 1 << 24;

// Fisher and Yates, inside out: each sample changes places with one of those before it, or stays.
void shuffle(std::vector<std::int64_t>& order, std::uint64_t seed, std::uint32_t epoch) {
  const auto samples = static_cast<std::int64_t>(order.size());
  for (std::int64_t begin = 1; begin < samples; begin += kSwapsOfStream) {
    DrawStream stream =
        Draws(seed, epoch, static_cast<std::uint64_t>(begin / kSwapsOfStream)).stream(kOrderStream);
    for (std::int64_t i = begin; i < std::min(samples, begin + kSwapsOfStream); ++i) {
      std::swap(order[static_cast<std::size_t>(i)],
                order[stream.below(static_cast<std::uint32_t>(i + 1))]);
    }
  }
}

}  // namespace

std::vector<std::int64_t> epoch_order(std::int64_t samples, std::uint32_t epoch,
                                      const OrderOptions& options, std::int64_t drawn) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  if (options.shuffle) shuffle(order, options.seed, epoch);
  drawn = std::clamp(drawn, std::int64_t{0}, samples);
  if (options.ranks == 1) order.erase(order.begin(), order.begin() + drawn);
  if (options.ranks == 1 || samples == 0) return order;
  const std::int64_t left = samples - drawn;
  const std::int64_t whole = left / options.ranks;
  const std::int64_t share =
      options.drop_uneven ? whole : whole + (left % options.ranks == 0 ? 0 : 1);
  std::vector<std::int64_t> own(static_cast<std::size_t>(share));
  for (std::int64_t i = 0; i < share; ++i) {
    own[static_cast<std::size_t>(i)] =
        order[static_cast<std::size_t>((drawn + options.rank + i * options.ranks) % samples)];
  }
  return own;
}

}  // namespace flatout::data
