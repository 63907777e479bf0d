#include "data/tokens/number_kernels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "data/instruction_set.h"

namespace flatout::data {
namespace {

std::vector<const NumberKernels*> all_sets() {
  std::vector<const NumberKernels*> out = {&baseline::number_kernels()};
#if defined(__x86_64__)
  if (runs_v3()) out.push_back(&v3::number_kernels());
#endif
  return out;
}

// Numbers at an odd place, as they may lie in a file, and the largest ones among them.
template <typename From>
void check(ElementType from, std::size_t count) {
  std::vector<From> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<From>(i * 2654435761U);
  if (count > 0) numbers.back() = std::numeric_limits<From>::max();
  if (count > 1) numbers[1] = std::numeric_limits<From>::lowest();
  std::vector<std::byte> bytes(count * sizeof(From) + 1);
  if (count > 0) std::memcpy(bytes.data() + 1, numbers.data(), count * sizeof(From));
  for (const NumberKernels* kernels : all_sets()) {
    std::vector<std::int64_t> wide(count + 1, 77);
    ASSERT_TRUE(kernels->to_int64(from, bytes.data() + 1, count, wide.data())) << kernels->name;
    EXPECT_EQ(wide.back(), 77) << "nothing is written beyond";
    std::vector<std::int32_t> narrow(count + 1, 77);
    std::vector<float> floats(count + 1, 77);
    bool fits = true;
    for (const From number : numbers) fits = fits && std::in_range<std::int32_t>(number);
    EXPECT_EQ(kernels->to_int32(from, bytes.data() + 1, count, narrow.data()), fits);
    EXPECT_EQ(narrow.back(), 77);
    kernels->to_float32(from, bytes.data() + 1, count, 0.5F, 3, floats.data());
    EXPECT_EQ(floats.back(), 77);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(wide[i], static_cast<std::int64_t>(numbers[i]));
      if (fits) {
        ASSERT_EQ(narrow[i], static_cast<std::int32_t>(numbers[i]));
      }
      const float halved = static_cast<float>(numbers[i]) * 0.5F;
      ASSERT_EQ(floats[i], halved + 3);
    }
  }
}

TEST(NumberKernels, EveryTypeAndLengthByEveryInstructionSet) {
  for (const std::size_t count : {0, 1, 2, 3, 7, 8, 15, 31, 33, 64, 1000}) {
    check<std::uint8_t>(ElementType::kUint8, count);
    check<std::uint16_t>(ElementType::kUint16, count);
    check<std::uint32_t>(ElementType::kUint32, count);
    check<std::int32_t>(ElementType::kInt32, count);
    check<std::int64_t>(ElementType::kInt64, count);
  }
}

TEST(NumberKernels, WhatDoesNotFitIsSeenWhereverItStands) {
  for (const std::int64_t wrong :
       {std::int64_t{1} << 31, -(std::int64_t{1} << 31) - 1, std::int64_t{1} << 62, INT64_MIN}) {
    for (std::size_t place = 0; place < 40; ++place) {
      std::vector<std::int64_t> numbers(40, -5);
      numbers[place] = wrong;
      std::vector<std::int32_t> out(40);
      for (const NumberKernels* kernels : all_sets()) {
        EXPECT_FALSE(kernels->to_int32(ElementType::kInt64,
                                       reinterpret_cast<const std::byte*>(numbers.data()), 40,
                                       out.data()));
      }
    }
  }
}

TEST(NumberKernels, FillAndAscendWriteWhatIsAskedForAndNoMore) {
  for (const NumberKernels* kernels : all_sets()) {
    for (std::size_t count = 0; count < 40; ++count) {
      std::vector<std::int64_t> wide(41, 9);
      kernels->fill(-100, count, ElementType::kInt64, reinterpret_cast<std::byte*>(wide.data()));
      std::vector<std::int32_t> narrow(41, 9);
      kernels->ascend(count, ElementType::kInt32, reinterpret_cast<std::byte*>(narrow.data()));
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(wide[i], -100);
        ASSERT_EQ(narrow[i], static_cast<std::int32_t>(i));
      }
      ASSERT_EQ(wide[count], 9);
      ASSERT_EQ(narrow[count], 9);
    }
  }
}

}  // namespace
}  // namespace flatout::data
