#include "launch/owner_mark.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;

class OwnerMark : public testing::Test {
 protected:
  OwnerMark() {
    char name[] = "/tmp/flatout_owner_XXXXXX";
    top = ::mkdtemp(name);
    dir = top / "flatout-x-one";
    fs::create_directory(dir);
    fs::create_directory(top / "proc");  // in which nobody lives
  }
  ~OwnerMark() override { fs::remove_all(top); }
  std::vector<Abandoned> found(const fs::path& proc) const {
    const std::vector<fs::path> roots = {top};
    return abandoned_folders(roots, "flatout-x-", proc);
  }
  std::string owner() const { return fs::read_symlink(dir / ".owner"); }
  void become(const std::string& text) const {
    fs::remove(dir / ".owner");
    fs::create_symlink(text, dir / ".owner");
  }
  fs::path top, dir;
};

TEST_F(OwnerMark, AFolderOutlivesNeitherItsOwnerNorItsLock) {
  base::UniqueFd lock = mark_owner(dir, "/some:home/here");
  ASSERT_TRUE(lock);
  EXPECT_TRUE(found("/proc").empty()) << "its owner lives";
  EXPECT_TRUE(found(top / "proc").empty()) << "somebody holds the lock";
  lock = base::UniqueFd();
  EXPECT_TRUE(found("/proc").empty());
  const auto dead = found(top / "proc");
  ASSERT_EQ(dead.size(), 1U);
  EXPECT_EQ(dead[0].dir, dir);
  EXPECT_EQ(dead[0].home, "/some:home/here");
  EXPECT_EQ(dead[0].name, "one");
}

TEST_F(OwnerMark, WhatIsNotKnownToBeOursAndDeadIsLeftAlone) {
  EXPECT_TRUE(found(top / "proc").empty()) << "no mark";
  (void)mark_owner(dir);
  ASSERT_EQ(found(top / "proc").size(), 1U);
  const std::string good = owner();
  std::string other_namespace = good;
  other_namespace.replace(good.find("pid:["), 5, "pid:[1");
  for (const std::string& text : {std::string("x"), std::string("1.2"), other_namespace,
                                  "0" + good.substr(good.find('.')), good.substr(good.find('.'))}) {
    become(text);
    EXPECT_TRUE(found(top / "proc").empty()) << text;
  }
  become(good);
  fs::rename(dir, top / "elsewhere");
  fs::create_directory_symlink(top / "elsewhere", dir);
  EXPECT_TRUE(found(top / "proc").empty()) << "a link";
}

TEST_F(OwnerMark, AfterAnotherBootItsOwnerIsDeadWhateverItsNumber) {
  (void)mark_owner(dir);
  std::string text = owner();
  const auto boot = text.find('.', text.find('.') + 1) + 1;
  text.replace(boot, 8, "00000000");
  become(text);
  EXPECT_EQ(found("/proc").size(), 1U);
}

TEST_F(OwnerMark, OneThatNobodyHasMarkedIsFoundLater) {
  const auto unmarked = [&](std::chrono::seconds age) {
    return unmarked_folders(std::vector<fs::path>{top}, "flatout-x-", age);
  };
  EXPECT_EQ(unmarked(std::chrono::seconds(0)), std::vector<fs::path>{dir});
  EXPECT_TRUE(unmarked(std::chrono::hours(1)).empty()) << "its owner may be about to mark it";
  const auto lock = mark_owner(dir);
  EXPECT_TRUE(unmarked(std::chrono::seconds(0)).empty());
  fs::remove(dir / ".owner");
  EXPECT_TRUE(unmarked(std::chrono::seconds(0)).empty()) << "somebody holds the lock";
}

}  // namespace
}  // namespace flatout::launch
