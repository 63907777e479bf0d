#include "workspace/scratch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "workspace/mounts.h"
#include "workspace/overlay.h"
#include "workspace/tree_for_test.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;

TEST(Scratch, LivesAsLongAsItsOwner) {
  const TemporaryDir root;
  fs::path dir;
  {
    const auto scratch = Scratch::create(root.path());
    ASSERT_TRUE(scratch);
    dir = scratch->dir();
    EXPECT_TRUE(fs::is_directory(dir));
    EXPECT_EQ(fs::status(dir).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(dir.filename().string().contains("-" + std::to_string(::getpid()) + "-"));
    const auto second = Scratch::create(root.path());
    EXPECT_NE(second->dir(), dir);
    EXPECT_EQ(sweep_scratch(root.path()), 0U);  // both owners live
    make_odd_tree(dir / "tree");
  }
  EXPECT_TRUE(fs::is_empty(root.path()));
  EXPECT_FALSE(Scratch::create(root / "missing"));
}

TEST(Scratch, OnlyDeadOwnersAreSweptAway) {
  const TemporaryDir root;
  const std::string mine = "flatout-" + std::to_string(::getuid()) + "-trial-";
  const base::ProcessId self = base::process_id(::getpid()).value();
  const std::string self_text = std::to_string(self.pid) + "-" + std::to_string(self.start_ticks);
  const std::string reused = std::to_string(self.pid) + "-" + std::to_string(self.start_ticks + 1);
  const std::pair<std::string, bool> cases[] = {
      {mine + "999999999-5-1", true},    // no such process
      {mine + reused + "-1", true},      // its pid is somebody else's now
      {mine + self_text + "-1", false},  // alive
      {mine + "999999999-5", false},     // not named like one
      {mine + "x-5-1", false},
      {mine, false},
      {"flatout-99999-trial-999999999-5-1", false},  // another user's
      {"something else", false}};
  for (const auto& [name, _] : cases) {
    fs::create_directory(root / name);
    write(root / name / "lock", "");
  }
  write(root / (mine + "999999998-5-1"), "a file");
  fs::create_directory_symlink("/tmp", root / (mine + "999999997-5-1"));
  EXPECT_EQ(sweep_scratch(root.path()), 2U);
  for (const auto& [name, swept] : cases) EXPECT_EQ(fs::exists(root / name), !swept) << name;
  EXPECT_TRUE(fs::exists(root / (mine + "999999998-5-1")));
  EXPECT_TRUE(fs::exists("/tmp"));
}

// In another PID namespace the owner's pid means nothing here.
TEST(Scratch, AHeldLockProtectsWhateverThePid) {
  const TemporaryDir root;
  const std::string name = "flatout-" + std::to_string(::getuid()) + "-trial-999999999-5-1";
  fs::create_directory(root / name);
  write(root / name / "lock", "");
  {
    const base::UniqueFd holder(::open((root / name / "lock").c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(holder.get(), LOCK_EX), 0);
    EXPECT_EQ(sweep_scratch(root.path()), 0U);
  }
  EXPECT_EQ(sweep_scratch(root.path()), 1U);
}

TEST(RemoveTree, TakesWhatIsClosedAndLeavesWhatLinksLeadTo) {
  const TemporaryDir root;
  make_odd_tree(root / "outside");
  const auto before = tree(root / "outside");
  make_odd_tree(root / "tree");
  fs::create_directory_symlink(root / "outside", root / "tree/link");
  ::chmod((root / "tree/data/deep").c_str(), 0);
  ::chmod((root / "tree/data").c_str(), 0);
  ::chmod((root / "tree").c_str(), 0);
  EXPECT_TRUE(remove_tree(root / "tree"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(root / "tree")));
  EXPECT_EQ(tree(root / "outside"), before);
  EXPECT_TRUE(remove_tree(root / "tree"));
  fs::create_directory_symlink(root / "outside", root / "link");
  EXPECT_TRUE(remove_tree(root / "link"));
  EXPECT_EQ(tree(root / "outside"), before);
}

TEST(MountsBelow, AreReadFromMountinfo) {
  const TemporaryDir root;
  fs::create_directories(root / "a b/c");
  fs::create_directories(root / "ab");
  const auto line = [&](const std::string& at) {
    return "41 25 8:1 / " + root.path().string() + at + " rw,relatime - ext4 /dev/sda rw\n";
  };
  write(root / "info", line("") + line("/a\\040b/c") + line("/ab") + line("/a\\040b") +
                           line("/gone") + line("/ab") + "short\n\n" + "1 2 3 / / rw - x y z\n");
  const std::vector<fs::path> expected = {root / "a b", root / "a b/c", root / "ab"};
  EXPECT_EQ(mounts_below(root.path(), root / "info"), expected);
  EXPECT_EQ(mounts_below(root / "a b", root / "info"), (std::vector<fs::path>{root / "a b/c"}));
  EXPECT_TRUE(mounts_below(root / "a", root / "info").empty());
  EXPECT_TRUE(mounts_below(root.path(), root / "missing").empty());
}

TEST(UnmappedBelow, FindsWhatAnotherGroupOwns) {
  const TemporaryDir root;
  fs::create_directories(root / "a/b");
  write(root / "a/b/file", "x");
  EXPECT_EQ(unmapped_below(root.path(), 1000), "");
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(::chown((root / "a/b/file").c_str(), 0, 4), 0);
  EXPECT_EQ(unmapped_below(root.path(), 1000), root / "a/b/file");
  EXPECT_EQ(unmapped_below(root.path(), 2), "");
}

TEST(UpperChanges, ReadsWhiteoutsAndMergedFolders) {
  const TemporaryDir root;
  make_odd_tree(root / "lower");
  const fs::path upper = root / "upper";
  fs::create_directories(upper / "data/deep");
  fs::create_directories(upper / "fresh/sub");
  write(upper / "data/deep/new", "x");
  write(upper / "train.sh", "x");
  write(upper / "fresh/sub/file", "x");
  const bool whiteouts = ::mknod((upper / "empty").c_str(), S_IFCHR, 0) == 0 &&
                         ::mknod((upper / "never").c_str(), S_IFCHR, 0) == 0;
  std::vector<Change> out;
  ASSERT_TRUE(upper_changes(upper, root / "lower", "at", out));
  std::vector<Change> expected = {
      {"at/data/deep/new", ChangeKind::kCreated},  {"at/empty", ChangeKind::kDeleted},
      {"at/fresh", ChangeKind::kCreated},          {"at/fresh/sub", ChangeKind::kCreated},
      {"at/fresh/sub/file", ChangeKind::kCreated}, {"at/train.sh", ChangeKind::kModified}};
  if (!whiteouts) expected.erase(expected.begin() + 1);
  EXPECT_EQ(out, expected);
  EXPECT_FALSE(upper_changes(root / "missing", root / "lower", "", out));
}

}  // namespace
}  // namespace flatout::workspace
