// The throwaway working directory as a whole, with real programs in it, in each
// way that this machine allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/process.h"
#include "workspace/workspace_fixture.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_P(WorkspaceTest, TheFolderStaysAsItWas) {
  MAKE_OR_SKIP();
  EXPECT_EQ(run("echo new > new; rm out/log; echo more >> train.sh; mkdir -p a/b; echo c > a/b/c;"
                "rm -r data/deep; chmod 700 out; ln -s x link; mv empty moved; touch -t "
                "202001010000 hard;"
                "mkdir locked; echo z > locked/z; chmod 000 locked; echo said"),
            "said\n");
  EXPECT_EQ(tree(cwd), before);
  EXPECT_EQ(changes(),
            "+a +a/b +a/b/c -data/deep -empty ~hard +link +locked +locked/z +moved +new ~out "
            "-out/log "
            "~train.sh ");
  workspace.reset();
  EXPECT_EQ(tree(cwd), before);
  EXPECT_TRUE(fs::is_empty(scratch));
}

TEST_P(WorkspaceTest, TheProgramSeesTheFolder) {
  MAKE_OR_SKIP();
  EXPECT_EQ(run("./train.sh; cat 'data/a, b:c=d\\e' inner/er/x | wc -c; cat outer; stat -c %a . "
                "train.sh closed"),
            "trained\n100003\nnext door750\n755\n555\n");
  EXPECT_EQ(run("id -u; id -g; pwd -P"), std::to_string(::geteuid()) + "\n" +
                                             std::to_string(::getegid()) + "\n" +
                                             workspace->directory().string() + "\n");
  EXPECT_EQ(run("stat -c %Y train.sh data/deep/er/x ."),
            "1600000000\n1600000000\n" +
                std::to_string(
                    fs::file_time_type::clock::to_sys(fs::last_write_time(cwd)).time_since_epoch() /
                    std::chrono::seconds(1)) +
                "\n");
}

TEST_P(WorkspaceTest, EachTrialStartsFromTheSameState) {
  MAKE_OR_SKIP();
  const std::string look = "find . -printf '%p %m %s %l %T@\\n' | sort";
  const std::string first = run(look);
  EXPECT_EQ(changes(), "");
  run("chmod 000 data; rm -rf out closed/file; echo 1 > closed/new; rm train.sh; mkdir train.sh; "
      "echo x > train.sh/y;"
      "rm -r inner; echo file > inner; truncate -s 5 data/deep/er/x; echo s > \"$SPILL/s\"; exit "
      "0");
  write(workspace->spill() / "tracker", "x");
  ASSERT_TRUE(workspace->reset());
  EXPECT_EQ(run(look), first);
  EXPECT_EQ(changes(), "");
  EXPECT_TRUE(fs::is_empty(workspace->spill()));
  EXPECT_EQ(tree(cwd), before);
}

TEST_P(WorkspaceTest, WhatIsKeptIsWrittenForReal) {
  fs::create_directories(cwd / "home/runs");
  write(cwd / "home/runs/old", "old");
  fs::create_directory_symlink(top / "neighbour", cwd / "elsewhere");
  MAKE_OR_SKIP({.keep = {cwd / "home", cwd / "home/runs", top / "neighbour", "/dev/shm"}});
  EXPECT_EQ(
      run("cat home/runs/old; echo run > home/runs/new; echo x > elsewhere/y; echo lost > lost"),
      "old");
  EXPECT_EQ(read(cwd / "home/runs/new"), "run\n");
  EXPECT_EQ(read(top / "neighbour/y"), "x\n");  // outside the folder: for real, as documented
  EXPECT_FALSE(fs::exists(cwd / "lost"));
  EXPECT_EQ(changes(), "+lost ");
}

// The copy lies over the folder where a mount is possible, and says so where it is not.
TEST_P(WorkspaceTest, AbsolutePathsIntoTheFolderAreCoveredWherePossible) {
  for (const bool bound : {true, false}) {
    MAKE_OR_SKIP({.bound = bound});
    const bool covered = workspace->covers_paths();
    if (GetParam() == WorkspaceKind::kOverlay || bound) {
      EXPECT_EQ(covered, GetParam() == WorkspaceKind::kOverlay || kernel_gives_overlay(top.path()));
    } else {
      EXPECT_FALSE(covered);
      EXPECT_THAT(workspace->notes(), Contains(HasSubstr("do not reach")));
    }
    EXPECT_EQ(workspace->directory() == cwd, covered);
    if (!covered) continue;
    const std::string at = "'" + cwd.string() + "'";
    EXPECT_EQ(run("pwd -P; echo x > " + at + "/absolute-path; echo y >> " + at +
                  "/train.sh; ls absolute-path"),
              cwd.string() + "\nabsolute-path\n");
    EXPECT_EQ(changes(), "+absolute-path ~train.sh ");
    ASSERT_TRUE(workspace->reset());
    EXPECT_EQ(run("ls " + at + "/absolute-path 2>/dev/null || echo gone"), "gone\n");
    workspace.reset();
    EXPECT_EQ(tree(cwd), before);
  }
}

TEST_P(WorkspaceTest, TheListOfChangesIsBounded) {
  MAKE_OR_SKIP();
  run("mkdir many; i=0; while [ $i -lt 50 ]; do : > many/$i; i=$((i+1)); done");
  const auto changed = workspace->changed(3);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->total, 51U);
  EXPECT_THAT(changed->entries, ElementsAre(Change{"many", ChangeKind::kCreated},
                                            Change{"many/0", ChangeKind::kCreated},
                                            Change{"many/1", ChangeKind::kCreated}));
}

TEST_P(WorkspaceTest, FlatoutSeesTheProcessesFromOutside) {
  MAKE_OR_SKIP();
  const launch::ChildSetup enter = workspace->enter();
  launch::Spawned shell({"/bin/sh", "-c", "echo ready; cat; exit 0"},
                        {.env = {"MARK=here"}, .before_exec = [&] {
                           if (enter().what != nullptr) ::_exit(98);
                         }});
  shell.read_until("ready");
  const fs::path proc = "/proc/" + std::to_string(shell.pid());
  EXPECT_EQ(fs::read_symlink(proc / "cwd"), workspace->directory());
  EXPECT_TRUE(base::process_id(shell.pid()));
  EXPECT_THAT(base::read_file(proc / "environ").value_or(""), HasSubstr("MARK=here"));
  EXPECT_THAT(base::read_file(proc / "io").value_or(""), HasSubstr("rchar"));
  EXPECT_THAT(base::read_file(proc / "maps").value_or(""), HasSubstr("sh"));
  const pid_t self[] = {::getpid()};
  EXPECT_THAT(launch::descendants(self[0]), testing::Contains(shell.pid()));
  shell.close_input();
  EXPECT_EQ(shell.wait(), launch::Exit{});
}

TEST_P(WorkspaceTest, DeadOwnersAreCleanedUpAfter) {
  MAKE_OR_SKIP();
  workspace.reset();
  const pid_t owner = ::fork();
  if (owner == 0) {
    auto mine = Workspace::make(cwd, scratch, {.overlay = GetParam() == WorkspaceKind::kOverlay});
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(owner, &status, 0), owner);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(fs::is_empty(scratch));
  const auto again = Workspace::make(cwd, scratch, {});
  ASSERT_TRUE(again);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch), {}), 1);  // only the new one
  EXPECT_EQ(tree(cwd), before);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WorkspaceTest,
                         testing::Values(WorkspaceKind::kOverlay, WorkspaceKind::kCopy),
                         [](const auto& kind) {
                           return kind.param == WorkspaceKind::kOverlay ? "Overlay" : "Copy";
                         });

// What a failing hook costs is one clear line, and nothing runs.
TEST(ChildSetupTest, AFailureIsTheErrorOfTheStart) {
  const std::vector<std::string> command = {"/bin/sh", "-c", "echo must not run"};
  auto relay = launch::SignalRelay::start(command);
  ASSERT_TRUE(relay);
  const auto child = launch::Child::start(command, launch::current_environment(), *relay, {}, [] {
    return launch::SetupFailure{.err = EACCES, .what = "cannot lay an overlay over /x"};
  });
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, base::ErrorCode::kIo);
  EXPECT_EQ(child.error().message,
            "cannot run /bin/sh: cannot lay an overlay over /x: Permission denied");
  relay->finish();
}

TEST(ChildSetupTest, RunsInTheChildBeforeExec) {
  const TemporaryDir dir;
  const std::vector<std::string> command = {"/bin/sh", "-c", "pwd -P > here; exit 3"};
  auto relay = launch::SignalRelay::start(command);
  ASSERT_TRUE(relay);
  auto child = launch::Child::start(
      command, launch::current_environment(), *relay, {}, [&]() -> launch::SetupFailure {
        return ::chdir(dir.path().c_str()) == 0 ? launch::SetupFailure{}
                                                : launch::SetupFailure{.err = errno, .what = "x"};
      });
  ASSERT_TRUE(child);
  EXPECT_TRUE(launch::eventually([&] { return child->poll_exit().has_value(); }));
  EXPECT_EQ(child->poll_exit(), (launch::Exit{.code = 3}));
  EXPECT_EQ(read(dir / "here"), dir.path().string() + "\n");
  EXPECT_NE(fs::current_path(), dir.path());
  relay->finish();
}

TEST(WorkspaceRefusal, NamesBothCausesAndTheNextStep) {
  const TemporaryDir top;
  fs::create_directories(top / "cwd/weights");
  fs::create_directory(top / "scratch");
  write(top / "cwd/weights/big", std::string(5000, 'x'));
  write(top / "cwd/small", "x");
  const auto refused =
      Workspace::make(top / "cwd", top / "scratch", {.copy = {.bytes = 4000}, .overlay = false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, HasSubstr("overlay: not asked for; copy: the folder holds"));
  EXPECT_THAT(refused.error().message, HasSubstr("of which weights"));
  EXPECT_THAT(refused.error().message, HasSubstr("--in-place"));
  EXPECT_TRUE(fs::is_empty(top / "scratch"));
}

TEST(WorkspaceRefusal, PathsThatCannotServe) {
  const TemporaryDir top;
  fs::create_directories(top / "cwd/inside");
  for (const fs::path& root : {top / "cwd", top / "cwd/inside"}) {
    const auto refused = Workspace::make(top / "cwd", root, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::kInvalid);
    EXPECT_THAT(refused.error().message, HasSubstr("TMPDIR"));
  }
  EXPECT_FALSE(Workspace::make(top / "missing", top.path(), {}));
  EXPECT_FALSE(Workspace::make(top / "cwd", top / "missing", {}));
  fs::create_directory(top / "scratch");
  const auto home = Workspace::make(top / "cwd", top / "scratch", {.keep = {top / "cwd"}});
  ASSERT_FALSE(home);
  EXPECT_THAT(home.error().message, HasSubstr("another folder"));
}

TEST(ScratchRoot, TheFirstThatLiesOutside) {
  const TemporaryDir top;
  fs::create_directories(top / "cwd/tmp");
  const auto root = [&](const std::string& temporary) {
    return find_scratch_root(std::vector<std::string>{"TMPDIR=" + temporary}, top / "cwd").value();
  };
  EXPECT_EQ(root(top.path()), fs::canonical(top.path()));
  EXPECT_NE(root((top / "cwd/tmp").string()), fs::canonical(top / "cwd/tmp"));
  EXPECT_NE(root("relative"), "relative");
  EXPECT_FALSE(find_scratch_root(std::vector<std::string>{}, "/"));
}

}  // namespace
}  // namespace flatout::workspace
