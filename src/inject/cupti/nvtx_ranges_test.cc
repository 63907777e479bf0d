// A made-up NVTX calls what we have put into its tables, as the header does.
#include "inject/cupti/nvtx_ranges.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "inject/cupti/range_queue.h"
#include "inject/process_state.h"

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
