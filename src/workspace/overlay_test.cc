// What only an overlay can do, and where the kernel gives none.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/file.h"
#include "workspace/workspace_fixture.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OverlayTest : public WorkspaceTest {};
INSTANTIATE_TEST_SUITE_P(Kinds, OverlayTest, testing::Values(WorkspaceKind::kOverlay));

TEST_P(OverlayTest, AbsolutePathsAreCovered) {
  MAKE_OR_SKIP();
  run("echo x > '" + cwd.string() + "/new'; cat '" + cwd.string() + "/new'; echo y > absolute/y");
  EXPECT_EQ(tree(cwd), before);
  EXPECT_EQ(changes(), "+new +out/y ");
  EXPECT_EQ(workspace->environment(std::vector<std::string>{"PWD=/x", "A=b"}),
            (launch::Environment{"PWD=/x", "A=b"}));
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
    EXPECT_FALSE(kernel_gives_overlay(disk.path()));
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
  // Of the second one a file belongs to a group that cannot be written down.
  const fs::path beyond = cwd.parent_path() / "beyond";
  const auto made = Workspace::make(cwd, scratch, {.beyond = {beyond, beyond.string() + "-mixed"}});
  if (!made) return 1;
  if (made->kind() != WorkspaceKind::kOverlay) return kernel_gives_overlay(scratch) ? 5 : 77;
  const bool noted = made->notes().size() == 1 && made->notes()[0].contains("beyond-mixed lasts");
  const pid_t program = ::fork();
  if (program == 0) {
    if (made->enter()().what != nullptr) ::_exit(2);
    ::execl("/bin/sh", "sh", "-c",
            "echo x >> file; rm sub/other; echo y >> ../beyond/file; test $(id -u) = 65534",
            nullptr);
    ::_exit(3);
  }
  int status = 0;
  ::waitpid(program, &status, 0);
  const auto changed = made->changed(10);
  const auto elsewhere = made->changed_beyond(10);
  const bool found = changed && changed->total == 2 && elsewhere && elsewhere->total == 1;
  return status != 0 ? 4 : !found ? 6 : noted ? 0 : 7;
}

TEST_P(OverlayTest, AnOrdinaryUserGetsOneToo) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root: the other tests cover ordinary users";
  fs::create_directories(top / "home/cwd/sub");
  fs::create_directories(top / "home/scratch");
  fs::create_directories(top / "home/beyond-mixed");
  fs::create_directories(top / "home/beyond");
  for (const char* const file : {"cwd/file", "cwd/sub/other", "beyond/file", "beyond-mixed/file"}) {
    write(top.path() / "home" / file, "before");
  }
  ::chmod(top.path().c_str(), 0755);
  for (const auto& entry : fs::recursive_directory_iterator(top / "home")) {
    ASSERT_EQ(::chown(entry.path().c_str(), 65534, 65534), 0);
  }
  ASSERT_EQ(::chown((top / "home").c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chown((top / "home/beyond-mixed/file").c_str(), 65534, 4711), 0);
  ::chmod((top / "home/beyond-mixed/file").c_str(), 0666);
  const auto as_it_was = tree(top / "home/cwd");
  const auto beyond_before = tree(top / "home/beyond");
  const pid_t user = ::fork();
  if (user == 0) ::_exit(as_nobody(top / "home/cwd", top / "home/scratch"));
  int status = 0;
  ASSERT_EQ(::waitpid(user, &status, 0), user);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "the kernel gives ordinary users no overlay";
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_EQ(tree(top / "home/cwd"), as_it_was);
  EXPECT_EQ(tree(top / "home/beyond"), beyond_before);
}

// As in a container whose runtime filters the call: exit 0 for a copy with the reason.
int without_namespaces(const fs::path& cwd, const fs::path& scratch) {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{.len = 4, .filter = code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    return 77;
  }
  const auto made = Workspace::make(cwd, scratch, {});
  if (!made || made->kind() != WorkspaceKind::kCopy) return 1;
  return made->notes().front().contains("cannot make a user namespace: Operation not") ? 0 : 2;
}

TEST_P(OverlayTest, WhereNamespacesAreRefusedItIsACopy) {
  const pid_t user = ::fork();
  if (user == 0) ::_exit(without_namespaces(cwd, scratch));
  int status = 0;
  ASSERT_EQ(::waitpid(user, &status, 0), user);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "system calls cannot be filtered here";
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_EQ(tree(cwd), before);
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
  // Shared, as systemd makes all mounts: what a namespace adds then shows in the others.
  const char* const shared = top.path().c_str();
  const bool root = ::geteuid() == 0 && ::mount(shared, shared, nullptr, MS_BIND, nullptr) == 0;
  if (root) ::mount(nullptr, shared, nullptr, MS_SHARED, nullptr);
  const bool made = make();
  const std::string inside = made ? run("grep -c 'project.*overlay' /proc/self/mountinfo") : "";
  const std::string outside = base::read_file("/proc/self/mountinfo").value_or("");
  workspace.reset();
  if (root) ::umount2(shared, MNT_DETACH);
  if (!made) GTEST_SKIP() << skip;
  EXPECT_EQ(inside, "1\n");
  EXPECT_THAT(outside, testing::Not(HasSubstr(top.path().filename().string() + "/")));
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

}  // namespace
}  // namespace flatout::workspace
