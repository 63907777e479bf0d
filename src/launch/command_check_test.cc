#include "launch/command_check.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace flatout::launch {
namespace {

using Argv = std::vector<std::string>;

TEST(CommandCheck, IsOfEachWordAndItsPlace) {
  const std::vector<Argv> commands = {
      {},
      {""},
      {"", ""},
      {"python", "a.py"},
      {"python", "b.py"},
      {"python"},
      {"a", "b"},
      {"b", "a"},
      {"ab"},
      {"a b"},
      {"a", ""},
      {"", "a"},
      {"python", "a.p"},
  };
  std::set<std::string> checks;
  for (const Argv& command : commands) {
    const std::string check = command_check(command);
    EXPECT_EQ(check.size(), 4U) << check;
    EXPECT_EQ(check, command_check(command));
    checks.insert(check);
  }
  EXPECT_EQ(checks.size(), commands.size());
}

TEST(CommandCheck, SpreadsOverAllOfItsBits) {
  std::set<std::string> checks;
  for (int i = 0; i < 2000; ++i) checks.insert(command_check(Argv{"x", std::to_string(i)}));
  EXPECT_GT(checks.size(), 1900U);  // of 2000 random ones 1970 differ
}

}  // namespace
}  // namespace flatout::launch
