#include "analyse/kernels/idle_pieces.h"

#include <gtest/gtest.h>

#include <array>

#include "analyse/kernels/kernel_trace_fixture.h"

namespace flatout::analyse {
namespace {

KernelTrace late_twice() {
  return KernelTrace()
      .launch(0, 10, 20)
      .phase(run::Phase::kDataWait, 15, 80)
      .launch(100, 110, 120)
      .launch(150, 160, 170);
}

TEST(IdlePieces, AreInOrderWithinWhatIsKnownAndSumToTheAccount) {
  const auto found = idle_pieces(late_twice().timeline());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pid, 1);
  ASSERT_EQ(found[0].known.size(), 1U);
  EXPECT_EQ(found[0].known[0].begin_ns, 10'000);
  EXPECT_EQ(found[0].known[0].end_ns, 170'000);
  std::map<std::string, int> sums;
  std::int64_t before_ns = 0;
  for (const IdlePiece& piece : found[0].pieces) {
    EXPECT_GE(piece.begin_ns, before_ns);
    before_ns = piece.end_ns;
    sums[std::string(run::idle_cause_name(piece.cause))] +=
        static_cast<int>((piece.end_ns - piece.begin_ns) / 1000);
  }
  // A trace without steps knows no step thread, and so no phases.
  std::map<std::string, int> all;
  for (const auto& [cause, us] : late_twice().causes()) all["all"] += us;
  int sum = 0;
  for (const auto& [cause, us] : sums) sum += us;
  EXPECT_EQ(sum, all["all"]);
}

TEST(IdlePieces, BeyondTheMostADeviceIsKnownNoLonger) {
  const auto found = idle_pieces(late_twice().timeline(), 1);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].pieces.size(), 1U);
  EXPECT_EQ(found[0].known.back().end_ns, found[0].pieces[0].end_ns);
}

TEST(IdlePieces, NothingIsKnownWithoutATraceOrWithoutTheHost) {
  EXPECT_TRUE(idle_pieces(run::Timeline()).empty());
  EXPECT_TRUE(idle_pieces(KernelTrace().kernel(0, 10).kernel(20, 30).timeline()).empty());
}

}  // namespace
}  // namespace flatout::analyse
