#include "data/cache/sample_disk.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "data/cache/counting_source_for_test.h"
#include "data/source/folder_fixture.h"

namespace flatout::data::cache {
namespace {

constexpr std::int64_t kSamples = 60;
constexpr std::uint64_t kPlenty = std::uint64_t{64} << 20;

class SampleDiskTest : public FolderTest {
 protected:
  std::unique_ptr<SampleDisk> open(std::uint64_t budget = kPlenty) {
    auto disk = SampleDisk::open(root_ / "cache", budget, kSamples);
    EXPECT_TRUE(disk) << disk.error().message;
    return std::move(*disk);
  }

  // Every sample once, each as it is at its source.
  void epoch(SampleDisk& disk, const CountingSource& source) {
    for (std::int64_t index = 0; index < kSamples; ++index) {
      const auto bytes = disk.read(index, source, buffer_);
      ASSERT_TRUE(bytes);
      ASSERT_EQ(text_of(*bytes), source.content(index)) << index;
    }
  }

  std::uint64_t bytes_on_disk() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root_ / "cache"))
      bytes += entry.path().extension() == ".room" ? 0 : entry.file_size();
    return bytes;
  }

  std::filesystem::path segment(const std::string& ending) const {
    return root_ / "cache" / ("segment-000000" + ending);
  }

  CountingSource source_{kSamples};
  ReadBuffer buffer_;
};

TEST_F(SampleDiskTest, IsReadAgainByTheNextLoader) {
  {
    const auto disk = open();
    epoch(*disk, source_);
    EXPECT_EQ(source_.reads(), kSamples);
    epoch(*disk, source_);
    EXPECT_EQ(source_.reads(), 0);
  }
  const auto disk = open();
  epoch(*disk, source_);
  EXPECT_EQ(source_.reads(), 0);
  EXPECT_EQ(disk->stats().hits, static_cast<std::uint64_t>(kSamples));
  EXPECT_EQ(disk->stats().stored, 0U);
}

TEST_F(SampleDiskTest, WhatWasWrittenAnewIsReadAnew) {
  epoch(*open(), source_);
  source_.write_again();
  source_.reads();
  epoch(*open(), source_);
  EXPECT_EQ(source_.reads(), kSamples);
}

TEST_F(SampleDiskTest, TwoLoadersUseWhatTheOtherStored) {
  const auto one = open(), reader = open(10);  // that stores nothing itself
  for (int turn = 0; turn < 4; ++turn) epoch(*reader, source_);
  epoch(*one, source_);
  epoch(*reader, source_);
  source_.reads();
  epoch(*reader, source_);
  EXPECT_EQ(source_.reads(), 0) << "the list was read again after some misses";
  EXPECT_EQ(reader->stats().stored, 0U);
}

// Each byte of both files, changed or cut off: a miss, counted, and stored once more.
TEST_F(SampleDiskTest, DamageIsAMiss) {
  epoch(*open(), source_);
  for (const char* ending : {".data", ".index"}) {
    const auto path = segment(ending);
    const auto size = std::filesystem::file_size(path);
    std::filesystem::copy(root_ / "cache", root_ / "kept");
    for (std::uint64_t at = 0; at < size; at += 1 + size / 6) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(at)).put('\x5a');
      file.close();
      epoch(*open(), source_);
      std::filesystem::resize_file(path, at);
      epoch(*open(), source_);
      std::filesystem::remove_all(root_ / "cache");
      std::filesystem::copy(root_ / "kept", root_ / "cache");
    }
    std::filesystem::remove_all(root_ / "kept");
  }
  std::filesystem::resize_file(segment(".data"), 3000);
  source_.reads();
  const auto disk = open();
  epoch(*disk, source_);
  EXPECT_GT(disk->stats().damaged, 10U);
  EXPECT_EQ(disk->stats().damaged, disk->stats().stored);
  EXPECT_EQ(source_.reads(), static_cast<int>(disk->stats().stored));
  epoch(*disk, source_);
  EXPECT_EQ(source_.reads(), 0);
}

// A folder of the user's was named, in which files have the names of segments.
TEST_F(SampleDiskTest, FilesOfOthersStayAsTheyAre) {
  const std::string own = "the user's own";
  for (const char* name : {"segment-000000.data", "segment-000001.index", "segment-000002.room"})
    write(std::string("cache/") + name, own);
  write("elsewhere", own);
  for (const char* name : {"segment-000003.data", "segment-000004.index", "segment-000005.room"})
    std::filesystem::create_symlink(root_ / "elsewhere", root_ / "cache" / name);
  for (int loader = 0; loader < 2; ++loader) {
    const auto disk = open();
    epoch(*disk, source_);
    EXPECT_EQ(source_.reads(), loader == 0 ? kSamples : 0);
  }
  for (const char* name : {"segment-000000.data", "segment-000001.index", "segment-000002.room",
                           "segment-000003.data", "segment-000004.index", "segment-000005.room"})
    EXPECT_EQ(base::read_file(root_ / "cache" / name, 100).value_or(""), own) << name;
  EXPECT_TRUE(std::filesystem::is_symlink(root_ / "cache/segment-000003.data"));
  EXPECT_TRUE(std::filesystem::exists(root_ / "cache/segment-000006.index"));
}

// It had room for a segment, and the last entry is half written. Nobody waits for it.
TEST_F(SampleDiskTest, ALoaderThatWasKilledLosesNothingElse) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto disk = SampleDisk::open(root_ / "cache", kPlenty, kSamples);
    for (std::int64_t index = 0; index < kSamples / 2; ++index)
      (void)(*disk)->read(index, source_, buffer_);
    std::ofstream(segment(".index"), std::ios::binary | std::ios::app) << "half an entry";
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(std::filesystem::exists(segment(".room")));
  const auto disk = open();
  EXPECT_FALSE(std::filesystem::exists(segment(".room"))) << "nobody writes there any more";
  epoch(*disk, source_);
  EXPECT_EQ(source_.reads(), kSamples / 2);
}

// Also where two write at once; what is kept stays.
TEST_F(SampleDiskTest, ABudgetIsNeverExceeded) {
  for (const std::uint64_t budget :
       {std::uint64_t{10}, std::uint64_t{700}, std::uint64_t{40'000}}) {
    const auto disk = open(budget), second = open(budget);
    for (int turn = 0; turn < 3; ++turn) {
      epoch(*disk, source_);
      epoch(*second, CountingSource(kSamples, "/second"));
      EXPECT_LE(bytes_on_disk(), budget);
    }
    EXPECT_EQ(disk->stats().stored > 0, budget > 10) << budget;
    EXPECT_GT(disk->stats().denied, 0U);
  }
  source_.reads();
  epoch(*open(40'000), source_);
  EXPECT_GT(source_.reads(), 0);
  EXPECT_LE(bytes_on_disk(), 40'000U);
}

// Once all samples were asked for, what served none of them makes room; not while others use it.
TEST_F(SampleDiskTest, AnotherSetMakesRoom) {
  const CountingSource other(kSamples, "/other");
  epoch(*open(200'000), other);
  {
    const auto user = open(200'000), disk = open(200'000);
    for (int turn = 0; turn < 6; ++turn) epoch(*disk, source_);
    EXPECT_EQ(disk->stats().removed_segments, 0U);
  }
  const auto disk = open(200'000);
  for (int turn = 0; turn < 6; ++turn) epoch(*disk, source_);
  EXPECT_EQ(disk->stats().removed_segments, 1U);
  source_.reads();
  epoch(*disk, source_);
  EXPECT_EQ(source_.reads(), 0);
  EXPECT_LE(bytes_on_disk(), 200'000U);
}

// As on a full disk: a write fails half-way. In a process of its own, whose limit it is.
TEST_F(SampleDiskTest, AFailedWriteEndsWritingAlone) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto disk = SampleDisk::open(root_ / "cache", 30'000, kSamples);
    const rlimit least{30'000, 30'000};
    ::setrlimit(RLIMIT_FSIZE, &least);
    for (std::int64_t index = 0; index < 5; ++index) (void)(*disk)->read(index, source_, buffer_);
    const rlimit none{3000, 3000};
    ::setrlimit(RLIMIT_FSIZE, &none);
    bool right = (*disk)->stats().stored == 5;
    for (std::int64_t index = 0; index < kSamples; ++index) {
      const auto bytes = (*disk)->read(index, source_, buffer_);
      right = right && bytes && text_of(*bytes) == source_.content(index);
    }
    ::_exit(right && !(*disk)->stats().can_write ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  epoch(*open(), source_);
}

TEST_F(SampleDiskTest, ThreadsAndLoadersAtOnce) {
  const auto one = open(), other = open();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      ReadBuffer buffer;
      for (std::int64_t i = 0; i < 4 * kSamples; ++i) {
        const std::int64_t index = (i * 7 + thread) % kSamples;
        const auto bytes = (thread % 2 == 0 ? one : other)->read(index, source_, buffer);
        if (!bytes || text_of(*bytes) != source_.content(index)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(one->stats().damaged + other->stats().damaged, 0U);
}

TEST_F(SampleDiskTest, AFolderThatCannotBeIsAnErrorThatNamesIt) {
  write("file", "x");
  const auto disk = SampleDisk::open(root_ / "file/cache", kPlenty, kSamples);
  ASSERT_FALSE(disk);
  EXPECT_NE(disk.error().message.find("file"), std::string::npos) << disk.error().message;
}

}  // namespace
}  // namespace flatout::data::cache
