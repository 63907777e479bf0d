#include "data/cache/sample_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

namespace flatout::data::cache {
namespace {

constexpr std::int64_t kMib = 1 << 20;

// Of a sample: its size and bytes depend on its number.
std::string content(std::int64_t index) {
  return std::string(static_cast<std::size_t>(1 + index * 37 % 3000), static_cast<char>(index));
}

void keep(SampleMemory& memory, std::int64_t index) {
  const std::string bytes = content(index);
  memory.keep(index, std::as_bytes(std::span(bytes)));
}

bool kept_whole(const KeptSample& kept, const std::string& bytes) {
  const std::string zeros(ReadBuffer::kPadding, '\0');
  return kept.size == bytes.size() && std::memcmp(kept.data, bytes.data(), bytes.size()) == 0 &&
         std::memcmp(kept.data + kept.size, zeros.data(), zeros.size()) == 0;
}

TEST(SampleMemory, WhatWasKeptIsThereAndZerosFollowIt) {
  SampleMemory memory(10, {.budget_bytes = kMib});
  EXPECT_EQ(memory.find(3), nullptr);
  keep(memory, 3);
  const KeptSample* kept = memory.find(3);
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(kept_whole(*kept, content(3)));
  keep(memory, 3);  // again: nothing more is taken
  EXPECT_EQ(memory.stats().samples, 1U);
  EXPECT_EQ(memory.stats().hits, 1U);
  EXPECT_EQ(memory.stats().misses, 1U);
}

// Those that came first stay, and what of the budget is left takes smaller ones.
TEST(SampleMemory, ABudgetIsNeverExceeded) {
  for (const std::uint64_t budget : {0U, 900U, 8000U, 8001U, 20'000U, 90'000U}) {
    SampleMemory memory(1000, {.budget_bytes = budget});
    std::uint64_t samples = 0;
    for (std::int64_t index = 0; index < 1000; ++index) {
      keep(memory, index);
      ASSERT_LE(memory.stats().bytes, budget);
      EXPECT_GE(memory.stats().samples, samples);
      samples = memory.stats().samples;
    }
    EXPECT_EQ(memory.stats().denied, 1000 - samples);
    EXPECT_EQ(memory.find(0) == nullptr, budget < 20'000);
    EXPECT_EQ(samples == 0, budget < 20'000) << "the list alone takes 8000 bytes";
  }
}

TEST(SampleMemory, WhatIsBegunAndNotFinishedIsMissing) {
  SampleMemory memory(4, {.budget_bytes = kMib});
  ASSERT_NE(memory.begin(2, 100), nullptr);
  EXPECT_EQ(memory.find(2), nullptr);
  EXPECT_EQ(memory.begin(2, 100), nullptr) << "somebody else has begun it";
  EXPECT_EQ(memory.stats().denied, 0U);
}

// The room falls with what is kept, and for other reasons; no sample is let in below the floor.
TEST(SampleMemory, GrowthStopsAtTheFloorAndGoesOnAboveIt) {
  std::int64_t room = 100 * kMib;
  SampleMemory memory(
      100'000, {.budget_bytes = 1 << 30, .room = [&] { return room; }, .floor_bytes = 30 * kMib});
  const auto grow = [&](std::int64_t from) {
    for (std::int64_t i = from; i < from + 2000; ++i) {
      const std::uint64_t before = memory.stats().bytes;
      if (KeptSample* kept = memory.begin(i, 100'000)) memory.finish(i, kept);
      room -= static_cast<std::int64_t>(memory.stats().bytes - before);
      EXPECT_GE(room, 30 * kMib);
    }
  };
  grow(0);
  EXPECT_TRUE(memory.stats().short_of_memory);
  EXPECT_LT(room, 30 * kMib + 2 * static_cast<std::int64_t>(SampleMemory::kBytesALook) + kMib);
  const std::uint64_t held = memory.stats().samples;
  EXPECT_GT(held, 300U);
  room = 150 * kMib;
  grow(2000);
  EXPECT_GT(memory.stats().samples, held + 300);
}

constexpr std::size_t kLarge = 100'000;

void keep_large(SampleMemory& memory, std::int64_t first, std::int64_t end) {
  for (std::int64_t i = first; i < end; ++i) {
    const SampleMemory::Reading reading(&memory);
    KeptSample* const kept = memory.begin(i, kLarge);
    if (kept == nullptr) continue;
    std::memset(kept->data, static_cast<int>(i % 251), kLarge);
    memory.finish(i, kept);
  }
}

bool is_large(const KeptSample& kept, std::int64_t index) {
  return kept.size == kLarge && std::all_of(kept.data, kept.data + kLarge, [&](std::byte byte) {
           return byte == static_cast<std::byte>(index % 251);
         });
}

std::vector<std::int64_t> found(SampleMemory& memory, std::int64_t samples) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < samples; ++i)
    if (memory.find(i) != nullptr) out.push_back(i);
  return out;
}

void read_often(SampleMemory& memory) {
  for (std::uint64_t i = 0; i < SampleMemory::kReadingsALook; ++i)
    const SampleMemory::Reading reading(&memory);
}

// 1000 samples have 96 MiB, on three pages; half of what lacks is more than the last of them.
TEST(SampleMemory, WhatCameLastIsGivenBackWhereMemoryIsScarce) {
  std::int64_t room = 500 * kMib;
  SampleMemory memory(1000, {.budget_bytes = 200 * kMib,
                             .room = [&] { return room; },
                             .floor_bytes = 100 * kMib,
                             .give_back_below_bytes = 50 * kMib});
  keep_large(memory, 0, 1000);
  room = 60 * kMib;  // below the floor, which alone takes nothing away
  read_often(memory);
  ASSERT_EQ(memory.stats().samples, 1000U);
  const std::uint64_t before = memory.stats().bytes;
  room = 20 * kMib;
  read_often(memory);
  room = 120 * kMib;
  const MemoryStats now = memory.stats();
  EXPECT_EQ(now.bytes + now.given_back_bytes, before);
  EXPECT_GE(now.given_back_bytes, static_cast<std::uint64_t>(40 * kMib));
  EXPECT_LE(now.given_back_bytes, static_cast<std::uint64_t>(80 * kMib));
  const auto left = found(memory, 1000);
  EXPECT_EQ(left.size(), now.samples);
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(left.back(), std::ssize(left) - 1) << "those that came first";
  for (const std::int64_t index : left) EXPECT_TRUE(is_large(*memory.find(index), index));
  read_often(memory);
  keep_large(memory, 0, 1000);
  EXPECT_GT(memory.stats().samples, now.samples) << "there is room again";
}

TEST(SampleMemory, WhatSomebodyReadsOrFillsStaysUntilHeIsDone) {
  std::int64_t room = 500 * kMib;
  SampleMemory memory(100, {.budget_bytes = 200 * kMib,
                            .room = [&] { return room; },
                            .floor_bytes = 100 * kMib,
                            .give_back_below_bytes = 50 * kMib});
  keep_large(memory, 0, 50);
  {
    const SampleMemory::Reading reading(&memory);
    const KeptSample* const read = memory.find(3);
    KeptSample* const filled = memory.begin(60, kLarge);
    ASSERT_TRUE(read != nullptr && filled != nullptr);
    room = 0;
    read_often(memory);
    EXPECT_THAT(found(memory, 100), testing::IsEmpty());
    EXPECT_TRUE(is_large(*read, 3));
    std::memset(filled->data, 60, kLarge);
    memory.finish(60, filled);
    EXPECT_EQ(memory.find(60), nullptr) << "its memory is going";
    EXPECT_TRUE(is_large(*filled, 60));
  }
  EXPECT_EQ(memory.stats().samples, 0U);
  room = 500 * kMib;
  read_often(memory);
  keep_large(memory, 0, 100);
  EXPECT_EQ(memory.stats().samples, 100U) << "nothing stays claimed";
}

TEST(SampleMemory, ThreadsReadWhileSamplesAreGivenBack) {
  std::atomic<std::int64_t> room = 500 * kMib;
  SampleMemory memory(400, {.budget_bytes = 200 * kMib,
                            .room = [&] { return room.load(); },
                            .floor_bytes = 100 * kMib,
                            .give_back_below_bytes = 50 * kMib});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int64_t turn = 0; turn < 6000; ++turn) {
        const std::int64_t index = (turn * (thread + 3) + thread) % 400;
        if (thread == 0 && turn % 1000 == 0) room = turn % 2000 == 0 ? 0 : 500 * kMib;
        const SampleMemory::Reading reading(&memory);
        if (const KeptSample* kept = memory.find(index)) {
          if (kept->data[0] != static_cast<std::byte>(index % 251) ||
              kept->data[kLarge - 1] != kept->data[0])
            ++wrong;
        } else if (KeptSample* begun = memory.begin(index, kLarge)) {
          std::memset(begun->data, static_cast<int>(index % 251), kLarge);
          memory.finish(index, begun);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(memory.stats().given_back_bytes, 0U);
  EXPECT_EQ(found(memory, 400).size(), memory.stats().samples);
}

TEST(SampleMemory, UnknownRoomIsInNobodysWay) {
  SampleMemory memory(10, {.budget_bytes = kMib,
                           .room = [] { return std::optional<std::int64_t>(); },
                           .floor_bytes = kMib});
  keep(memory, 1);
  EXPECT_EQ(memory.stats().samples, 1U);
}

TEST(SampleMemory, ThreadsKeepAndFindTheSameSamples) {
  constexpr std::int64_t kSamples = 2000;
  SampleMemory memory(kSamples, {.budget_bytes = 2 * kMib});
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int64_t i = 0; i < 3 * kSamples; ++i) {
        const std::int64_t index = (i * (thread + 3) + thread) % kSamples;
        if (const KeptSample* kept = memory.find(index)) {
          if (!kept_whole(*kept, content(index))) ++wrong;
        } else {
          keep(memory, index);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(memory.stats().bytes, static_cast<std::uint64_t>(2 * kMib));
  EXPECT_GT(memory.stats().hits, 0U);
}

}  // namespace
}  // namespace flatout::data::cache
