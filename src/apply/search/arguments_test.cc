#include "apply/search/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flatout::apply {
namespace {

using Words = std::vector<std::string>;
using Kind = run::SearchSetting::Kind;

struct Case {
  Words command;
  std::string name;
  Words expected;
};

TEST(Arguments, AreReplacedInTheirFormOrAppended) {
  const Case cases[] = {
      {{"t", "--lr=0.1", "x"}, "--lr", {"t", "--lr=V", "x"}},
      {{"t", "--lr", "0.1", "x"}, "--lr", {"t", "--lr", "V", "x"}},
      {{"t", "--lr", "-0.1"}, "--lr", {"t", "--lr", "V"}},
      {{"t", "--lr", "--other"}, "--lr", {"t", "--lr", "--other", "--lr=V"}},
      {{"t", "--lr"}, "--lr", {"t", "--lr", "--lr=V"}},
      {{"t", "--lr=1", "--lr=2"}, "--lr", {"t", "--lr=1", "--lr=V"}},
      {{"t", "--lrs=1"}, "--lr", {"t", "--lrs=1", "--lr=V"}},
      {{"t"}, "--lr", {"t", "--lr=V"}},
      {{"t", "optimizer.lr=1"}, "optimizer.lr", {"t", "optimizer.lr=V"}},
      {{"t", "lr", "1"}, "lr", {"t", "lr", "1", "lr=V"}},
      {{"--lr=1"}, "--lr", {"--lr=1", "--lr=V"}},  // the program is no argument
  };
  for (const auto& [command, name, expected] : cases) {
    EXPECT_EQ(set_up(command, {{Kind::kArgument, name, "\"V\""}}).command, expected)
        << ::testing::PrintToString(command);
  }
}

TEST(Arguments, APointSetsEachKindInItsPlace) {
  const auto setup =
      set_up({"python", "a b.py", "--lr", "1"}, {{Kind::kArgument, "--lr", "0.5"},
                                                 {Kind::kArgument, "--mode", "\"a \\\"b\\\"\""},
                                                 {Kind::kEnvironment, "OMP_NUM_THREADS", "2"},
                                                 {Kind::kKnob, "dataloader.num_workers", "4"}});
  EXPECT_THAT(setup.command,
              ::testing::ElementsAre("python", "a b.py", "--lr", "0.5", "--mode=a \"b\""));
  EXPECT_THAT(setup.environment, ::testing::ElementsAre(::testing::Pair("OMP_NUM_THREADS", "2")));
  ASSERT_EQ(setup.plan.entries.size(), 1U);
  EXPECT_EQ(setup.plan.entries[0].setting.value, "4");
  EXPECT_EQ(shell_line(setup), "OMP_NUM_THREADS=2 python 'a b.py' --lr 0.5 '--mode=a \"b\"'");
}

TEST(Arguments, AnEmptyPointIsTheProgramAsItIs) {
  const auto setup = set_up({"./train", "it's"}, {});
  EXPECT_THAT(setup.command, ::testing::ElementsAre("./train", "it's"));
  EXPECT_TRUE(setup.environment.empty() && setup.plan.entries.empty());
  EXPECT_EQ(shell_line(setup), "./train 'it'\\''s'");
}

}  // namespace
}  // namespace flatout::apply
