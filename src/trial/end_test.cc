#include "trial/end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <random>

#include "launch/spawned_for_test.h"
#include "workspace/tree_for_test.h"

namespace flatout::trial {
namespace {

using base::kSecond;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using workspace::TemporaryDir;

// A process here ends at once by a signal that it does not ignore.
class FakeProcesses final : public TrialProcesses {
 public:
  struct Process {
    bool ignores_term = false;
    bool hangs_in_kernel = false;
    std::vector<pid_t> forks_at_term = {};
  };
  std::vector<pid_t> living() override {
    std::vector<pid_t> out;
    for (const auto& [pid, _] : alive) out.push_back(pid);
    return out;
  }
  void signal(pid_t pid, int signo) override {
    sent.push_back({pid, signo});
    const auto at = alive.find(pid);
    if (at == alive.end()) {
      ADD_FAILURE() << "a signal to " << pid << ", which is not alive";
      return;
    }
    const Process process = at->second;
    if (signo == SIGTERM) {
      for (const pid_t child : process.forks_at_term) alive[child] = {};
    }
    if (!process.hangs_in_kernel && (signo == SIGKILL || !process.ignores_term)) alive.erase(pid);
  }
  std::map<pid_t, Process> alive;
  std::vector<std::pair<pid_t, int>> sent;
};

TEST(TrialEnd, WhatIsLeftAfterTheMainProcessGetsTerm) {
  FakeProcesses processes;
  processes.alive = {{10, {}}, {11, {}}, {12, {}}};
  TrialEnd end(processes, {});
  EXPECT_FALSE(end.tick(0, {}));
  EXPECT_THAT(processes.sent, IsEmpty());
  processes.alive.erase(10);
  EXPECT_FALSE(end.tick(kSecond, {.main_ended = true}));
  EXPECT_THAT(processes.sent, ElementsAre(std::pair(11, SIGTERM), std::pair(12, SIGTERM)));
  EXPECT_TRUE(end.tick(2 * kSecond, {.main_ended = true}));
  EXPECT_EQ(end.cause(), TrialCause::kMainEnded);
  EXPECT_FALSE(end.killed());
  EXPECT_THAT(end.seen(), ElementsAre(10, 11, 12));
  EXPECT_TRUE(end.tick(99 * kSecond, {.main_ended = true}));
  EXPECT_EQ(processes.sent.size(), 2U);
}

TEST(TrialEnd, KillComesFiveSecondsAfterTerm) {
  FakeProcesses processes;
  processes.alive = {{11, {.ignores_term = true}}, {12, {.forks_at_term = {13}}}};
  TrialEnd end(processes, {});
  const TrialSight sight = {.main_ended = true};
  EXPECT_FALSE(end.tick(kSecond, sight));
  EXPECT_FALSE(end.tick(2 * kSecond, sight));  // 13 was forked meanwhile; 11 is not asked again
  EXPECT_FALSE(end.tick(6 * kSecond - 1, sight));
  EXPECT_THAT(processes.sent,
              ElementsAre(std::pair(11, SIGTERM), std::pair(12, SIGTERM), std::pair(13, SIGTERM)));
  EXPECT_FALSE(end.tick(6 * kSecond, sight));
  EXPECT_EQ(processes.sent.back(), std::pair(11, SIGKILL));
  EXPECT_TRUE(end.tick(6 * kSecond, sight));
  EXPECT_TRUE(end.killed());
  EXPECT_THAT(end.left(), IsEmpty());
}

TEST(TrialEnd, WhatHangsInTheKernelIsLeftAndNamed) {
  FakeProcesses processes;
  processes.alive = {{11, {.hangs_in_kernel = true}}};
  TrialEnd end(processes, {});
  base::TimeNs now = 0;
  while (!end.tick(now, {.main_ended = true})) now += kSecond / 2;
  EXPECT_EQ(now, 10 * kSecond);
  EXPECT_THAT(end.left(), ElementsAre(11));
}

TEST(TrialEnd, ALauncherEndsOnceItsRanksHave) {
  FakeProcesses processes;
  processes.alive = {{10, {}}, {11, {}}, {12, {}}};
  TrialEnd end(processes, {});
  EXPECT_FALSE(end.tick(0, {.asked = {11}, .ranks = 2}));
  processes.alive.erase(11);
  EXPECT_FALSE(end.tick(60 * kSecond, {.asked = {11}, .ranks = 2}));
  EXPECT_FALSE(end.cause());  // the other one has not said yet that it ends
  FakeProcesses both;
  both.alive = {{10, {}}, {12, {}}};
  TrialEnd known(both, {});
  EXPECT_FALSE(known.tick(0, {.asked = {11, 12}, .ranks = 2}));  // 12 writes its ring still
  EXPECT_THAT(both.sent, IsEmpty());
  both.alive.erase(12);
  EXPECT_FALSE(known.tick(kSecond, {.asked = {11, 12}, .ranks = 2}));
  EXPECT_FALSE(known.tick(4 * kSecond - 1, {.asked = {11, 12}, .ranks = 2}));
  EXPECT_THAT(both.sent, IsEmpty());  // it may end by itself
  EXPECT_FALSE(known.tick(4 * kSecond, {.asked = {11, 12}, .ranks = 2}));
  EXPECT_THAT(both.sent, ElementsAre(std::pair(10, SIGTERM)));
  EXPECT_EQ(known.cause(), TrialCause::kRanksEnded);
  EXPECT_FALSE(
      known.tick(4 * kSecond, {.asked = {11, 12}, .ranks = 2}));  // its exit is not read yet
  EXPECT_TRUE(known.tick(4 * kSecond, {.main_ended = true, .asked = {11, 12}, .ranks = 2}));
  EXPECT_EQ(known.cause(), TrialCause::kRanksEnded);
}

TEST(TrialEnd, RanksThatDiffersInPaceAreWaitedFor) {
  FakeProcesses processes;
  processes.alive = {{10, {}}, {12, {}}};
  TrialEnd end(processes, {});
  EXPECT_FALSE(end.tick(0, {.asked = {11}}));
  EXPECT_FALSE(end.tick(4 * kSecond, {.asked = {11}}));
  processes.alive.erase(12);  // asked and ended between two ticks
  EXPECT_FALSE(end.tick(5 * kSecond, {.asked = {11, 12}}));
  EXPECT_FALSE(end.tick(10 * kSecond - 1, {.asked = {11, 12}}));
  EXPECT_THAT(processes.sent, IsEmpty());
  EXPECT_FALSE(end.tick(10 * kSecond, {.asked = {11, 12}}));
  EXPECT_THAT(processes.sent, ElementsAre(std::pair(10, SIGTERM)));
}

TEST(TrialEnd, ATrialThatHangsEndsAtTheDeadline) {
  FakeProcesses processes;
  processes.alive = {{10, {.ignores_term = true}}};
  TrialEnd end(processes, {.deadline_ns = 100 * kSecond});
  EXPECT_FALSE(end.tick(100 * kSecond - 1, {}));
  EXPECT_FALSE(end.cause());
  EXPECT_FALSE(end.tick(100 * kSecond, {}));
  EXPECT_EQ(end.cause(), TrialCause::kTimeout);
  EXPECT_FALSE(end.tick(105 * kSecond, {}));
  EXPECT_TRUE(end.tick(105 * kSecond + 1, {.main_ended = true}));
  EXPECT_TRUE(end.killed());
  EXPECT_EQ(end.cause(), TrialCause::kTimeout);
}

TEST(TrialEnd, CanBeStoppedAtAnyTime) {
  FakeProcesses processes;
  processes.alive = {{10, {}}};
  TrialEnd end(processes, {});
  EXPECT_FALSE(end.tick(0, {}));
  end.stop();
  EXPECT_FALSE(end.tick(1, {}));
  EXPECT_EQ(end.cause(), TrialCause::kStopped);
  EXPECT_TRUE(end.tick(2, {.main_ended = true}));
}

// Whatever the processes do, it is over within grace and kill grace of its begin, nobody gets
// a signal before that, none SIGTERM twice, and none SIGKILL early.
TEST(TrialEnd, HoldsItsPromisesForRandomTrials) {
  std::mt19937 random(41);
  for (int round = 0; round < 500; ++round) {
    FakeProcesses processes;
    for (pid_t pid = 10; pid < 16; ++pid) {
      FakeProcesses::Process process{.ignores_term = random() % 3 == 0,
                                     .hangs_in_kernel = random() % 9 == 0};
      if (random() % 3 == 0) process.forks_at_term.push_back(pid + 10);
      if (random() % 2 == 0) processes.alive[pid] = process;
    }
    const base::TimeNs deadline = static_cast<base::TimeNs>(random() % 20) * kSecond;
    TrialEnd end(processes, {.deadline_ns = deadline});
    base::TimeNs now = 0;
    std::optional<base::TimeNs> begun;
    std::size_t told = 0;
    std::map<pid_t, int> terms;
    for (bool over = false; !over; now += static_cast<base::TimeNs>(random() % kSecond)) {
      over = end.tick(now, {.main_ended = processes.alive.empty()});
      if (end.cause() && !begun) begun = now;
      EXPECT_EQ(begun.has_value(), now >= deadline || processes.alive.empty());
      for (; told < processes.sent.size(); ++told) {
        const auto [pid, signo] = processes.sent[told];
        ASSERT_TRUE(begun);
        if (signo == SIGTERM) {
          EXPECT_EQ(++terms[pid], 1);
        } else {
          EXPECT_GE(now, *begun + 5 * kSecond);
        }
      }
      ASSERT_LT(now, deadline + 12 * kSecond);
      if (!over) continue;
      EXPECT_EQ(end.left(), processes.living());
      for (const pid_t pid : end.left()) EXPECT_TRUE(processes.alive[pid].hangs_in_kernel);
    }
  }
}

// Real processes: the main one ends, one below it ignores SIGTERM, another does not.
TEST(TrialEndProcess, EndsWhatADeadMainProcessLeftBehind) {
  const TemporaryDir dir;
  const std::vector<std::string> command = {
      "/bin/sh", "-c",
      "(trap '' TERM; : > stubborn; while :; do sleep 100; done) & sleep 100 & "
      "while [ ! -e stubborn ]; do :; done; exit 7"};
  auto relay = launch::SignalRelay::start(command);
  ASSERT_TRUE(relay);
  auto child = launch::Child::start(
      command, launch::current_environment(), *relay, {}, [&]() -> launch::SetupFailure {
        return ::chdir(dir.path().c_str()) == 0 ? launch::SetupFailure{}
                                                : launch::SetupFailure{.err = errno, .what = "x"};
      });
  ASSERT_TRUE(child);
  DescendantProcesses processes(*relay);
  TrialEnd end(processes, {});
  ASSERT_TRUE(launch::eventually([&] { return child->poll_exit().has_value(); }));
  EXPECT_EQ(child->poll_exit(), (launch::Exit{.code = 7}));
  EXPECT_EQ(processes.living().size(), 3U);  // the stubborn one, its sleep, the other
  EXPECT_FALSE(end.tick(0, {.main_ended = true}));
  EXPECT_TRUE(launch::eventually([&] {
    (void)child->poll_exit();
    return processes.living().size() <= 2;
  }));
  EXPECT_FALSE(end.tick(4 * kSecond, {.main_ended = true}));
  EXPECT_FALSE(end.killed());
  EXPECT_FALSE(end.tick(5 * kSecond, {.main_ended = true}));
  EXPECT_TRUE(end.killed());
  EXPECT_TRUE(launch::eventually([&] {
    (void)child->poll_exit();
    return end.tick(5 * kSecond, {.main_ended = true});
  }));
  EXPECT_THAT(end.left(), IsEmpty());
  EXPECT_GE(end.seen().size(), 3U);
  relay->finish();
}

}  // namespace
}  // namespace flatout::trial
