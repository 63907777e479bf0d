// Settings put into a command and its environment. Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apply/search/points.h"
#include "run/plan.h"

namespace flatout::apply {

// `command` with argument `name` ("--lr", or "lr" as Hydra has it) set to `value`.
// `--lr=0.1` and `--lr 0.1` that are there already are replaced, the last of them,
// and keep their form; else `--lr=VALUE` is appended. The word behind `--lr` is its
// value unless it is an option itself; a number below 0 is none.
std::vector<std::string> with_argument(std::vector<std::string> command, const std::string& name,
                                       const std::string& value);

struct SetUp {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  run::Plan plan;
};
// The program as `point` wants it; an empty point is the program as it is.
SetUp set_up(const std::vector<std::string>& command, const SearchPoint& point);

// One line for a shell, with the environment in front: OMP_NUM_THREADS=2 python ...
std::string shell_line(const SetUp& setup);

}  // namespace flatout::apply
