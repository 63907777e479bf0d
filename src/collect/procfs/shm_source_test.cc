#include "collect/procfs/shm_source.h"

#include <gtest/gtest.h>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

TEST(ShmSource, SaysUsedAndSize) {
  std::filesystem::path asked;
  ShmSource source({.root = "/elsewhere"}, [&](const std::filesystem::path& path) {
    asked = path;
    return FileSystemSpace{.size_bytes = 64 << 20, .used_bytes = 3 << 20};
  });
  Samples out;
  EXPECT_TRUE(source.sample(1, out));
  EXPECT_EQ(asked, "/elsewhere/dev/shm");
  EXPECT_EQ(out.value(run::Metric::kHostShmSize), 64 << 20);
  EXPECT_EQ(out.value(run::Metric::kHostShmUsed), 3 << 20);
}

TEST(ShmSource, ADirectoryOnADiskIsAbsent) {
  ShmSource source({}, [](const auto&) { return std::optional<FileSystemSpace>(); });
  Samples out;
  EXPECT_TRUE(source.sample(1, out));
  EXPECT_TRUE(out.all.empty());
}

TEST(TmpfsSpace, WhatIsNoTmpfsIsAbsent) {
  EXPECT_FALSE(tmpfs_space("/proc"));
  EXPECT_FALSE(tmpfs_space("/does/not/exist"));
}

}  // namespace
}  // namespace flatout::collect
