#include "run/wait_text.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace flatout::run {
namespace {

WaitReport wait_in(std::string at, std::string function, std::string by, std::string op) {
  WaitReport wait;
  wait.at = std::move(at);
  wait.function = std::move(function);
  wait.by = std::move(by);
  wait.op = std::move(op);
  wait.api = "cudaStreamSynchronize";
  return wait;
}

TEST(WaitText, SaysWhatIsKnown) {
  EXPECT_EQ(wait_text(wait_in("/a/train.py:57", "", "", "item")), "item() at /a/train.py:57");
  EXPECT_EQ(wait_text(wait_in("/a/train.py:57", "", "torch.nn.utils.clip_grad:87", "bool")),
            "bool() at /a/train.py:57, called by torch.nn.utils.clip_grad:87");
  EXPECT_EQ(wait_text(wait_in("train.py:40", "step", "", "aten::nonzero")),
            "aten::nonzero in step (train.py:40)");
  EXPECT_EQ(wait_text(wait_in("", "", "", "")), "cudaStreamSynchronize");
  WaitReport ranged = wait_in("", "", "", "");
  ranged.range = "loss";
  EXPECT_EQ(wait_text(ranged), "cudaStreamSynchronize in the range loss");
  EXPECT_EQ(wait_text(WaitReport()), "a call that is not known");
}

TEST(WaitText, TheLargestIsNamedWhereSomethingIsKnownOfIt) {
  std::vector<WaitReport> waits = {wait_in("", "", "", ""), wait_in("a.py:1", "", "", "cpu")};
  EXPECT_EQ(largest_wait({}), nullptr);
  EXPECT_EQ(largest_wait(waits), nullptr);  // it never ended
  waits[0].count = 1;
  EXPECT_EQ(largest_wait(waits), &waits[0]);  // by its call
  waits[0].api = "";
  EXPECT_EQ(largest_wait(waits), nullptr);
  waits[0].rest = true;
  EXPECT_EQ(largest_wait(waits), nullptr);
}

}  // namespace
}  // namespace flatout::run
