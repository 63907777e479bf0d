#include "launch/forwarding.h"

#include <gtest/gtest.h>

#include <csignal>

namespace flatout::launch {
namespace {

constexpr base::TimeNs kStart = base::kSecond;
constexpr base::DurationNs kMs = base::kMillisecond;

SignalReport from(int sender, int signo = SIGTERM, int code = SI_USER) {
  return {.value = 0, .signo = signo, .code = code, .sender = sender};
}

class ForwardingTest : public testing::Test {
 protected:
  bool sender_runs = false;
  Forwarding forwarding{[this](pid_t) { return sender_runs; }};
  std::vector<SignalReport> forwarded;
  base::TimeNs now = kStart;

  Forwarding::Decision step(base::DurationNs by) {
    now += by;
    auto decision = forwarding.decide(now);
    forwarded.insert(forwarded.end(), decision.forward.begin(), decision.forward.end());
    return decision;
  }
  // Until nothing waits, with a canary that answers 1 ms after being asked.
  void settle() {
    while (const auto due = forwarding.deadline()) {
      if (const auto ping = step(std::max<base::DurationNs>(0, *due - now)).ping) {
        now += kMs;
        forwarding.canary_answered(*ping, now);
      }
    }
  }
};

TEST_F(ForwardingTest, AloneIsForwardedOnceAfterTheGrace) {
  forwarding.received(from(9), now);
  EXPECT_FALSE(step(kGrace - 1).ping);
  EXPECT_TRUE(forwarded.empty());
  settle();
  EXPECT_EQ(forwarded, std::vector{from(9)});
}

TEST_F(ForwardingTest, WhatTheCanarySawIsNotForwarded) {
  for (const base::DurationNs when : {-10 * kMs, base::DurationNs{0}, 10 * kMs}) {
    now += base::kSecond;
    step(0);
    step(0);
    if (when <= 0) forwarding.canary_saw(from(9), now + when);
    forwarding.received(from(9), now);
    step(10 * kMs);
    if (when > 0) forwarding.canary_saw(from(9), now);
    settle();
    EXPECT_TRUE(forwarded.empty()) << when;
  }
}

TEST_F(ForwardingTest, DirectThenGroupFromOneSenderCountsAsOne) {  // timeout(1)
  forwarding.received(from(9), now);
  step(2 * kMs);
  forwarding.received(from(9), now);
  forwarding.canary_saw(from(9), now);
  settle();
  EXPECT_TRUE(forwarded.empty());
}

TEST_F(ForwardingTest, ASenderThatLostItsCoreIsWaitedForWithinALimit) {
  sender_runs = true;
  forwarding.received(from(9), now);
  EXPECT_FALSE(step(kGrace).ping);
  forwarding.canary_saw(from(9), now);  // at last it sends to the others, too
  settle();
  EXPECT_TRUE(forwarded.empty());
  now += base::kSecond;
  step(0);
  step(0);
  forwarding.received(from(8), now);
  const base::TimeNs got = now;
  settle();
  EXPECT_EQ(forwarded, std::vector{from(8)});
  EXPECT_LE(now - got, kSenderLimit + kGrace + kMs);
}

TEST_F(ForwardingTest, OtherSendersAndOtherSignalsAreNotCovered) {
  forwarding.received(from(9), now);
  forwarding.received(from(8), now);
  forwarding.received(from(9, SIGUSR1), now);
  forwarding.canary_saw(from(9), now);
  settle();
  EXPECT_EQ(forwarded, (std::vector{from(8), from(9, SIGUSR1)}));
}

TEST_F(ForwardingTest, TheReportOfASlowCanaryStillCounts) {
  forwarding.received(from(9), now);
  const auto ping = step(kGrace).ping;
  ASSERT_TRUE(ping);
  step(300 * kMs);
  EXPECT_TRUE(forwarded.empty());
  forwarding.canary_saw(from(9), now);
  forwarding.canary_answered(*ping, now);
  settle();
  EXPECT_TRUE(forwarded.empty());
}

TEST_F(ForwardingTest, AStoppedCanaryIsNotWaitedForWithoutEnd) {
  forwarding.received(from(9), now);
  step(kGrace);
  step(kAnswerLimit);
  EXPECT_EQ(forwarded.size(), 1U);
}

TEST_F(ForwardingTest, AnAnswerToAnEarlierQuestionDoesNotSettleALaterOne) {
  forwarding.received(from(9), now);
  const auto first = step(kGrace).ping;
  forwarding.received(from(8), now);
  const auto second = step(kGrace).ping;
  ASSERT_TRUE(first && second);
  forwarding.canary_answered(*first, now);
  step(0);
  EXPECT_EQ(forwarded, std::vector{from(9)});
}

TEST_F(ForwardingTest, ALongTickBetweenTwoReadsDoesNotPartThem) {
  forwarding.canary_saw(from(9), now);
  step(0);
  now += 500 * kMs;
  forwarding.received(from(9), now);
  settle();
  EXPECT_TRUE(forwarded.empty());
}

TEST_F(ForwardingTest, AnOldReportCoversNothing) {
  forwarding.canary_saw(from(9), now);
  step(0);
  step(kGrace + kMs);
  step(kMs);
  forwarding.received(from(9), now);
  settle();
  EXPECT_EQ(forwarded.size(), 1U);
}

TEST_F(ForwardingTest, WithoutACanaryAllIsForwardedAtOnce) {
  forwarding.received(from(9), now);
  forwarding.canary_lost(now);
  forwarding.received(from(8), now);
  EXPECT_FALSE(step(0).ping);
  EXPECT_EQ(forwarded.size(), 2U);
}

TEST_F(ForwardingTest, TheTerminalsSignalsAreNotForwardedButAnAlarmIs) {
  for (const int signo : {SIGINT, SIGQUIT, SIGHUP, SIGWINCH, SIGXCPU}) {
    forwarding.received(from(0, signo, SI_KERNEL), now);
  }
  forwarding.received(from(0, SIGALRM, SI_KERNEL), now);
  settle();
  EXPECT_EQ(forwarded, std::vector{from(0, SIGALRM, SI_KERNEL)});
}

TEST_F(ForwardingTest, TheHangUpOfATerminalReachesTheLeaderOfItsSessionAlone) {
  forwarding = Forwarding([](pid_t) { return false; }, {.pid = 7, .leads_session = true});
  forwarding.received(from(0, SIGHUP, SI_KERNEL), now);
  forwarding.received(from(0, SIGINT, SI_KERNEL), now);
  step(0);
  EXPECT_EQ(forwarded, (std::vector{from(0, SIGHUP, SI_KERNEL), from(0, SIGCONT, SI_KERNEL)}));
}

TEST_F(ForwardingTest, WhatFlatoutItselfRaisedIsNotForwarded) {
  forwarding = Forwarding([](pid_t) { return false; }, {.pid = 7});
  forwarding.received(from(7, SIGXFSZ), now);
  forwarding.received_early(from(7, SIGXFSZ), now);
  settle();
  EXPECT_TRUE(forwarded.empty());
  forwarding.received(from(9, SIGXFSZ), now);
  settle();
  EXPECT_EQ(forwarded, std::vector{from(9, SIGXFSZ)});
}

TEST_F(ForwardingTest, WhatCameBeforeTheProgramIsForwardedWhateverTheCanarySaw) {
  forwarding.canary_saw(from(9), now);
  forwarding.received_early(from(9), now);
  forwarding.received_early(from(0, SIGINT, SI_KERNEL), now);
  step(0);
  EXPECT_EQ(forwarded.size(), 2U);
  EXPECT_FALSE(forwarding.deadline());
}

}  // namespace
}  // namespace flatout::launch
