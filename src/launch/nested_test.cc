#include "launch/nested.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/process.h"

namespace flatout::launch {
namespace {

std::string recorder(const base::ProcessId& id) {
  return "FLATOUT_RECORDER=" + std::to_string(id.pid) + ":" + std::to_string(id.start_ticks);
}

TEST(Nested, OnlyInsideARunWhoseRecorderLives) {
  const base::ProcessId alive = base::process_id(::getppid()).value();
  base::ProcessId reused = alive;
  ++reused.start_ticks;
  using Env = std::vector<std::string>;
  EXPECT_EQ(nested_in(Env{"FLATOUT_RUN=k7f2", recorder(alive)}), "k7f2");
  const Env others[] = {
      {},
      {"FLATOUT_RUN=k7f2"},
      {recorder(alive)},
      {"FLATOUT_RUN=", recorder(alive)},
      {"FLATOUT_RUN=k7f2", recorder(reused)},
      {"FLATOUT_RUN=k7f2", "FLATOUT_RECORDER="},
      {"FLATOUT_RUN=k7f2", "FLATOUT_RECORDER=abc"},
      {"FLATOUT_RUN=k7f2", "FLATOUT_RECORDER=1"},
      {"FLATOUT_RUN=k7f2", "FLATOUT_RECORDER=1:2x"},
      {"FLATOUT_RUN=k7f2", "FLATOUT_RECORDER=-1:2"},
      {"FLATOUT_RUN=k7f2", "FLATOUT_RECORDER=99999999999999999999:2"},
  };
  for (const Env& env : others) EXPECT_FALSE(nested_in(env));
}

TEST(StartFailure, CodesAreThoseOfAShell) {
  const std::vector<std::string> missing = {"flatout-no-such-command"};
  const base::Error not_found = exec_through(missing);
  EXPECT_EQ(start_failure_code(not_found), 127);
  EXPECT_NE(not_found.message.find("flatout-no-such-command: command not found"),
            std::string::npos);
  const std::vector<std::string> folder = {"/tmp"};
  EXPECT_EQ(start_failure_code(exec_through(folder)), 126);
}

}  // namespace
}  // namespace flatout::launch
