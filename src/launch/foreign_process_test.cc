#include "launch/foreign_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace flatout::launch {
namespace {

// A child that waits for a line, then ends as it is told to.
struct Foreign {
  Foreign(int code, int signal) {
    if (::pipe(ends) != 0) return;
    pid = ::fork();
    if (pid != 0) return;
    char byte = 0;
    (void)!::read(ends[0], &byte, 1);
    if (signal != 0) ::raise(signal);
    ::_exit(code);
  }
  ~Foreign() {
    ::close(ends[0]);
    ::close(ends[1]);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;
  void end(const ForeignProcess& seen) const {
    (void)!::write(ends[1], "x", 1);
    pollfd one{.fd = seen.fd(), .events = POLLIN, .revents = 0};
    ::poll(&one, 1, 10'000);
  }

  int ends[2] = {-1, -1};
  pid_t pid = -1;
};

TEST(ForeignProcess, SaysHowItEnded) {
  const Foreign child(3, 0);
  auto seen = ForeignProcess::open(child.pid);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(seen->ended());
  EXPECT_FALSE(seen->exit());
  child.end(*seen);
  EXPECT_TRUE(seen->ended());
  EXPECT_EQ(seen->exit(), (Exit{.code = 3, .signal = 0}));
}

TEST(ForeignProcess, SaysWhichSignalEndedIt) {
  const Foreign child(0, SIGKILL);
  auto seen = ForeignProcess::open(child.pid);
  ASSERT_TRUE(seen);
  child.end(*seen);
  ASSERT_TRUE(seen->exit());
  EXPECT_EQ(seen->exit()->signal, SIGKILL);
}

TEST(ForeignProcess, OneThatIsGoneIsNotThere) {
  pid_t pid = 0;
  {
    const Foreign child(0, 0);
    pid = child.pid;
  }
  EXPECT_EQ(ForeignProcess::open(pid).error().code, base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace flatout::launch
