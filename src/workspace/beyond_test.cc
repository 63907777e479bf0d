// Folders beyond the working directory: which, and that trials leave them alone.
#include "workspace/beyond.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workspace/workspace_fixture.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class FoldersBeyond : public testing::Test {
 protected:
  FoldersBeyond() {
    for (const char* const dir : {"usr/lib", "tmp/x", "home/me/.cache/hf", "home/me/project/sub",
                                  "home/me/.triton", "scratch/me", "data", "proc"}) {
      fs::create_directories(top / dir);
    }
    write(top / "mountinfo", "");
    roots.root = top.path();
    roots.mountinfo = top / "mountinfo";
  }
  std::vector<std::string> found(const fs::path& cwd, const std::vector<std::string>& command = {},
                                 const std::vector<fs::path>& real = {}) {
    const std::vector<std::string> env = {"HOME=" + (top / "home/me").string()};
    std::vector<std::string> out;
    for (const auto& path : folders_beyond(cwd, env, command, real, roots)) {
      out.push_back(path.lexically_relative(top.path()));
    }
    return out;
  }
  TemporaryDir top;
  BeyondRoots roots;
};

TEST_F(FoldersBeyond, RootTakesAllThatIsNotTheSystems) {
  roots.uid = 0;
  EXPECT_THAT(found(top / "elsewhere"), ElementsAre("data", "home", "scratch"));
  EXPECT_THAT(found(top / "data"), ElementsAre("home", "scratch"));
  // cwd has a layer of its own, on top.
  EXPECT_THAT(found(top / "home/me/project"), ElementsAre("data", "home", "scratch"));
  // What stays real as a whole has none; what holds it has one.
  EXPECT_THAT(found(top / "elsewhere", {}, {top / "data", top / "scratch/me/hf"}),
              ElementsAre("home", "scratch"));
}

TEST_F(FoldersBeyond, AUserTakesTheFirstFoldersOfHisOwn) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders to another user";
  roots.uid = roots.gid = 4711;
  EXPECT_THAT(found(top / "elsewhere"), IsEmpty());
  for (const char* const own : {"home/me", "scratch/me"}) {
    ASSERT_EQ(::chown((top / own).c_str(), 4711, 4711), 0);
  }
  EXPECT_THAT(found(top / "elsewhere"), ElementsAre("home/me", "scratch/me"));
  ASSERT_EQ(::chown((top / "scratch/me").c_str(), 4711, 0),
            0);  // an overlay cannot write that down
  EXPECT_THAT(found(top / "elsewhere"), ElementsAre("home/me"));
}

TEST_F(FoldersBeyond, ArgumentsNameFoldersEvenInTemporaryOnes) {
  roots.root = top / "proc";  // nothing else is found
  const std::string x = (top / "tmp/x").string();
  EXPECT_THAT(found(top / "elsewhere", {"python", "train.py", "--out=" + x, "/usr/lib", "/tmp"}),
              Contains("tmp/x"));
  // One that does not exist yet is made in one that does.
  EXPECT_THAT(found(top / "elsewhere", {x + "/new/", x + "/a.pt"}), Contains("tmp/x"));
  EXPECT_THAT(found(top / "tmp/x", {x}), Not(Contains("tmp/x")));
  EXPECT_THAT(folders_named(std::vector<std::string>{"relative", "--lr=0.1", "/nowhere/at/all"}),
              IsEmpty());
}

TEST_F(FoldersBeyond, CachesAreFoundByVariableAndByCustom) {
  const std::string home = (top / "home/me").string();
  EXPECT_THAT(caches(std::vector<std::string>{"HOME=" + home}),
              ElementsAre(home + "/.cache", home + "/.triton"));
  EXPECT_THAT(
      caches(std::vector<std::string>{"HOME=" + home, "XDG_CACHE_HOME=" + home + "/none",
                                      "HF_HOME=" + (top / "data").string(), "TORCH_HOME=relative"}),
      ElementsAre(top / "data", home + "/.triton"));
}

// With a real overlay and a real shell.
class BeyondTest : public WorkspaceTest {
 protected:
  BeyondTest() {
    home = top / "home, a:b";
    for (const char* const dir : {"checkpoint-500", "cache", "sub"})
      fs::create_directories(home / dir);
    write(home / "checkpoint-500/model", "weights");
    write(home / "log", "1\n");
    write(home / "cache/known", "x");
  }
  WorkspaceOptions options() const { return {.beyond = {home}, .caches = {home / "cache"}}; }
  std::string beyond() {
    const auto changed = workspace->changed_beyond(100);
    if (!changed) return changed.error().message;
    std::string out;
    for (const Change& change : changed->entries) {
      out += "+~-"[static_cast<int>(change.kind)] + change.path.lexically_relative(home).string() +
             " ";
    }
    return out;
  }
  fs::path home;
};
INSTANTIATE_TEST_SUITE_P(Kinds, BeyondTest, testing::Values(WorkspaceKind::kOverlay));

TEST_P(BeyondTest, WhatIsWrittenThereIsThrownAway) {
  const auto home_before = tree(home / "checkpoint-500");
  const std::string log = read(home / "log");
  MAKE_OR_SKIP(options());
  EXPECT_THAT(workspace->covered(), testing::IsSupersetOf({cwd, home}));
  const std::string at = "'" + home.string() + "'";
  EXPECT_EQ(run("rm -r " + at + "/checkpoint-500; mkdir " + at + "/checkpoint-600; echo 2 >> " +
                at + "/log; cat " + at + "/log; echo y > " + at + "/cache/new; mkdir " + at +
                "/__pycache__; mv " + at + "/sub " + at + "/moved; echo z > here; ls " + at),
            "1\n2\n__pycache__\ncache\ncheckpoint-600\nlog\nmoved\n");
  EXPECT_EQ(tree(home / "checkpoint-500"), home_before);
  EXPECT_EQ(read(home / "log"), log);
  EXPECT_EQ(read(home / "cache/new"), "y\n");  // a cache is real
  EXPECT_EQ(beyond(), "-checkpoint-500 +checkpoint-600 ~log +moved -sub ");
  EXPECT_EQ(changes(), "+here ");
  ASSERT_TRUE(workspace->reset());
  EXPECT_EQ(run("cat " + at + "/checkpoint-500/model " + at + "/log"), "weights1\n");
  EXPECT_EQ(beyond(), "");
}

// The usual case: the project lies in the home folder, perhaps below its cache.
TEST_P(BeyondTest, TheWorkingDirectoryMayLieInIt) {
  for (const char* const place : {"sub", "cache"}) {
    cwd = home / place / "project";
    fs::create_directories(cwd);
    write(cwd / "file", "1\n");
    const auto all = tree(home);
    MAKE_OR_SKIP(options());
    EXPECT_EQ(run("echo 2 >> file; cat file; echo x > ../../log; cat ../../log; echo y > new"),
              "1\n2\nx\n");
    EXPECT_EQ(changes(), "~file +new ");
    EXPECT_EQ(beyond(), "~log ");
    EXPECT_EQ(tree(home), all);
    workspace.reset();
  }
}

TEST_P(BeyondTest, WhereNoneCanLieItStaysRealAndIsSaid) {
  WorkspaceOptions wanted = options();
  wanted.beyond.push_back(top.path());  // it holds the scratch folder
  wanted.beyond.erase(wanted.beyond.begin());
  MAKE_OR_SKIP(wanted);
  EXPECT_THAT(workspace->notes(), Contains(HasSubstr("lasts")));
  EXPECT_THAT(workspace->covered(), ElementsAre(cwd));
  run("echo x > '" + home.string() + "/real'");
  EXPECT_EQ(read(home / "real"), "x\n");
  workspace.reset();
  wanted.beyond = {"/proc"};  // of which the kernel allows no overlay
  MAKE_OR_SKIP(wanted);
  EXPECT_THAT(workspace->notes(), Contains(HasSubstr("no overlay can lie over it")));
  EXPECT_EQ(run("echo x > in; cat in"), "x\n");
}

// An overlay over what holds a mount would hide it.
TEST_P(BeyondTest, WhatIsMountedThereIsStillThere) {
  if (::geteuid() != 0 || ::mount("none", (home / "sub").c_str(), "tmpfs", 0, nullptr) != 0) {
    GTEST_SKIP() << "nothing can be mounted here";
  }
  write(home / "sub/mounted", "1");
  EXPECT_TRUE(make(options())) << skip;
  if (workspace) {
    EXPECT_EQ(run("cat '" + home.string() + "/sub/mounted'; echo 2 > '" + home.string() +
                  "/sub/mounted'"),
              "1");
    EXPECT_EQ(read(home / "sub/mounted"), "1");
    EXPECT_EQ(beyond(), "~sub/mounted ");
  }
  workspace.reset();
  ::umount((home / "sub").c_str());
}

}  // namespace
}  // namespace flatout::workspace
