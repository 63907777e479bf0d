#include "trial/listeners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "base/file.h"
#include "workspace/tree_for_test.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using workspace::TemporaryDir;
using workspace::write;

// Listens, as this very process, for as long as it lives.
class Listener {
 public:
  explicit Listener(const fs::path& path, bool listens = true)
      : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    fs::create_directories(path.parent_path());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
    if (listens) {
      EXPECT_EQ(::listen(fd_, 1), 0);
    }
  }
  ~Listener() { ::close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  int fd_;
};

const std::vector<pid_t> kUs = {::getpid()};

TEST(TrialListeners, TheSocketAndItsFolderGo) {
  const TemporaryDir top;
  TrialListeners listeners;
  {
    const Listener worker(top / "pymp-abc/listener-1");
    listeners.look(kUs);
  }
  EXPECT_THAT(listeners.remove(), ElementsAre((top / "pymp-abc").string()));
  EXPECT_FALSE(fs::exists(top / "pymp-abc"));
  EXPECT_THAT(listeners.remove(), IsEmpty());
}

TEST(TrialListeners, AFolderWithSomethingElseInItStays) {
  const TemporaryDir top;
  TrialListeners listeners;
  {
    const Listener worker(top / "pymp-abc/listener-1");
    listeners.look(kUs);
  }
  write(top / "pymp-abc/kept", "of the program");
  EXPECT_THAT(listeners.remove(), IsEmpty());
  EXPECT_TRUE(fs::exists(top / "pymp-abc/kept"));
}

TEST(TrialListeners, OtherSocketsAreNobodysBusiness) {
  const TemporaryDir top;
  const Listener other(top / "run/listener-1");
  const Listener named(top / "pymp-abc/service");
  const Listener client(top / "pymp-def/listener-2", /*listens=*/false);
  TrialListeners listeners;
  listeners.look(kUs);
  EXPECT_THAT(listeners.remove(), IsEmpty());
  EXPECT_TRUE(fs::exists(top / "run/listener-1") && fs::exists(top / "pymp-abc/service") &&
              fs::exists(top / "pymp-def/listener-2"));
}

TEST(TrialListeners, WhatTookTheSocketsPlaceStays) {
  const TemporaryDir top;
  TrialListeners listeners;
  {
    const Listener worker(top / "pymp-abc/listener-1");
    listeners.look(kUs);
  }
  fs::remove(top / "pymp-abc/listener-1");
  write(top / "pymp-abc/listener-1", "a file");
  EXPECT_THAT(listeners.remove(), IsEmpty());
  EXPECT_TRUE(fs::exists(top / "pymp-abc/listener-1"));
}

TEST(TrialListeners, NamesWithBlanksAndProcessesThatAreGoneAreMet) {
  const TemporaryDir top;
  TrialListeners listeners;
  {
    const Listener worker(top / "a folder/pymp-a b/listener-1");
    listeners.look(std::vector<pid_t>{::getpid(), 1 << 30});
    listeners.look({});
  }
  EXPECT_THAT(listeners.remove(), ElementsAre((top / "a folder/pymp-a b").string()));
}

// Text that no kernel writes.
TEST(TrialListeners, NonsenseIsNoSocket) {
  const TemporaryDir proc;
  fs::create_directories(proc / "7/net");
  fs::create_directories(proc / "7/fd");
  write(proc / "7/net/unix",
        "Num\n\n0: 1 0 zz 1 1 5 /pymp-a/listener-b\n0: 1 0 10000 1 1\n0: 1 0 10000 1 1 6 "
        "pymp-a/listener-b\n");
  fs::create_symlink("socket:[5]", proc / "7/fd/3");
  fs::create_symlink("socket:[6]", proc / "7/fd/4");
  TrialListeners listeners(proc.path());
  listeners.look(std::vector<pid_t>{7});
  EXPECT_THAT(listeners.remove(), IsEmpty());
}

}  // namespace
}  // namespace flatout::trial
