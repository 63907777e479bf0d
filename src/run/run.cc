#include "run/run.h"

#include <array>
#include <string_view>

namespace flatout::run {

std::string_view state_name(RunState state) {
  constexpr std::array<std::string_view, 5> kNames = {"running", "finished", "failed", "killed",
                                                      "lost"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view role_name(ProcRole role) {
  constexpr std::array<std::string_view, 4> kNames = {"main", "worker", "launcher", "other"};
  return kNames[static_cast<std::size_t>(role)];
}

}  // namespace flatout::run
