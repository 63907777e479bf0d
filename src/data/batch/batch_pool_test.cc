#include "data/batch/batch_pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

namespace flatout::data {
namespace {

TEST(BatchPool, GivenBackIsTakenAgain) {
  BatchPool pool(10'000, 2);
  std::byte* first = pool.take().value().get();
  EXPECT_EQ(pool.take().value().get(), first);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 4096, 0U);
}

TEST(BatchPool, WhatIsHeldIsNobodyElses) {
  BatchPool pool(4096, 1);
  std::vector<std::shared_ptr<std::byte>> held;
  std::set<std::byte*> places;
  for (int i = 0; i < 5; ++i) {
    held.push_back(pool.take().value());
    std::memset(held.back().get(), i, 4096);
    places.insert(held.back().get());
  }
  EXPECT_EQ(places.size(), 5U);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(held[static_cast<std::size_t>(i)].get()[4095], std::byte(i));
}

TEST(BatchPool, ABatchOutlivesItsPool) {
  std::optional<BatchPool> pool(std::in_place, 4096, 1);
  const std::shared_ptr<std::byte> held = pool->take().value();
  pool.reset();
  held.get()[0] = std::byte{1};
  EXPECT_EQ(held.get()[0], std::byte{1});
}

TEST(BatchPool, HowMuchIsKeptMayChange) {
  BatchPool pool(4096, 0);
  pool.set_keep(2);
  std::byte* first = pool.take().value().get();  // given back at once, and kept
  EXPECT_EQ(pool.take().value().get(), first);
  pool.set_keep(0);
  const auto taken = pool.take().value();
  taken.get()[0] = std::byte{1};
}

TEST(BatchPool, TooMuchIsAnErrorThatSaysHowMuch) {
  BatchPool pool(std::size_t{1} << 60, 1);
  const auto taken = pool.take();
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("1152921504606846976 bytes"), std::string::npos)
      << taken.error().message;
}

}  // namespace
}  // namespace flatout::data
