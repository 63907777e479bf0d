#include "wire/ring.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "wire/ring_lock.h"

namespace flatout::wire {
namespace {

struct MemoryRing {
  explicit MemoryRing(std::uint64_t capacity) : data(capacity) { header->capacity = capacity; }
  RingWriter writer() { return {header.get(), data.data()}; }
  RingReader reader() { return {header.get(), data.data(), data.size()}; }
  std::unique_ptr<RingHeader> header = std::make_unique<RingHeader>();
  std::vector<unsigned char> data;
};

bool write(RingWriter& writer, std::uint32_t bytes, std::int64_t t) {
  unsigned char* at = writer.reserve(bytes);
  if (at == nullptr) return false;
  const RecordHead head{.type = 1, .phase = 0, .lane = 0, .bytes = bytes, .t_ns = t};
  std::memset(at, 0, bytes);
  std::memcpy(at, &head, sizeof head);
  writer.publish(bytes);
  return true;
}

TEST(Ring, KeepsOrderAcrossWrapsWithRecordsOfAnySize) {
  MemoryRing ring(1024);
  auto writer = ring.writer();
  auto reader = ring.reader();
  std::mt19937 random(1);
  std::int64_t next = 0;
  std::int64_t expected = 0;
  for (int round = 0; round < 2000; ++round) {
    const int burst = static_cast<int>(random() % 6);
    for (int i = 0; i < burst; ++i)
      next += write(writer, 16 + 8 * static_cast<std::uint32_t>(random() % 20), next) ? 1 : 0;
    reader.drain([&](const RecordHead& head, const unsigned char*) {
      ASSERT_EQ(head.t_ns, expected);
      ++expected;
    });
  }
  EXPECT_EQ(expected, next);
  EXPECT_FALSE(reader.damaged());
}

TEST(Ring, FullRingDropsTheNewestAndCountsIt) {
  MemoryRing ring(256);
  auto writer = ring.writer();
  std::int64_t kept = 0;
  while (write(writer, 32, kept)) ++kept;
  EXPECT_EQ(kept, 8);
  EXPECT_EQ(ring.header->dropped.load(), 1U);
  std::vector<std::int64_t> seen;
  ring.reader().drain(
      [&](const RecordHead& head, const unsigned char*) { seen.push_back(head.t_ns); });
  EXPECT_EQ(seen.size(), 8U);
  EXPECT_EQ(seen.back(), 7);
}

TEST(Ring, OverlongRecordIsRefused) {
  MemoryRing ring(1U << 20);
  auto writer = ring.writer();
  EXPECT_EQ(writer.reserve(kMaxRecordBytes + 8), nullptr);
}

TEST(Ring, DamagedBytesEndTheReadWithoutCrash) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    MemoryRing ring(512);
    auto writer = ring.writer();
    for (int i = 0; i < 10; ++i) write(writer, 48, i);
    for (int i = 0; i < 20; ++i) ring.data[random() % 512] = static_cast<unsigned char>(random());
    ring.reader().drain([](const RecordHead&, const unsigned char*) {});
  }
}

TEST(Ring, WhatIsNotCommittedIsThereForTheNextReader) {
  MemoryRing ring(1024);
  auto writer = ring.writer();
  for (int i = 0; i < 4; ++i) write(writer, 32, i);
  std::vector<std::int64_t> seen;
  const auto take = [&](const RecordHead& head, const unsigned char*) {
    seen.push_back(head.t_ns);
  };
  auto killed = ring.reader();
  EXPECT_EQ(killed.peek(64, take), 2U);
  killed.commit();
  EXPECT_EQ(killed.peek(1, take), 1U);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2}));
  seen.clear();
  EXPECT_EQ(ring.reader().drain(take), 2U);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{2, 3}));
}

TEST(Ring, ReadingGoesOnBehindDamage) {
  MemoryRing ring(1024);
  auto writer = ring.writer();
  auto reader = ring.reader();
  write(writer, 32, 1);
  ring.data[4] = 7;  // not a multiple of 8
  std::vector<std::int64_t> seen;
  const auto take = [&](const RecordHead& head, const unsigned char*) {
    seen.push_back(head.t_ns);
  };
  EXPECT_EQ(reader.drain(take), 0U);
  EXPECT_TRUE(reader.damaged());
  write(writer, 32, 2);
  EXPECT_EQ(reader.drain(take), 1U);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{2}));
}

TEST(Ring, OneWriterAndOneReaderThreadAgree) {
  MemoryRing ring(4096);
  constexpr std::int64_t kRecords = 20'000;
  std::thread producer([&] {
    auto writer = ring.writer();
    for (std::int64_t t = 0; t < kRecords;) {
      if (write(writer, 32, t))
        ++t;
      else
        std::this_thread::yield();
    }
  });
  auto reader = ring.reader();
  std::int64_t expected = 0;
  while (expected < kRecords) {
    if (reader.drain([&](const RecordHead& head, const unsigned char*) {
          EXPECT_EQ(head.t_ns, expected++);
        }) == 0) {
      std::this_thread::yield();
    }
  }
  producer.join();
}

// As the copies of our code in one process do: each with a writer of its own.
TEST(RingLock, ThreadsShareARingAndLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kRecords = 5000;
  MemoryRing ring(1U << 20);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&ring, thread] {
      RingWriter writer = ring.writer();
      for (int i = 0; i < kRecords; ++i) {
        const RingLock lock(ring.header.get(), thread + 1);
        ASSERT_TRUE(lock);
        ASSERT_TRUE(write(writer, 24U + 8U * static_cast<std::uint32_t>(i % 3),
                          thread * std::int64_t{1'000'000} + i));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  std::vector<int> next(kThreads, 0);
  ring.reader().drain([&](const RecordHead& head, const unsigned char*) {
    const auto thread = static_cast<std::size_t>(head.t_ns / 1'000'000);
    EXPECT_EQ(head.t_ns % 1'000'000, next[thread]++);
  });
  for (const int count : next) EXPECT_EQ(count, kRecords);
  EXPECT_EQ(ring.header->dropped.load(), 0U);
  EXPECT_EQ(ring.header->written.load(), std::uint64_t{kThreads} * kRecords);
}

TEST(RingLock, ASignalInTheMiddleOfARecordDropsItsOwnAndGoesOn) {
  MemoryRing ring(1024);
  const RingLock outer(ring.header.get(), 7);
  const RingLock inner(ring.header.get(), 7);
  EXPECT_TRUE(outer);
  EXPECT_FALSE(inner);
  EXPECT_EQ(ring.header->dropped.load(), 1U);
}

TEST(RingLock, IsTakenFromAThreadThatIsNoMore) {
  MemoryRing ring(1024);
  ring.header->writer_tid = std::numeric_limits<std::int32_t>::max();  // no thread has this number
  {
    const RingLock lock(ring.header.get(), 7);
    EXPECT_TRUE(lock);
  }
  EXPECT_EQ(ring.header->writer_tid.load(), 0);
}

TEST(RingLock, WaitsForALivingHolderOnlySoLong) {
  MemoryRing ring(1024);
  ring.header->writer_tid = static_cast<std::int32_t>(::getpid());
  const RingLock lock(ring.header.get(), -7);
  EXPECT_FALSE(lock);
}

}  // namespace
}  // namespace flatout::wire
