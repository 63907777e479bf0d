// A made-up NVTX calls what we have put into its tables, as the header does.
#include "inject/cupti/nvtx_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "inject/cupti/range_queue.h"
#include "inject/process_state.h"
#include "wire/record.h"
#include "wire/ring.h"

namespace flatout::inject::cupti {
namespace {

NvtxFunction core[16];
NvtxFunction core2[16];
NvtxFunction* core_places[16];
NvtxFunction* core2_places[16];

int module_of(std::uint32_t module, NvtxFunction*** table, std::uint32_t* count) {
  for (std::size_t i = 0; i < 16; ++i) {
    core_places[i] = &core[i];
    core2_places[i] = &core2[i];
  }
  *count = 16;
  *table = module == kNvtxCore ? core_places : module == kNvtxCore2 ? core2_places : nullptr;
  return *table != nullptr ? 1 : 0;
}

const void* table(std::uint32_t id) {
  static const NvtxCallbacks callbacks{sizeof(NvtxCallbacks), module_of};
  return id == kNvtxCallbacks ? &callbacks : nullptr;
}

int push_named(const char* name) {
  return reinterpret_cast<int (*)(const char*)>(core[kPushA])(name);
}
int pop_one() { return reinterpret_cast<int (*)()>(core[kPop])(); }
int push_attributes(std::int32_t type, const void* message) {
  const NvtxAttributes said{.version = 2,
                            .bytes = sizeof(NvtxAttributes),
                            .category = 0,
                            .color_type = 0,
                            .color = 0,
                            .payload_type = 0,
                            .reserved = 0,
                            .payload = 0,
                            .message_type = type,
                            .message = message};
  return reinterpret_cast<int (*)(const NvtxAttributes*)>(core[kPushEx])(&said);
}

// What the queue has, through a ring in a folder of its own.
class NvtxRanges : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(watch_nvtx(table));
    folder_ = std::filesystem::temp_directory_path() / ("nvtx." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    ::setenv("FLATOUT_RING_DIR", folder_.c_str(), 1);
    ASSERT_TRUE(ring_.configure());
    begin_ranges(now_ns(), nullptr);
  }
  void TearDown() override {
    end_ranges();
    write_ranges(ring_);
    take_lost_ranges();
    std::filesystem::remove_all(folder_);
  }

  // The texts in the ring's file, each that was announced once.
  bool has(const std::string& name) {
    write_ranges(ring_);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      std::FILE* file = std::fopen(entry.path().c_str(), "rb");
      if (file == nullptr) continue;
      std::string bytes(1U << 20, '\0');
      bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
      std::fclose(file);
      if (bytes.contains(name)) return true;
    }
    return false;
  }

  // Records of ranges and marks in the ring's file.
  std::uint64_t written() {
    write_ranges(ring_);
    std::uint64_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      std::vector<std::uint64_t> words(entry.file_size() / sizeof(std::uint64_t));
      auto* bytes = reinterpret_cast<unsigned char*>(words.data());
      std::ifstream(entry.path(), std::ios::binary)
          .read(reinterpret_cast<char*>(bytes), static_cast<std::streamsize>(entry.file_size()));
      auto* header = reinterpret_cast<wire::RingHeader*>(bytes);
      wire::RingReader reader(header, bytes + wire::kRingHeaderBytes, header->capacity);
      reader.drain([&count](const wire::RecordHead& record, const unsigned char*) {
        count += record.type == static_cast<std::uint8_t>(wire::RecordType::kCall) ? 1 : 0;
      });
      EXPECT_FALSE(reader.damaged());
      EXPECT_EQ(header->dropped.load(), 0U);
    }
    return count;
  }

  std::filesystem::path folder_;
  TraceRing ring_;
};

TEST_F(NvtxRanges, WhatIsGivenBackIsAsWithoutATool) {
  EXPECT_EQ(push_named("a"), kNvtxNoTracking);
  EXPECT_EQ(pop_one(), kNvtxNoTracking);
  EXPECT_EQ(pop_one(), kNvtxNoTracking);  // one too many
}

TEST_F(NvtxRanges, AreWrittenOnceTheyHaveEnded) {
  push_named("an outer range");
  push_named("an inner range");
  pop_one();
  EXPECT_TRUE(has("an inner range"));
  EXPECT_FALSE(has("an outer range"));
  pop_one();
  EXPECT_TRUE(has("an outer range"));
}

TEST_F(NvtxRanges, NamesOfEachKind) {
  push_attributes(kMessageAscii, "plain text");
  push_attributes(kMessageWide, L"wide \u00e9\u20ac\U0001f600 text");
  const auto registers = reinterpret_cast<void* (*)(void*, const char*)>(core2[kRegisterStringA]);
  push_attributes(kMessageRegistered, registers(nullptr, "registered text"));
  for (int i = 0; i < 3; ++i) pop_one();
  EXPECT_TRUE(has("plain text"));
  EXPECT_TRUE(has("wide \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 text"));
  EXPECT_TRUE(has("registered text"));
}

TEST_F(NvtxRanges, WithoutANameNothingIsWritten) {
  push_attributes(kMessageAscii, nullptr);
  push_attributes(99, "unknown kind");
  pop_one();
  pop_one();
  EXPECT_FALSE(has("unknown kind"));
}

TEST_F(NvtxRanges, LongNamesAreCut) {
  push_named(std::string(5000, 'x').c_str());
  pop_one();
  EXPECT_TRUE(has(std::string(EndedRange::kLongestName, 'x')));
  EXPECT_FALSE(has(std::string(EndedRange::kLongestName + 1, 'x')));
}

TEST_F(NvtxRanges, OnlyThoseWithinAWindow) {
  push_named("begun before the window");
  begin_ranges(now_ns() + 1, nullptr);
  pop_one();
  push_named("open at the end of the window");
  end_ranges();
  pop_one();
  push_named("outside of windows");
  pop_one();
  EXPECT_FALSE(has("begun before the window"));
  EXPECT_FALSE(has("open at the end of the window"));
  EXPECT_FALSE(has("outside of windows"));
}

std::uint64_t start_named(const char* name) {
  return reinterpret_cast<std::uint64_t (*)(const char*)>(core[kStartA])(name);
}
void end_number(std::uint64_t number) {
  reinterpret_cast<void (*)(std::uint64_t)>(core[kEnd])(number);
}

TEST_F(NvtxRanges, AnotherThreadMayEndAStartedOne) {
  const std::uint64_t first = start_named("the first started"),
                      second = start_named("the second started");
  EXPECT_NE(first, second);
  std::thread([&] { end_number(first); }).join();
  EXPECT_TRUE(has("the first started"));
  EXPECT_FALSE(has("the second started"));
  end_number(first);                 // once more
  end_number(second + (1U << 20U));  // never given
  end_number(0);
  EXPECT_FALSE(has("the second started"));
  const auto end_of_domain = reinterpret_cast<void (*)(void*, std::uint64_t)>(core2[kDomainEnd]);
  end_of_domain(nullptr, second);
  EXPECT_TRUE(has("the second started"));
}

TEST_F(NvtxRanges, AStartedOneCountsWithinAWindow) {
  const std::uint64_t before = start_named("started before the window");
  begin_ranges(now_ns() + 1, nullptr);
  end_number(before);
  const std::uint64_t open = start_named("not ended in the window");
  end_ranges();
  end_number(open);
  EXPECT_EQ(start_named("outside of windows"), 0U) << "as without a tool";
  EXPECT_FALSE(has("started before the window"));
  EXPECT_FALSE(has("not ended in the window"));
}

TEST_F(NvtxRanges, WithoutAPlaceAStartedOneIsCounted) {
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 5000; ++i) numbers.push_back(start_named("never many"));
  const auto without = std::ranges::count(numbers, 0U);
  EXPECT_GE(without, 5000 - 4096);
  EXPECT_EQ(take_lost_ranges(), static_cast<std::uint64_t>(without));
  for (const std::uint64_t number : numbers) end_number(number);
  const std::uint64_t again = start_named("a place again");
  EXPECT_NE(again, 0U);
  EXPECT_EQ(std::ranges::find(numbers, again), numbers.end());
  end_number(again);
}

TEST_F(NvtxRanges, StartedOnManyThreadsEachEndsItsOwn) {
  constexpr int kThreads = 4, kEach = 1000;  // no more than the queue holds
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kEach; ++i) end_number(start_named("crossing"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Without a place at its start or without the queue at its end: each is counted once.
  const std::uint64_t lost = take_lost_ranges();
  EXPECT_EQ(written() + lost, std::uint64_t{kThreads * kEach});
}

TEST_F(NvtxRanges, MarksAreMoments) {
  reinterpret_cast<void (*)(const char*)>(core[kMarkA])("a marked moment");
  reinterpret_cast<void (*)(const wchar_t*)>(core[kMarkW])(L"a wide moment");
  EXPECT_TRUE(has("a marked moment"));
  EXPECT_TRUE(has("a wide moment"));
}

TEST_F(NvtxRanges, DeepNestingKeepsItsPairs) {
  for (int i = 0; i < 100; ++i) push_named(("level " + std::to_string(i) + ".").c_str());
  for (int i = 0; i < 100; ++i) pop_one();
  EXPECT_TRUE(has("level 0."));
  EXPECT_TRUE(has("level 31."));
  EXPECT_FALSE(has("level 32."));
}

TEST_F(NvtxRanges, ManyThreadsLoseNothingUnsaid) {
  constexpr int kThreads = 4, kEach = 5000;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < kEach; ++i) {
        push_named("step");
        pop_one();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Nobody took any meanwhile.
  EXPECT_EQ(take_lost_ranges(), kThreads * kEach - RangeQueue::kSlots);
}

TEST_F(NvtxRanges, SomebodyIsWokenBeforeTheQueueIsFull) {
  static int woken;
  woken = 0;
  begin_ranges(now_ns(), [] { ++woken; });
  for (std::size_t i = 0; i < RangeQueue::kSlots; ++i) {
    push_named("step");
    pop_one();
  }
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(take_lost_ranges(), 0U);
}

TEST(Nvtx, TablesThatAreNotThereChangeNothing) {
  EXPECT_FALSE(watch_nvtx(nullptr));
  EXPECT_FALSE(watch_nvtx([](std::uint32_t) -> const void* { return nullptr; }));
}

}  // namespace
}  // namespace flatout::inject::cupti
