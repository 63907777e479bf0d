// Real processes: what a program, and whoever waits for flatout, can tell.
#include "base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>

#include "launch/child.h"
#include "launch/spawned_for_test.h"

namespace flatout::launch {
namespace {

TEST(Process, ExitCodesAreReproduced) {
  for (const int code : {0, 1, 42, 125, 255}) {
    Spawned run({runner(), probe(), "exit", std::to_string(code)});
    EXPECT_EQ(run.wait(), (Exit{.code = code}));
    EXPECT_EQ(run.read_error(), "");
  }
}

TEST(Process, DeathBySignalIsReproducedWithoutACore) {
  for (const int signo :
       {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGKILL, SIGSEGV, SIGPIPE, SIGTERM, 40}) {
    Spawned run({runner(), probe(), "die", std::to_string(signo)});
    EXPECT_EQ(run.wait(), (Exit{.signal = signo}));
    EXPECT_FALSE(run.dumped_core());
  }
}

struct Refusal {
  std::string command;
  int code;
  std::string text;
};

TEST(Process, WhatCannotStartGives127Or126AndOneLine) {
  const std::string file = "/tmp/flatout_plain_" + std::to_string(::getpid());
  ASSERT_TRUE(base::write_file_atomic(file, "#!/nonexistent/interpreter\n"));
  const std::string script = file + "_x";
  std::filesystem::copy_file(file, script);
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const Refusal cases[] = {
      {"flatout-no-such-command", 127, "command not found in PATH"},
      {"/nonexistent/program", 127, "does not exist"},
      {script, 127, "the interpreter in its first line"},
      {file, 126, "not executable"},
      {"/tmp", 126, "not executable"},
  };
  for (const Refusal& c : cases) {
    Spawned run({runner(), c.command});
    const std::string line = run.read_error();
    EXPECT_TRUE(line.starts_with("flatout: cannot run " + c.command + ": ")) << line;
    EXPECT_TRUE(line.contains(c.text)) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    EXPECT_EQ(run.wait(), (Exit{.code = c.code}));
  }
  std::filesystem::remove(file);
  std::filesystem::remove(script);
}

// The program reads what was written before it began, also where flatout died
// at that moment.
TEST(Process, ThePidIsWrittenDownBeforeTheFirstInstruction) {
  const std::string file = "/tmp/flatout_before_" + std::to_string(::getpid());
  for (const std::string& extra : {std::string(), std::string("RUNNER_DIES=1")}) {
    SpawnOptions options{.env = {"RUNNER_BEFORE_EXEC=" + file}};
    if (!extra.empty()) options.env.push_back(extra);
    Spawned run({runner(), "/bin/sh", "-c", "cat " + file + "; echo $$"}, options);
    const std::string written = run.read_line();
    EXPECT_EQ(written, run.read_line());
    EXPECT_NE(written, "");
    EXPECT_EQ(run.wait(), (extra.empty() ? Exit{} : Exit{.signal = SIGKILL}));
    std::filesystem::remove(file);
  }
}

TEST(Process, AScriptWithoutAFirstLineRunsAsInAShell) {
  const std::string script = "/tmp/flatout_script_" + std::to_string(::getpid());
  ASSERT_TRUE(base::write_file_atomic(script, "echo said; exit 3\n"));
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  Spawned run({runner(), script});
  EXPECT_EQ(run.read_output(), "said\n");
  EXPECT_EQ(run.wait(), (Exit{.code = 3}));
  std::filesystem::remove(script);
}

TEST(Process, BytesPassUnchanged) {
  std::mt19937 random(11);
  std::string bytes(50'000, '\0');  // below the size of a pipe: written before it is read
  for (char& byte : bytes) byte = static_cast<char>(random());
  Spawned run({runner(), probe(), "copy"});
  run.write(bytes);
  run.close_input();
  EXPECT_EQ(run.read_output(), bytes);
  EXPECT_EQ(run.read_error(), "");
  EXPECT_EQ(run.wait(), Exit{});
}

// The same probe with and without flatout, whatever flatout itself was given.
void expect_same(const std::string& mode, const SpawnOptions& options) {
  Spawned plain({probe(), mode}, options);
  Spawned observed({runner(), probe(), mode}, options);
  const std::string expected = plain.read_output();
  EXPECT_EQ(observed.read_output(), expected);
  EXPECT_EQ(observed.wait(), Exit{});
  EXPECT_EQ(plain.wait(), Exit{});
}

TEST(Process, TheChildHasTheSameDescriptors) {
  expect_same("fds", {});
  expect_same("fds", {.env = {}, .before_exec = [] { ::dup2(1, 17); }});
  expect_same("fds", {.env = {}, .before_exec = [] { ::close(0); }});
  expect_same("fds", {.env = {}, .before_exec = [] { ::close(0), ::close(2); }});
}

TEST(Process, TheChildHasTheSameMaskAndDispositions) {
  expect_same("signals", {});
  expect_same("signals",
              {.env = {}, .before_exec = [] {
                 for (const int signo : {SIGHUP, SIGCHLD, SIGPIPE, SIGTTOU, SIGINT, 50}) {
                   ::signal(signo, SIG_IGN);
                 }
                 sigset_t mask;
                 sigemptyset(&mask);
                 for (const int signo : {SIGUSR1, SIGTERM, SIGCHLD, 41}) sigaddset(&mask, signo);
                 sigprocmask(SIG_SETMASK, &mask, nullptr);
               }});
}

TEST(Process, AnIgnoredSigchldLosesNoExitCode) {  // as some launchers set it
  Spawned run({runner(), probe(), "exit", "42"},
              {.env = {}, .before_exec = [] { ::signal(SIGCHLD, SIG_IGN); }});
  EXPECT_EQ(run.wait(), (Exit{.code = 42}));
}

TEST(Process, AReaderSeesTheEndWhenTheProgramClosesItsOutput) {
  Spawned run({runner(), probe(), "close"});
  EXPECT_EQ(run.read_output(), "");  // the program lives: its stdin is open
  run.close_input();
  EXPECT_EQ(run.wait(), Exit{});
}

TEST(Process, ADaemonIsListedAndNotWaitedFor) {
  Spawned run({runner(), probe(), "daemon"}, {.env = {"RUNNER_REPORT=2"}});
  EXPECT_EQ(run.wait(), (Exit{.code = 7}));
  const std::string daemon = run.read_line();
  EXPECT_EQ(run.read_error(), daemon + "\n");
  const auto id = base::process_id(std::stoi(daemon));
  ASSERT_TRUE(id);
  EXPECT_TRUE(base::process_alive(*id));
  run.close_input();
  EXPECT_TRUE(eventually([&] { return !base::process_alive(*id); }));
}

TEST(Process, AStoppedProgramIsSurvived) {
  Spawned run({runner(), probe(), "stop"});
  const std::string pid = run.read_line();
  ASSERT_TRUE(eventually(
      [&] { return base::read_file("/proc/" + pid + "/stat").value_or("").contains(") T "); }));
  ::kill(std::stoi(pid), SIGCONT);
  EXPECT_EQ(run.wait(), Exit{});
}

TEST(Process, ANestedFlatoutBecomesTheCommand) {
  const base::ProcessId self = base::process_id(::getpid()).value();
  Spawned run({runner(), "sh", "-c", "echo $$"},
              {.env = {"FLATOUT_RUN=k7f2", "FLATOUT_RECORDER=" + std::to_string(self.pid) + ":" +
                                               std::to_string(self.start_ticks)}});
  EXPECT_EQ(run.read_line(), std::to_string(run.pid()));
  EXPECT_EQ(run.wait(), Exit{});
}

TEST(Descendants, AreReadFromAnyProcTree) {
  char name[] = "/tmp/flatout_tree_XXXXXX";
  const std::filesystem::path proc = ::mkdtemp(name);
  const std::pair<int, std::string> entries[] = {
      {10, "10 (a) S 1 0"},     {11, "11 (b (c) d) R 10 0"},
      {12, "12 (x) Z 11 0"},    {13, "13 (y) S 12 0"},
      {14, "14 (z) S 1 0"},     {15, "garbage"},
      {16, "16 (q) S"},         {17, ""},
      {20, "20 (loop) S 21 0"}, {21, "21 (loop) S 20 0"}};
  for (const auto& [pid, stat] : entries) {
    std::filesystem::create_directory(proc / std::to_string(pid));
    ASSERT_TRUE(base::write_file_atomic(proc / std::to_string(pid) / "stat", stat));
  }
  EXPECT_EQ(descendants(10, proc), (std::vector<pid_t>{11, 13}));
  EXPECT_EQ(descendants(20, proc), (std::vector<pid_t>{20, 21}));  // no end would be worse
  EXPECT_TRUE(descendants(99, proc / "missing").empty());
  std::filesystem::remove_all(proc);
}

}  // namespace
}  // namespace flatout::launch
