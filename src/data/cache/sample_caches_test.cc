// Which caches there are, and how much memory the one without a number may take.
#include "data/cache/sample_caches.h"

#include <gtest/gtest.h>

#include <utility>

#include "data/cache/counting_source_for_test.h"
#include "data/cache/memory_share.h"

namespace flatout::data::cache {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

TEST(MemoryShare, IsHalfOfWhatIsFreeBeyondTheFloor) {
  EXPECT_EQ(share_of_memory(5 * kGib, 1), std::uint64_t{2} << 30);
  EXPECT_EQ(share_of_memory(5 * kGib, 4), std::uint64_t{1} << 29);
  EXPECT_EQ(share_of_memory(5 * kGib, 0), std::uint64_t{2} << 30);
}

TEST(MemoryShare, IsNothingWhereTheFloorIsReached) {
  EXPECT_EQ(share_of_memory(kGib, 1), 0U);
  EXPECT_EQ(share_of_memory(kMemoryScarceBytes, 1), 0U);
  EXPECT_EQ(share_of_memory(0, 1), 0U);
}

// Samples that are pixels already.
class PixelSource final : public CountingSource {
 public:
  using CountingSource::CountingSource;
  std::optional<PixelSize> raw_size(std::int64_t /*index*/) const override {
    return PixelSize{8, 2};
  }
};

TEST(SampleCaches, AreNoneWhereNoneIsAskedFor) {
  auto source = std::make_unique<CountingSource>(3);
  const Source* const same = source.get();
  const auto caches = open_caches({}, *source, 1);
  ASSERT_TRUE(caches);
  EXPECT_EQ(caches->memory, nullptr);
  EXPECT_EQ(caches->disk, nullptr);
  EXPECT_EQ(cached(std::move(source), *caches).get(), same);
}

TEST(SampleCaches, KeepFilesAroundTheSource) {
  auto source = std::make_unique<CountingSource>(3);
  const Source* const same = source.get();
  const auto caches = open_caches({.memory = true, .memory_bytes = 1 << 20}, *source, 1);
  ASSERT_TRUE(caches);
  ASSERT_NE(caches->memory, nullptr);
  EXPECT_EQ(caches->memory->budget_bytes(), 1U << 20);
  EXPECT_EQ(caches->pictures(), nullptr);
  EXPECT_NE(cached(std::move(source), *caches).get(), same);
}

TEST(SampleCaches, KeepPixelsBesideTheSource) {
  auto source = std::make_unique<CountingSource>(3);
  const Source* const same = source.get();
  const auto caches =
      open_caches({.memory = true, .memory_bytes = 1 << 20, .decoded = true}, *source, 1);
  ASSERT_TRUE(caches);
  EXPECT_EQ(caches->pictures(), caches->memory);
  EXPECT_EQ(cached(std::move(source), *caches).get(), same);
}

TEST(SampleCaches, KeepWhatIsPixelsAlreadyAsItIsRead) {
  const PixelSource source(3);
  const auto caches =
      open_caches({.memory = true, .memory_bytes = 1 << 20, .decoded = true}, source, 1);
  ASSERT_TRUE(caches);
  EXPECT_FALSE(caches->decoded);
  EXPECT_EQ(caches->pictures(), nullptr);
}

}  // namespace
}  // namespace flatout::data::cache
