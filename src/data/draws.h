// Random numbers that depend on what they are drawn for, not on when or by which thread: seed,
// epoch, sample and the place of the transform in its chain name a stream. Philox4x32-10: Salmon,
// Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
#pragma once

#include <array>
#include <cstdint>

namespace flatout::data {

// One block of Philox4x32-10. Pure.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

// The numbers of one transform for one sample, in a fixed order. A value, one thread. Repeats after
// 2^26 words of 32 bits.
class DrawStream {
 public:
  DrawStream(std::array<std::uint32_t, 2> key, std::array<std::uint32_t, 4> counter);

  std::uint32_t bits();  // 32 random bits: one word

  // A multiple of 2^-53 in [0, 1): two words.
  double uniform();

  // In [low, high), or `low` where the two are equal.
  double uniform(double low, double high);

  // Normally distributed, mean 0 and deviation 1: Box and Muller, "A note on the generation of
  // random normal deviates", 1958. Four words for every two. The last bit may depend on the C
  // library.
  double normal();

  // A whole number below `count` (at least 1), each equally likely: Lemire, "Fast random integer
  // generation in an interval", 2019. One word, seldom more.
  std::uint32_t below(std::uint32_t count);

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;  // words of block_
  bool has_spare_ = false;
  double spare_ = 0;  // the second of two normal ones
};

// Everything that is random about one sample in one epoch.
class Draws {
 public:
  static constexpr int kStreams = 256;

  Draws(std::uint64_t seed, std::uint32_t epoch, std::uint64_t sample);

  // The stream of what stands at `position` of a chain, in [0, kStreams). Positions do not share
  // numbers.
  DrawStream stream(int position) const;

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;  // block and stream, epoch, sample (low word first)
};

}  // namespace flatout::data
