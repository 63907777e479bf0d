// `flatout run` reduced to the launch stage: what the tests start where the
// whole process matters. After the program's end it prints the survivors
// to the descriptor of $RUNNER_REPORT, when that is set. Before the program's
// first instruction it writes the pid to the file $RUNNER_BEFORE_EXEC, and with
// $RUNNER_DIES it dies right after that.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.h"
#include "launch/child.h"
#include "launch/ending.h"
#include "launch/loop.h"
#include "launch/nested.h"
#include "launch/plan.h"
#include "launch/standard_fds.h"

namespace launch = flatout::launch;
namespace base = flatout::base;

namespace {

int fail(const base::Error& error) {
  std::fprintf(stderr, "flatout: %s\n", error.message.c_str());
  return launch::start_failure_code(error);
}

void report_survivors(const launch::SignalRelay& relay) {
  const char* const report = std::getenv("RUNNER_REPORT");
  if (report == nullptr) return;
  for (const pid_t pid : launch::survivors(relay)) ::dprintf(std::atoi(report), "%d\n", pid);
}

void before_exec(pid_t program) {
  if (const char* const file = std::getenv("RUNNER_BEFORE_EXEC")) {
    (void)base::write_file_atomic(file, std::to_string(program) + "\n");
  }
  if (std::getenv("RUNNER_DIES") != nullptr) ::raise(SIGKILL);
}

}  // namespace

int main(int argc, char** argv) {
  if (auto done = launch::reserve_standard_fds(); !done) return fail(done.error());
  const std::vector<std::string> command(argv + 1, argv + argc);
  const launch::Environment env = launch::current_environment();
  if (launch::nested_in(env)) return fail(launch::exec_through(command));
  launch::InheritedFds inherited = launch::InheritedFds::list();
  auto relay = launch::SignalRelay::start(command);
  if (!relay) return fail(relay.error());
  auto child = launch::Child::start(command, env, *relay, before_exec);
  if (!child) return fail(child.error());
  inherited.release();
  const base::SystemClock clock;
  const auto exit = launch::watch(*child, *relay, clock, 100 * base::kMillisecond, [](auto) {});
  if (!exit) return fail(exit.error());
  report_survivors(*relay);
  relay->finish();
  launch::end_like(*exit);
}
