// Signals to real processes. The counting program says what it got; after the
// signal under test a SIGRTMAX to flatout alone is a marker: it is read and decided
// last, so once the marker is through, nothing of the first can follow.
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "base/process.h"
#include "launch/child.h"
#include "launch/spawned_for_test.h"

namespace flatout::launch {
namespace {

struct Ready {
  pid_t pid = 0;
  pid_t group = 0;
};

Ready parse_ready(const std::string& line) {
  Ready out;
  std::string word;
  std::istringstream(line) >> word >> out.pid >> out.group;
  EXPECT_EQ(word, "ready") << line;
  return out;
}

// flatout's question, SIGRTMAX, is pending: bit 64 of 16 hexadecimal digits.
bool is_asked(pid_t canary) {
  const auto status = base::read_file("/proc/" + std::to_string(canary) + "/status").value_or("");
  const auto at = status.find("ShdPnd:\t");
  return at != std::string::npos && status[at + 8] >= '8';
}

class Signals : public testing::Test {
 protected:
  Signals() : run({runner(), probe(), "count"}), program(parse_ready(run.read_line())) {}

  // All that the program got but the marker and SIGCONT.
  std::string counts(pid_t flatout) {
    ::kill(flatout, SIGRTMAX);
    run.read_until("got 64");
    ::kill(program.pid, SIGUSR2);
    std::istringstream text(run.read_output());
    std::string out;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with("got ") || line == "count 64 1" || line.starts_with("count 18 "))
        continue;
      out += line + "\n";
    }
    return out;
  }

  pid_t canary() {
    for (const pid_t pid : descendants(run.pid())) {
      if (pid != program.pid) return pid;
    }
    ADD_FAILURE() << "no canary";
    return 0;
  }

  Spawned run;
  Ready program;
};

TEST_F(Signals, TheProgramIsInFlatoutsGroup) { EXPECT_EQ(program.group, run.pid()); }

TEST_F(Signals, ToFlatoutAloneIsForwardedOnce) {
  ::kill(run.pid(), SIGTERM);
  run.read_until("got 15");
  EXPECT_EQ(counts(run.pid()), "count 15 1\n");
}

TEST_F(Signals, EveryRelayedSignalIsForwardedOnce) {
  std::string expected;
  for (int signo = 1; signo < SIGRTMAX; ++signo) {
    if (!is_relayed(signo) || signo == SIGUSR2) continue;
    ::kill(run.pid(), signo);
    expected += "count " + std::to_string(signo) + " 1\n";
  }
  run.read_until(
      "got 63");  // the last; the question for the counts has a lower number and would overtake
  EXPECT_EQ(counts(run.pid()), expected);
}

TEST_F(Signals, ToTheGroupReachesTheProgramOnce) {
  for (const int signo : {SIGTERM, SIGINT, SIGHUP, 63}) ::kill(-program.group, signo);
  EXPECT_EQ(counts(run.pid()), "count 1 1\ncount 2 1\ncount 15 1\ncount 63 1\n");
}

TEST_F(Signals, RepeatedSignalsKeepTheirNumber) {
  for (int i = 0; i < 5; ++i) {
    ::kill(run.pid(), SIGTERM);
    run.read_until("got 15");
    ::kill(-program.group, SIGHUP);
    run.read_until("got 1");
  }
  EXPECT_EQ(counts(run.pid()), "count 1 5\ncount 15 5\n");
}

TEST_F(Signals, AQueuedValueArrives) {
  sigval value{};
  value.sival_int = 4711;
  ::sigqueue(run.pid(), SIGRTMIN + 3, value);
  EXPECT_EQ(counts(run.pid()), "count " + std::to_string(SIGRTMIN + 3) + " 1\nvalue 4711\n");
}

TEST_F(Signals, ASlowCanaryMakesNoDoubleDelivery) {
  const pid_t id = canary();
  ::kill(id, SIGSTOP);
  ::kill(-program.group, SIGTERM);
  run.read_until("got 15");
  ::kill(run.pid(), SIGHUP);
  EXPECT_TRUE(eventually([&] { return is_asked(id); }));
  ::kill(id, SIGCONT);
  run.read_until("got 1");
  EXPECT_EQ(counts(run.pid()), "count 1 1\ncount 15 1\n");
}

TEST_F(Signals, WithoutItsCanaryFlatoutStillForwards) {
  const base::ProcessId id = base::process_id(canary()).value();
  ::kill(id.pid, SIGKILL);
  EXPECT_TRUE(eventually([&] { return !base::process_alive(id); }));
  ::kill(run.pid(), SIGTERM);
  run.read_until("got 15");
  EXPECT_EQ(counts(run.pid()), "count 15 1\n");
}

TEST_F(Signals, TheCanaryHoldsNothingAndLooksLikeTheProgram) {
  const std::filesystem::path proc = "/proc/" + std::to_string(canary());
  // It may not have come that far when the program is ready already.
  EXPECT_TRUE(eventually([&] { return std::filesystem::read_symlink(proc / "cwd") == "/"; }));
  std::vector<std::string> fds;
  for (const auto& fd : std::filesystem::directory_iterator(proc / "fd")) {
    fds.push_back(fd.path().filename());
  }
  EXPECT_EQ(fds, std::vector<std::string>{"0"});
  EXPECT_EQ(base::read_file(proc / "comm").value(), "signal-canary\n");
  const std::string line = base::read_file(proc / "cmdline").value();
  EXPECT_TRUE(line.starts_with("signal-canary: ")) << line;
  EXPECT_TRUE(line.contains(probe().substr(0, 20))) << line;
  EXPECT_FALSE(line.contains("=")) << "the environment shows: " << line;
}

TEST_F(Signals, KillingFlatoutEndsTheCanaryAndNotTheProgram) {
  const base::ProcessId id = base::process_id(canary()).value();
  ::kill(run.pid(), SIGKILL);
  EXPECT_EQ(run.wait(), (Exit{.signal = SIGKILL}));
  EXPECT_TRUE(eventually([&] { return !base::process_alive(id); }));
  EXPECT_TRUE(base::process_alive(base::process_id(program.pid).value()));
  ::kill(program.pid, SIGUSR2);
  EXPECT_EQ(run.read_output(), "");
}

TEST(SignalsByTimeout, DirectAndGroupKillCountAsOne) {
  Spawned run({"timeout", "100", runner(), probe(), "count"});
  const Ready program = parse_ready(run.read_line());
  ::kill(run.pid(), SIGTERM);  // timeout(1) then does what it does when time is up
  run.read_until("got 15");
  const auto stat = base::read_file("/proc/" + std::to_string(program.pid) + "/stat").value();
  pid_t flatout = 0;
  std::istringstream(stat.substr(stat.rfind(')') + 3)) >> flatout;
  ::kill(flatout, SIGRTMAX);
  run.read_until("got 64");
  ::kill(program.pid, SIGUSR2);
  EXPECT_TRUE(run.read_output().contains("count 15 1\n"));
}

TEST(SignalsByTerminal, CtrlCReachesTheProgramOnce) {
  int terminal = -1;
  const std::string flatout = runner();
  const std::string program = probe();
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    ::execl(flatout.c_str(), flatout.c_str(), program.c_str(), "count", nullptr);
    ::_exit(99);
  }
  const base::UniqueFd owner(terminal);
  std::string text;
  const auto read_until = [&](const std::string& what) {
    char part[256];
    while (!text.contains(what)) {
      const ssize_t n = ::read(terminal, part, sizeof part);
      if (n <= 0) break;
      text.append(part, static_cast<std::size_t>(n));
    }
    EXPECT_TRUE(text.contains(what)) << text;
  };
  read_until("\n");
  const Ready ready = parse_ready(text.substr(text.find("ready")));
  ASSERT_EQ(::write(terminal, "\x03", 1), 1);
  read_until("got 2\r\n");
  ::kill(pid, SIGRTMAX);
  read_until("got 64\r\n");
  ::kill(ready.pid, SIGUSR2);
  read_until("count 64 1");
  EXPECT_TRUE(text.contains("count 2 1\r\n")) << text;
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace flatout::launch
