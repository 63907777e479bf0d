#include "data/cache/cached_source.h"

#include <cstring>
#include <random>

#include "data/cache/counting_source_for_test.h"
#include "data/source/file_list.h"
#include "data/source/folder_fixture.h"

namespace flatout::data::cache {
namespace {

class CachedSourceTest : public FolderTest {};

// Pictures of 8 columns, whose rows can be read alone.
class RawSource final : public CountingSource {
 public:
  explicit RawSource(std::int64_t samples) : CountingSource(samples) {}
  int rows_read = 0;

  std::optional<PixelSize> raw_size(std::int64_t index) const override {
    return PixelSize{8, static_cast<int>(2 + index)};
  }
  std::string pixels(std::int64_t index) const {
    return content(999).substr(0, static_cast<std::size_t>(24 * (2 + index)));
  }
  base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                ReadBuffer& buffer) const override {
    const auto counted = CountingSource::read(999, buffer);
    return counted->first(pixels(index).size());
  }
  base::Result<PixelView> read_rows(std::int64_t index, int first, int count,
                                    ReadBuffer& buffer) const override {
    const auto all = read(index, buffer);
    return PixelView{reinterpret_cast<const std::uint8_t*>(all->data()) + 24 * first, 8, count, 3,
                     24};
  }
};

// For random budgets and orders: the bytes of the source.
TEST_F(CachedSourceTest, GivesWhatTheSourceGives) {
  std::mt19937_64 draw(5);
  for (int turn = 0; turn < 18; ++turn) {
    const std::int64_t samples = 1 + static_cast<std::int64_t>(draw() % 80);
    auto source = std::make_unique<CountingSource>(samples);
    const CountingSource& same = *source;
    auto memory = turn % 3 == 0 ? nullptr
                                : std::make_shared<SampleMemory>(
                                      samples, MemoryOptions{.budget_bytes = draw() % 200'000});
    std::shared_ptr<SampleDisk> disk;
    if (turn % 3 != 1)
      disk = *SampleDisk::open(root_ / std::to_string(turn % 2), draw() % 300'000, samples);
    const CachedSource cached(std::move(source), memory, disk);
    ReadBuffer buffer;
    for (int read = 0; read < 200; ++read) {
      const auto index = static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(samples));
      ASSERT_EQ(text_of(cached.read(index, buffer).value()), same.content(index)) << turn;
    }
  }
}

TEST_F(CachedSourceTest, MemoryComesBeforeTheDiskAndTheDiskBeforeTheSource) {
  auto source = std::make_unique<CountingSource>(3);
  const CountingSource& far = *source;
  auto memory = std::make_shared<SampleMemory>(3, MemoryOptions{.budget_bytes = 1 << 20});
  std::shared_ptr<SampleDisk> disk = *SampleDisk::open(root_ / "near", 1 << 20, 3);
  const CachedSource cached(std::move(source), memory, disk);
  ReadBuffer buffer;
  for (int turn = 0; turn < 3; ++turn) ASSERT_TRUE(cached.read(1, buffer));
  EXPECT_EQ(far.reads(), 1);
  EXPECT_EQ(memory->stats().hits, 2U);
  EXPECT_EQ(disk->stats().misses, 1U);
  EXPECT_EQ(disk->stats().hits, 0U);
  EXPECT_EQ(cached.name(2), "/far/set2");
}

TEST_F(CachedSourceTest, PixelsAreKeptWholeAndGivenByRows) {
  for (const std::uint64_t budget : {std::uint64_t{0}, std::uint64_t{1} << 20}) {
    auto memory = std::make_shared<SampleMemory>(9, MemoryOptions{.budget_bytes = budget});
    const CachedSource cached(std::make_unique<RawSource>(9), memory, nullptr);
    const RawSource same(9);
    ReadBuffer buffer;
    for (std::int64_t index = 0; index < 18; ++index) {
      const auto rows = cached.read_rows(index % 9, 1, 1, buffer);
      ASSERT_TRUE(rows);
      EXPECT_EQ(rows->height, 1);
      EXPECT_EQ(std::memcmp(rows->data, same.pixels(index % 9).data() + 24, 24), 0);
    }
    EXPECT_EQ(memory->stats().hits, budget == 0 ? 0U : 9U);
  }
}

TEST_F(CachedSourceTest, WhatIsBadIsAskedForAgain) {
  auto files = std::make_unique<FileList>(root_.string());
  files->add("a.jpg", 0);
  auto memory = std::make_shared<SampleMemory>(1, MemoryOptions{.budget_bytes = 1 << 20});
  std::shared_ptr<SampleDisk> disk = *SampleDisk::open(root_ / "near", 1 << 20, 1);
  const CachedSource cached(std::move(files), memory, disk);
  ReadBuffer buffer;
  EXPECT_FALSE(cached.read(0, buffer));
  write("a.jpg", "there");
  EXPECT_EQ(text_of(cached.read(0, buffer).value()), "there");
}

TEST_F(CachedSourceTest, AFilesVersionIsItsPathSizeAndTime) {
  write("a.jpg", "first");
  FileList files(root_.string());
  files.add("a.jpg", 0);
  files.add("none.jpg", 0);
  const auto version = files.version(0).value();
  EXPECT_EQ(version.file, (root_ / "a.jpg").string());
  EXPECT_EQ(version.bytes, 5U);
  EXPECT_GT(version.modified_ns, 0);
  std::filesystem::last_write_time(
      root_ / "a.jpg", std::filesystem::file_time_type::min() + std::chrono::hours(24 * 365 * 100));
  EXPECT_NE(files.version(0)->modified_ns, version.modified_ns);
  EXPECT_FALSE(files.version(1));
}

}  // namespace
}  // namespace flatout::data::cache
