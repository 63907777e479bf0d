#include "data/source/unpacked_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>

#include <csignal>
#include <random>
#include <utility>

#include "base/file.h"
#include "data/source/compressed_file.h"
#include "data/source/compressed_for_test.h"
#include "data/source/folder_fixture.h"
#include "data/source/tar_for_test.h"
#include "data/source/tar_shards.h"

namespace flatout::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;

std::string noise(std::size_t bytes) {
  std::minstd_rand random(7);
  std::string out(bytes, '\0');
  for (char& one : out) one = static_cast<char>(random() >> 8U);
  return out;
}

class UnpackedFilesTest : public FolderTest {
 protected:
  std::string path(const std::string& below) const { return (root_ / below).string(); }
  UnpackOptions options(std::uint64_t mib = 100) const { return {path("unpacked"), mib * kMib, 2}; }

  // What the file's copy holds, or "!" and the error.
  std::string unpacked(const std::string& name, std::uint64_t mib = 100) const {
    const auto paths = unpacked_files({path(name)}, options(mib));
    if (!paths) return "!" + paths.error().message;
    return base::read_file((*paths)[0], std::size_t{1} << 30).value();
  }

  // Entries of the folder but its lock.
  std::size_t copies() const {
    std::size_t count = 0;
    for (const auto& one : fs::directory_iterator(path("unpacked")))
      count += one.path().filename() == "lock" ? 0 : 1;
    return count;
  }
};

TEST_F(UnpackedFilesTest, SamplesAreThoseOfThePlainTar) {
  const std::string tar = tar_member("0.jpg", noise(70'000)) + tar_member("0.cls", "7") +
                          tar_member("1.jpg", "one") + tar_member("1.cls", "8") + tar_end();
  write("plain.tar", tar);
  write("a.tar.gz", gzipped(tar));
  write("b.tgz", zstd_of(tar));  // its first bytes count, not its name
  const auto plain = TarShards::open({path("plain.tar")});
  const auto all = TarShards::open({path("a.tar.gz"), path("plain.tar"), path("b.tgz")}, options());
  ASSERT_TRUE(plain && all) << all.error().message;
  ASSERT_EQ((*all)->size(), 6);
  ReadBuffer one;
  ReadBuffer other;
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(text_of((*all)->read(i, one).value()), text_of((*plain)->read(i % 2, other).value()));
    EXPECT_EQ((*all)->label(i), (*plain)->label(i % 2));
  }
  EXPECT_TRUE((*all)->name(0).ends_with("a.tar.gz: 0.jpg"));
  EXPECT_EQ(copies(), 2U);
}

TEST_F(UnpackedFilesTest, PartsBehindEachOtherAndZerosAtTheEnd) {
  const std::string a = noise(200'000);
  const std::string b = noise(3);
  for (const auto& pack : {gzipped, zstd_of}) {
    write("whole", pack(a) + pack("") + pack(b));
    EXPECT_EQ(unpacked("whole"), a + b);
    write("filled", pack(b) + std::string(100'000, '\0'));
    EXPECT_EQ(unpacked("filled"), b);
    write("more", pack(b) + "more");
    EXPECT_TRUE(unpacked("more").contains("something else")) << unpacked("more");
  }
  // A part that readers of Zstandard pass over, first.
  write("skipped", std::string("\x53\x2a\x4d\x18\x02\0\0\0ab", 10) + zstd_of(a));
  EXPECT_EQ(unpacked("skipped"), a);
}

TEST_F(UnpackedFilesTest, DamageIsNamedAndLeavesNothing) {
  const std::string plain = noise(300'000);
  for (const auto& pack : {gzipped, zstd_of}) {
    const std::string whole = pack(plain);
    for (const std::size_t cut : {whole.size() - 1, whole.size() / 2, std::size_t{7}}) {
      write("cut", whole.substr(0, cut));
      EXPECT_TRUE(unpacked("cut").starts_with("!" + path("cut") + ": at byte")) << unpacked("cut");
      EXPECT_TRUE(unpacked("cut").contains("cut off"));
    }
    std::string wrong = whole;
    wrong[wrong.size() / 2] ^= 16;
    write("wrong", wrong);
    EXPECT_TRUE(unpacked("wrong").starts_with("!" + path("wrong") + ": at byte"));
  }
  EXPECT_EQ(copies(), 0U);
}

TEST_F(UnpackedFilesTest, WhatCannotBeUnpackedSaysWhatToDo) {
  write("a.tar.gz", gzipped("x"));
  const auto refused = TarShards::open({path("a.tar.gz")});
  EXPECT_TRUE(refused.error().message.contains("\"unpack\""));
  write("a.xz",
        "\xfd"
        "7zXZ....");
  write("a.bz2", "BZh9....");
  EXPECT_TRUE(unpacked("a.xz").contains("xz; unpack it"));
  EXPECT_TRUE(unpacked("a.bz2").contains("bzip2; unpack it"));
  EXPECT_TRUE(unpacked("none").contains("No such file"));
  write("window", std::string("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00", 9));  // of 2 GiB
  EXPECT_TRUE(unpacked("window").contains("memory")) << unpacked("window");
}

TEST_F(UnpackedFilesTest, ACopyIsMadeOnceAndAgainForAnotherFile) {
  write("a", gzipped("first"));
  const auto first = unpacked_files({path("a")}, options());
  ASSERT_TRUE(first);
  std::ofstream((*first)[0]) << "kept!";
  EXPECT_EQ(unpacked("a"), "kept!") << "it was unpacked again";
  fs::last_write_time(path("a"), fs::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(unpacked("a"), "first") << "the file has another time";
  EXPECT_EQ(copies(), 1U) << "the outdated copy stayed";
  write("b", gzipped("other"));
  EXPECT_EQ(unpacked("b"), "other");
  EXPECT_EQ(copies(), 2U);
}

TEST_F(UnpackedFilesTest, TheBudgetHoldsForAllFilesTogether) {
  write("a", gzipped(noise(kMib)));
  write("b", zstd_of(noise(2 * kMib)));
  EXPECT_EQ(unpacked("a", 2).size(), kMib);
  const std::string said = unpacked("b", 2);
  EXPECT_TRUE(said.contains("more than the 1 MiB that are left of the 2 MiB")) << said;
  EXPECT_EQ(copies(), 1U);
  // Left by a writer that was killed: it counts no longer, and is gone.
  write("unpacked/1-2.part", noise(kMib));
  EXPECT_EQ(unpacked("b", 3).size(), 2 * kMib);
  EXPECT_EQ(copies(), 2U);
}

TEST_F(UnpackedFilesTest, ABombEndsAtTheBudgetOrTheRatio) {
  std::string bomb;
  const std::string zeros = gzipped(std::string(10 * kMib, '\0'));
  for (int i = 0; i < 10; ++i) bomb += zeros;  // 100 MiB of 100 KiB
  write("bomb", bomb);
  EXPECT_TRUE(unpacked("bomb", 20).contains("that are left of the 20 MiB"));
  EXPECT_TRUE(unpacked("bomb", 1000).contains("200 times as large"));
  EXPECT_EQ(copies(), 0U);
}

TEST_F(UnpackedFilesTest, AFullDiskIsAnErrorAndLeavesNothing) {
  write("a", gzipped(noise(3 * kMib)));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const was = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit less{kMib, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &less), 0);
  const std::string said = unpacked("a");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, was);
  EXPECT_TRUE(said.starts_with("!")) << said.size();
  EXPECT_EQ(copies(), 0U);
  EXPECT_EQ(unpacked("a").size(), 3 * kMib) << "with room again";
}

TEST_F(UnpackedFilesTest, ManyAtOnceMakeOneCopyOfEach) {
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    const std::string name = std::to_string(i);
    write(name, gzipped(noise(kMib) + name));
    paths.push_back(path(name));
    paths.push_back(path(name));
  }
  auto many = options();
  many.threads = 8;
  const auto all = unpacked_files(paths, many);
  ASSERT_TRUE(all) << all.error().message;
  for (std::size_t i = 0; i < paths.size(); ++i)
    EXPECT_TRUE(base::read_file((*all)[i])->ends_with(std::to_string(i / 2)));
  EXPECT_EQ(copies(), 4U);
}

}  // namespace
}  // namespace flatout::data
