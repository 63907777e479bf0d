#include "data/draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flatout::data {
namespace {

constexpr int kRounds = 10;
constexpr int kBlockBits = 24;  // of the counter's first word; the stream has the others

struct Product {
  std::uint32_t high = 0;
  std::uint32_t low = 0;
};

Product multiply(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t product = std::uint64_t{a} * b;
  return {static_cast<std::uint32_t>(product >> 32), static_cast<std::uint32_t>(product)};
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const Product first = multiply(0xD2511F53U, counter[0]);
    const Product second = multiply(0xCD9E8D57U, counter[2]);
    counter = {second.high ^ counter[1] ^ key[0], second.low, first.high ^ counter[3] ^ key[1],
               first.low};
    key[0] += 0x9E3779B9U;  // golden ratio
    key[1] += 0xBB67AE85U;  // sqrt(3) - 1
  }
  return counter;
}

DrawStream::DrawStream(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 4> counter)
    : key_(key), counter_(counter) {}

std::uint32_t DrawStream::bits() {
  if (used_ == 4) {
    block_ = philox4x32(counter_, key_);
    constexpr std::uint32_t kBlocks = (1U << kBlockBits) - 1;
    counter_[0] = (counter_[0] & ~kBlocks) | ((counter_[0] + 1) & kBlocks);
    used_ = 0;
  }
  return block_[static_cast<std::size_t>(used_++)];
}

double DrawStream::uniform() {
  const std::uint64_t high = bits() >> 5;  // 27 bits
  const std::uint64_t low = bits() >> 6;   // 26 bits
  return static_cast<double>(high << 26 | low) * 0x1p-53;
}

double DrawStream::uniform(double low, double high) {
  const double value = low + (high - low) * uniform();
  // The sum may round up to `high`.
  return value < high ? value : std::max(low, std::nextafter(high, low));
}

double DrawStream::normal() {
  has_spare_ = !has_spare_;
  if (!has_spare_) return spare_;
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // of a number in (0, 1]
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

std::uint32_t DrawStream::below(std::uint32_t count) {
  Product product = multiply(bits(), count);
  if (product.low < count) {
    const std::uint32_t uneven = (0U - count) % count;  // 2^32 modulo count
    while (product.low < uneven) product = multiply(bits(), count);
  }
  return product.high;
}

Draws::Draws(std::uint64_t seed, std::uint32_t epoch, std::uint64_t sample)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, epoch, static_cast<std::uint32_t>(sample),
               static_cast<std::uint32_t>(sample >> 32)} {}

DrawStream Draws::stream(int position) const {
  auto counter = counter_;
  counter[0] = static_cast<std::uint32_t>(position) << kBlockBits;
  return {key_, counter};
}

}  // namespace flatout::data
