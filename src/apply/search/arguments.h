// Settings put into a command and its environment. Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apply/search/points.h"
#include "run/plan.h"

namespace flatout::apply {

struct SetUp {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  run::Plan plan;
};
// The program as `point` wants it; an empty point is the program as it is. An argument
// ("--lr", or "lr" as Hydra has it) is set as set_argument (user_knob.h) sets "--lr={}".
SetUp set_up(const std::vector<std::string>& command, const SearchPoint& point);

// One line for a shell, with the environment in front: OMP_NUM_THREADS=2 python ... As
// base::shell_word() has its words.
std::string shell_line(const SetUp& setup);

}  // namespace flatout::apply
