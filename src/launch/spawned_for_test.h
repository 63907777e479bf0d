// A process that a test starts and talks to through pipes, in a process group of
// its own. Every wait has a limit, so that a fault fails and does not hang.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "launch/child.h"

namespace flatout::launch {

struct SpawnOptions {
  std::vector<std::string> env;  // added to the test's own
  std::function<void()> before_exec = [] {};
};

class Spawned {
 public:
  explicit Spawned(const std::vector<std::string>& argv, const SpawnOptions& options = {});
  ~Spawned();  // kills what is left of the group
  Spawned(const Spawned&) = delete;
  Spawned& operator=(const Spawned&) = delete;

  pid_t pid() const { return pid_; }
  void write(const std::string& bytes);
  void close_input() { in_ = base::UniqueFd(); }
  std::string read_line();    // of stdout, without the newline
  std::string read_output();  // of stdout, to its end
  std::string read_error();
  void read_until(const std::string& line);
  Exit wait();
  bool dumped_core() const { return dumped_core_; }

 private:
  pid_t pid_ = 0;
  bool ended_ = false;
  bool dumped_core_ = false;
  base::UniqueFd in_, out_, err_;
};

// Paths of the programs beside the test.
std::string probe();
std::string runner();

// Asks again until it holds; false after ten seconds.
bool eventually(const std::function<bool()>& holds);

}  // namespace flatout::launch
