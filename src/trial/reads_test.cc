#include "trial/reads.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/file.h"
#include "workspace/tree_for_test.h"

namespace flatout::trial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using workspace::read;
using workspace::TemporaryDir;
using workspace::write;

TEST(TrialReads, RegularFilesCountOnceWhateverTheyAreCalled) {
  const TemporaryDir dir;
  write(dir / "a", "12345");
  write(dir / "b", "12");
  write(dir / "empty", "");
  std::filesystem::create_hard_link(dir / "a", dir / "hard");
  std::filesystem::create_symlink(dir / "b", dir / "link");
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  std::string list;
  for (const char* name : {"a", "b", "hard", "link", "pipe", "empty", "none", ""}) {
    list += (dir / name).string() + "\n";
  }
  write(dir / "list", list + "relative\n/dev/null\n/proc/self/status\n\n" + (dir / "a").string());
  const TrialReads reads = take_trial_reads(dir / "list");
  EXPECT_THAT(reads.paths, ElementsAre((dir / "a").string(), (dir / "b").string()));
  EXPECT_EQ(reads.bytes, 7U);
  EXPECT_FALSE(std::filesystem::exists(dir / "list"));
  EXPECT_THAT(take_trial_reads(dir / "list").paths, IsEmpty());
}

// Of the pages of a file, how many lie in memory; nothing where the file system does not tell.
std::optional<std::size_t> pages_in_memory(const std::filesystem::path& path) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto bytes = std::filesystem::file_size(path);
  void* const map = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) return std::nullopt;
  std::vector<unsigned char> pages((bytes + 4095) / 4096);
  const bool told = ::mincore(map, bytes, pages.data()) == 0;
  ::munmap(map, bytes);
  if (!told) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::count_if(pages, [](auto page) { return page & 1; }));
}

TEST(TrialReads, DroppedFilesAreReadFromStorageAgain) {
  const TemporaryDir dir("/var/tmp");  // /tmp may be memory
  const std::string content(1 << 20, 'x');
  write(dir / "file", content);
  {
    const base::UniqueFd file(::open((dir / "file").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::fsync(file.get()), 0);
  }
  ASSERT_EQ(read(dir / "file"), content);
  const auto before = pages_in_memory(dir / "file");
  if (before != 256U) GTEST_SKIP() << "this file system does not report which pages it caches";
  write(dir / "list", (dir / "file").string() + "\n");
  EXPECT_EQ(drop_from_page_cache(take_trial_reads(dir / "list")), 1U);
  EXPECT_EQ(pages_in_memory(dir / "file"), 0U);
  EXPECT_EQ(read(dir / "file"), content);
}

TEST(TrialReads, WhatCannotBeOpenedIsLeftOut) {
  EXPECT_EQ(drop_from_page_cache({.paths = {"/none/at/all"}, .bytes = 1}), 0U);
}

}  // namespace
}  // namespace flatout::trial
