#include "workspace/copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "workspace/tree_for_test.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct LinkCase {
  const char* what;
  std::string target, at, expected;
};

TEST(CopiedLink, GoesOnMeaningWhatItMeant) {
  const LinkCase cases[] = {
      {"within the folder", "data/x", "", "data/x"},
      {"up and down within", "../x", "a/b", "../x"},
      {"out of it", "../sets/x", "", "/home/u/p/../sets/x"},
      {"out of it, from below", "../../sets", "a", "/home/u/p/a/../../sets"},
      {"out and back in", "../p/x", "", "/copy/x"},
      {"to the folder itself", "../p", "", "/copy/."},
      {"absolute, elsewhere", "/data/x", "a", "/data/x"},
      {"absolute, into the original", "/home/u/p/out", "a", "/copy/out"},
      {"absolute, the original", "/home/u/p", "a", "/copy/."},
      {"a name that only begins alike", "/home/u/p2/out", "", "/home/u/p2/out"},
      {"dangling", "nowhere", "a", "nowhere"},
  };
  for (const LinkCase& c : cases) {
    EXPECT_EQ(copied_link(c.target, c.at, "/home/u/p", "/copy").string(), c.expected) << c.what;
  }
}

class CopyTest : public testing::Test {
 protected:
  CopyTest() { fs::create_directory(from); }
  base::Result<TreeCopy> make(const CopyLimits& limits = {}) {
    return TreeCopy::make(from, to, {}, limits, clock);
  }
  TemporaryDir top{::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"};
  fs::path from = top / "from";
  fs::path to = top / "to";
  base::FakeClock clock;
};

TEST_F(CopyTest, IsTheSameTreeButForWhatIsDocumented) {
  make_odd_tree(from);
  auto expected = tree(from);
  const auto copy = make();
  ASSERT_TRUE(copy);
  auto actual = tree(to);
  for (const char* name : {"fifo", "empty", "hard", "outer", "absolute"}) {
    expected.erase(name);
    actual.erase(name);
  }
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(copy->left_out(), 1U);  // the FIFO
  EXPECT_EQ(fs::read_symlink(to / "absolute"), to / "out");
  EXPECT_EQ(fs::read_symlink(to / "outer"), from / "../neighbour/file");
}

TEST_F(CopyTest, LimitsAreHeldAndNothingIsLeft) {
  fs::create_directory(from / "big");
  write(from / "big/file", std::string(3000, 'x'));
  write(from / "small", "x");
  const auto too_much = make({.bytes = 3000});
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, base::ErrorCode::kTooLarge);
  EXPECT_THAT(too_much.error().message, HasSubstr("of which big"));
  EXPECT_FALSE(fs::exists(to));
  const auto too_many = make({.entries = 2});
  ASSERT_FALSE(too_many);
  EXPECT_THAT(too_many.error().message, HasSubstr("more than 2 files"));
  EXPECT_FALSE(fs::exists(to));
  EXPECT_TRUE(make({.bytes = 3001, .entries = 3}));
}

// Each look at the clock costs a second.
class SlowClock final : public base::Clock {
 public:
  base::TimeNs monotonic() const override { return now_ += base::kSecond; }
  base::WallNs wall() const override { return now_; }

 private:
  mutable base::TimeNs now_ = 0;
};

TEST_F(CopyTest, TimeIsBounded) {
  for (int i = 0; i < 20; ++i) write(from / std::to_string(i), "x");
  const SlowClock slow;
  const auto copy = TreeCopy::make(from, to, {}, {.time = 30 * base::kSecond}, slow);
  ASSERT_FALSE(copy);  // counting took 20, copying 20 more
  EXPECT_THAT(copy.error().message, HasSubstr("too long"));
  EXPECT_FALSE(fs::exists(to));
}

// Whatever is done to the copy, it is noticed, and restore() brings the first state back.
TEST_F(CopyTest, RestoreUndoesRandomChanges) {
  std::mt19937 random(23);
  std::vector<fs::path> dirs = {""};
  std::vector<fs::path> files;
  for (int i = 0; i < 12; ++i) {
    dirs.push_back(dirs[random() % dirs.size()] / ("d" + std::to_string(i)));
    fs::create_directory(from / dirs.back());
  }
  for (int i = 0; i < 30; ++i) {
    files.push_back(dirs[random() % dirs.size()] / ("f" + std::to_string(i)));
    write(from / files.back(), std::string(random() % 300, 'a'));
  }
  auto copy = make();
  ASSERT_TRUE(copy);
  const auto first = tree(to);
  const auto original = tree(from);
  for (int round = 0; round < 30; ++round) {
    const auto at_start = copy->changed(9);
    EXPECT_EQ(at_start->total, 0U);
    for (int i = 0; i < 6; ++i) {
      const fs::path file = to / files[random() % files.size()];
      const fs::path dir = to / dirs[1 + random() % (dirs.size() - 1)];
      std::error_code err;
      switch (random() % 7) {
        case 0:
          write(file, std::to_string(random()));
          break;
        case 1:
          fs::remove(file, err);
          break;
        case 2:
          (void)fs::remove_all(dir, err);
          break;
        case 3:
          fs::create_directories(dir / "new/newer", err);
          break;
        case 4:
          ::chmod(dir.c_str(), 0500);
          break;
        case 5:
          (void)fs::remove_all(dir, err), write(dir, "now a file");
          break;
        default:
          fs::rename(file, to / "moved", err);
          break;
      }
    }
    const auto changed = copy->changed(1000);
    EXPECT_EQ(changed->total == 0, tree(to) == first);
    ASSERT_TRUE(copy->restore());
    EXPECT_EQ(tree(to), first) << round;
  }
  EXPECT_EQ(tree(from), original);
}

// A file of the kernel's may be endless or make its reader wait for ever.
TEST_F(CopyTest, FileSystemsThatTheKernelMakesUpAreLeftOut) {
  fs::create_directories(from / "proc");
  fs::create_directories(from / "memory");
  if (::mount("proc", (from / "proc").c_str(), "proc", 0, nullptr) != 0) {
    GTEST_SKIP() << "only root can mount";
  }
  ::mount("tmpfs", (from / "memory").c_str(), "tmpfs", 0, "size=0");  // no limit, and no blocks
  write(from / "memory/file", "x");
  const auto copy = make();
  ::umount((from / "memory").c_str());
  ::umount((from / "proc").c_str());
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(copy->left_out(), 1U);
  EXPECT_FALSE(fs::exists(to / "proc"));
  EXPECT_EQ(read(to / "memory/file"), "x");
}

TEST_F(CopyTest, WhatCannotBeReadIsLeftOut) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  write(from / "secret", "x");
  fs::create_directory(from / "vault");
  ::chmod((from / "secret").c_str(), 0);
  ::chmod((from / "vault").c_str(), 0);
  const auto copy = make();
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->left_out(), 2U);
  EXPECT_FALSE(fs::exists(to / "secret"));
}

}  // namespace
}  // namespace flatout::workspace
