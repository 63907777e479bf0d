// The throwaway working directory as a whole, with real programs in it, in each
// way that this machine allows.
#include "launch/workspace.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/process.h"
#include "launch/spawned_for_test.h"
#include "launch/tree_for_test.h"

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WorkspaceTest : public testing::TestWithParam<WorkspaceKind> {
 protected:
  WorkspaceTest() {
    fs::create_directory(cwd);
    fs::create_directory(scratch);
    fs::create_directory(top / "neighbour");
    write(top / "neighbour/file", "next door");
    make_odd_tree(cwd);
    before = tree(cwd);
  }

  // Makes the workspace in the way that is asked for; false, with the reason as a skip,
  // where the kernel refuses it.
  bool make(WorkspaceOptions options = {}) {
    options.overlay = GetParam() == WorkspaceKind::kOverlay;
    auto made = Workspace::make(cwd, scratch, options);
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return false;
    }
    workspace.emplace(std::move(*made));
    if (workspace->kind() != GetParam()) {
      skip = testing::PrintToString(workspace->notes());
      return false;
    }
    return true;
  }

  // A shell in the workspace; what it prints.
  std::string run(const std::string& script, int expected_exit = 0) {
    const ChildSetup enter = workspace->enter();
    Spawned shell({"/bin/sh", "-c", script}, {.env = {}, .before_exec = [&] {
                                                const SetupFailure failure = enter();
                                                if (failure.what != nullptr)
                                                  ::dprintf(1, "%s %d", failure.what, failure.err);
                                                if (failure.what != nullptr) ::_exit(98);
                                              }});
    const std::string output = shell.read_output();
    EXPECT_EQ(shell.wait(), (Exit{.code = expected_exit})) << output << shell.read_error();
    return output;
  }

  std::string changes() {
    const auto changed = workspace->changed(100);
    if (!changed) return changed.error().message;
    std::string out;
    for (const Change& change : changed->entries) {
      out += "+~-"[static_cast<int>(change.kind)] + change.path.string() + " ";
    }
    return out;
  }

  // In memory, where the end of an overlay does not wait for a disk.
  TemporaryDir top{::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"};
  fs::path cwd = top / "project, a:b";
  fs::path scratch = top / "scratch, c:d";
  std::map<std::string, std::string> before;
  std::optional<Workspace> workspace;
  std::string skip;
};

#define MAKE_OR_SKIP(...) \
  if (!make(__VA_ARGS__)) GTEST_SKIP() << "the kernel gives no overlay: " << skip

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
  MAKE_OR_SKIP(
      {.keep = {cwd / "home", cwd / "home/runs", top / "neighbour", "/dev/shm"}, .copy = {}});
  EXPECT_EQ(
      run("cat home/runs/old; echo run > home/runs/new; echo x > elsewhere/y; echo lost > lost"),
      "old");
  EXPECT_EQ(read(cwd / "home/runs/new"), "run\n");
  EXPECT_EQ(read(top / "neighbour/y"), "x\n");  // outside the folder: for real, as documented
  EXPECT_FALSE(fs::exists(cwd / "lost"));
  EXPECT_EQ(changes(), "+lost ");
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
  const ChildSetup enter = workspace->enter();
  Spawned shell({"/bin/sh", "-c", "echo ready; cat; exit 0"},
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
  EXPECT_THAT(descendants(self[0]), testing::Contains(shell.pid()));
  shell.close_input();
  EXPECT_EQ(shell.wait(), Exit{});
}

TEST_P(WorkspaceTest, DeadOwnersAreCleanedUpAfter) {
  MAKE_OR_SKIP();
  workspace.reset();
  const pid_t owner = ::fork();
  if (owner == 0) {
    auto mine = Workspace::make(
        cwd, scratch, {.keep = {}, .copy = {}, .overlay = GetParam() == WorkspaceKind::kOverlay});
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

class OverlayTest : public WorkspaceTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, OverlayTest, testing::Values(WorkspaceKind::kOverlay));

TEST_P(OverlayTest, AbsolutePathsAreCovered) {
  MAKE_OR_SKIP();
  run("echo x > '" + cwd.string() + "/new'; cat '" + cwd.string() + "/new'; echo y > absolute/y");
  EXPECT_EQ(tree(cwd), before);
  EXPECT_EQ(changes(), "+new +out/y ");
  EXPECT_EQ(workspace->environment(std::vector<std::string>{"PWD=/x", "A=b"}),
            (Environment{"PWD=/x", "A=b"}));
}

TEST_P(OverlayTest, WorksOnADisk) {
  MAKE_OR_SKIP();  // or the kernel gives none at all
  const TemporaryDir disk("/tmp");
  fs::create_directories(disk / "cwd/sub");
  fs::create_directories(disk / "scratch");
  write(disk / "cwd/sub/file", "before");
  const auto as_it_was = tree(disk / "cwd");
  auto made = Workspace::make(disk / "cwd", disk / "scratch", {});
  ASSERT_TRUE(made);
  if (made->kind() != WorkspaceKind::kOverlay) {
    GTEST_SKIP() << testing::PrintToString(made->notes());
  }
  workspace.emplace(std::move(*made));
  EXPECT_EQ(run("echo x >> sub/file; echo y > new; cat sub/file"), "beforex\n");
  EXPECT_EQ(changes(), "+new ~sub/file ");
  EXPECT_EQ(tree(disk / "cwd"), as_it_was);
  workspace.reset();
}

// Without any right of root: exit 0, or 77 where the kernel gives no overlay.
int as_nobody(const fs::path& cwd, const fs::path& scratch) {
  constexpr uid_t kNobody = 65534;
  if (::setgroups(0, nullptr) != 0 || ::setresgid(kNobody, kNobody, kNobody) != 0 ||
      ::setresuid(kNobody, kNobody, kNobody) != 0) {
    return 77;
  }
  ::prctl(PR_SET_DUMPABLE, 1);  // as after an exec; else /proc/self belongs to root
  const auto made = Workspace::make(cwd, scratch, {});
  if (!made) return 1;
  if (made->kind() != WorkspaceKind::kOverlay) return 77;
  const pid_t program = ::fork();
  if (program == 0) {
    if (made->enter()().what != nullptr) ::_exit(2);
    ::execl("/bin/sh", "sh", "-c", "echo x >> file; rm sub/other; test $(id -u) = 65534", nullptr);
    ::_exit(3);
  }
  int status = 0;
  ::waitpid(program, &status, 0);
  const auto changed = made->changed(10);
  return status == 0 && changed && changed->total == 2 ? 0 : 4;
}

TEST_P(OverlayTest, AnOrdinaryUserGetsOneToo) {
  if (::geteuid() != 0) GTEST_SKIP() << "this is one: see the other tests";
  fs::create_directories(top / "home/cwd/sub");
  fs::create_directories(top / "home/scratch");
  write(top / "home/cwd/file", "before");
  write(top / "home/cwd/sub/other", "before");
  ::chmod(top.path().c_str(), 0755);
  for (const auto& entry : fs::recursive_directory_iterator(top / "home")) {
    ASSERT_EQ(::chown(entry.path().c_str(), 65534, 65534), 0);
  }
  ASSERT_EQ(::chown((top / "home").c_str(), 65534, 65534), 0);
  const auto as_it_was = tree(top / "home/cwd");
  const pid_t user = ::fork();
  if (user == 0) ::_exit(as_nobody(top / "home/cwd", top / "home/scratch"));
  int status = 0;
  ASSERT_EQ(::waitpid(user, &status, 0), user);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the kernel gives ordinary users no overlay";
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_EQ(tree(top / "home/cwd"), as_it_was);
}

// Only this user and group can be mapped, and an overlay cannot write down others.
TEST_P(OverlayTest, AFolderOfAnotherGroupIsCopied) {
  gid_t groups[64] = {};
  const int count = ::getgroups(64, groups);
  const gid_t* const other =
      std::find_if(groups, groups + std::max(count, 0), [](gid_t g) { return g != ::getegid(); });
  if (::geteuid() == 0 || other == groups + std::max(count, 0)) {
    GTEST_SKIP() << "needs an ordinary user with a second group";
  }
  ASSERT_EQ(::chown((cwd / "out").c_str(), static_cast<uid_t>(-1), *other), 0);
  const auto made = Workspace::make(cwd, scratch, {});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->kind(), WorkspaceKind::kCopy);
  EXPECT_THAT(made->notes(), testing::Contains(HasSubstr("belongs to another user or group")));
}

TEST_P(OverlayTest, TheMountIsTheProgramsAlone) {
  MAKE_OR_SKIP();
  EXPECT_THAT(run("grep -c 'project.*overlay' /proc/self/mountinfo"), "1\n");
  EXPECT_THAT(base::read_file("/proc/self/mountinfo").value(), testing::Not(HasSubstr("project")));
}

TEST_P(OverlayTest, MountsBelowAreCoveredToo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
  fs::create_directory(cwd / "mounted");
  if (::mount("tmpfs", (cwd / "mounted").c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
  }
  write(cwd / "mounted/data", "data");
  const auto with_mount = tree(cwd);
  std::string said;
  std::string listed;
  const bool made = make();
  if (made) {
    said = run("cat mounted/data; echo x > mounted/new; rm mounted/data; ls mounted");
    listed = changes();
  }
  const auto after = tree(cwd);
  workspace.reset();
  ::umount((cwd / "mounted").c_str());
  if (!made) GTEST_SKIP() << skip;
  EXPECT_EQ(said, "datanew\n");
  EXPECT_EQ(listed, "-mounted/data +mounted/new ");
  EXPECT_EQ(after, with_mount);
}

TEST_P(OverlayTest, AMountThatNoOverlayTakesIsReadOnly) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
  fs::create_directory(cwd / "proc");
  if (::mount("proc", (cwd / "proc").c_str(), "proc", 0, nullptr) != 0) {
    GTEST_SKIP() << "cannot mount: " << std::strerror(errno);
  }
  write(cwd / "one file", "x");
  write(top / "bound", "bound");
  ::mount((top / "bound").c_str(), (cwd / "one file").c_str(), nullptr, MS_BIND, nullptr);
  std::string said;
  const bool made = make();
  const auto notes = made ? workspace->notes() : std::vector<std::string>{};
  if (made)
    said =
        run("cat 'one file'; (echo x > 'one file') 2>/dev/null || echo refused; test -d proc/self "
            "&& echo there");
  workspace.reset();
  ::umount((cwd / "one file").c_str());
  ::umount((cwd / "proc").c_str());
  if (!made) GTEST_SKIP() << skip;
  EXPECT_EQ(said, "boundrefused\nthere\n");
  EXPECT_EQ(read(top / "bound"), "bound");
  EXPECT_THAT(notes, testing::Contains(HasSubstr("one file is mounted there")));
}

// What a failing hook costs is one clear line, and nothing runs.
TEST(ChildSetupTest, AFailureIsTheErrorOfTheStart) {
  const std::vector<std::string> command = {"/bin/sh", "-c", "echo must not run"};
  auto relay = SignalRelay::start(command);
  ASSERT_TRUE(relay);
  const auto child = Child::start(command, current_environment(), *relay, {}, [] {
    return SetupFailure{.err = EACCES, .what = "cannot lay an overlay over /x"};
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
  auto relay = SignalRelay::start(command);
  ASSERT_TRUE(relay);
  auto child = Child::start(command, current_environment(), *relay, {}, [&]() -> SetupFailure {
    return ::chdir(dir.path().c_str()) == 0 ? SetupFailure{}
                                            : SetupFailure{.err = errno, .what = "x"};
  });
  ASSERT_TRUE(child);
  EXPECT_TRUE(eventually([&] { return child->poll_exit().has_value(); }));
  EXPECT_EQ(child->poll_exit(), (Exit{.code = 3}));
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
  const auto refused = Workspace::make(top / "cwd", top / "scratch",
                                       {.keep = {}, .copy = {.bytes = 4000}, .overlay = false});
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
  const auto home =
      Workspace::make(top / "cwd", top / "scratch", {.keep = {top / "cwd"}, .copy = {}});
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
}  // namespace flatout::launch
