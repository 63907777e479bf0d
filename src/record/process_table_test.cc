#include "record/process_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace flatout::record {
namespace {

using run::ProcRole;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

run::ProcessSeen seen(pid_t pid, pid_t parent, std::uint64_t start = 1) {
  return {.id = {.pid = pid, .start_ticks = start},
          .parent = parent,
          .first_seen_ns = 5,
          .command = "c" + std::to_string(pid)};
}
RingOwner ring(pid_t pid, pid_t parent, wire::RingRole role = wire::RingRole::kMain,
               int worker_id = -1, int rank = -1) {
  return {.id = {.pid = pid, .start_ticks = 1},
          .parent = parent,
          .role = role,
          .worker_id = worker_id,
          .rank = rank,
          .created_ns = 9};
}

class ProcessTableTest : public ::testing::Test {
 protected:
  // Role by pid of those that changed.
  std::map<pid_t, ProcRole> changed() {
    std::map<pid_t, ProcRole> roles;
    for (const auto& proc : table.take_changed()) roles[proc.pid] = proc.role;
    return roles;
  }
  ProcessTable table{10};
};

TEST_F(ProcessTableTest, TheCommandIsTheMainWhileNobodyTrains) {
  table.apply({.appeared = {seen(10, 1), seen(11, 10)}, .changed = {}, .gone = {}}, 5);
  EXPECT_THAT(changed(), ElementsAre(Pair(10, ProcRole::kMain), Pair(11, ProcRole::kOther)));
  EXPECT_THAT(changed(), IsEmpty());
}

TEST_F(ProcessTableTest, TorchrunWithTwoRanksAndAWorker) {
  table.apply({.appeared = {seen(10, 1), seen(20, 10), seen(30, 20), seen(31, 20), seen(40, 30),
                            seen(50, 20)},
               .changed = {},
               .gone = {}},
              5);
  changed();
  table.ring(ring(20, 10));
  table.ring(ring(30, 20, wire::RingRole::kMain, -1, 0));
  table.ring(ring(31, 20, wire::RingRole::kMain, -1, 1));
  table.ring(ring(40, 30, wire::RingRole::kWorker, 2, 0));
  table.trains(30);
  table.trains(31);
  table.trains(40);  // a worker that steps an optimizer is still a worker
  EXPECT_THAT(changed(), ElementsAre(Pair(10, ProcRole::kLauncher), Pair(20, ProcRole::kLauncher),
                                     Pair(30, ProcRole::kMain), Pair(31, ProcRole::kMain),
                                     Pair(40, ProcRole::kWorker)));
}

TEST_F(ProcessTableTest, ARingAloneMakesAProcess) {
  table.ring(ring(40, 10, wire::RingRole::kWorker, 2));
  const auto procs = table.take_changed();
  ASSERT_EQ(procs.size(), 1U);
  EXPECT_EQ(procs[0].worker_id, 2);
  EXPECT_EQ(procs[0].seen_ns, 9);
  EXPECT_EQ(procs[0].start_ticks, 1U);
  EXPECT_THAT(table.alive(), IsEmpty());  // nobody saw it live
  table.apply({.appeared = {seen(40, 10)}, .changed = {}, .gone = {}}, 5);
  EXPECT_EQ(table.take_changed()[0].command, "c40");
  EXPECT_THAT(table.alive(), ElementsAre(40));
}

TEST_F(ProcessTableTest, EndsOnceAndAReusedPidIsNew) {
  table.apply({.appeared = {seen(10, 1)}, .changed = {}, .gone = {}}, 5);
  changed();
  table.apply({.appeared = {seen(10, 1, 2)}, .changed = {}, .gone = {{10, 1}}}, 6);
  const auto procs = table.take_changed();
  ASSERT_EQ(procs.size(), 1U);
  EXPECT_EQ(procs[0].start_ticks, 2U);
  EXPECT_EQ(procs[0].gone_ns, 0);
  table.ended({10, 1}, 7);  // the old one: not this
  EXPECT_THAT(changed(), IsEmpty());
  table.ended({10, 2}, 8);
  table.ended({10, 2}, 9);
  EXPECT_EQ(table.take_changed()[0].gone_ns, 8);
  EXPECT_THAT(table.alive(), IsEmpty());
}

TEST_F(ProcessTableTest, ParentsInALoopEnd) {
  table.apply({.appeared = {seen(11, 12), seen(12, 11)}, .changed = {}, .gone = {}}, 5);
  table.trains(11);
  EXPECT_EQ(changed().at(11), ProcRole::kMain);
}

TEST_F(ProcessTableTest, ShortLivedChildrenAreForgottenOnceWritten) {
  table.apply({.appeared = {seen(10, 1), seen(11, 10)}, .changed = {}, .gone = {}}, 5);
  std::size_t written = 0;
  for (pid_t pid = 100; pid < 20'100; ++pid) {
    table.apply({.appeared = {seen(pid, 11)}, .changed = {}, .gone = {}}, 5);
    table.apply({.appeared = {}, .changed = {}, .gone = {{pid, 1}}}, 6);
    if (pid % 30 == 0) written += table.take_changed().size();
  }
  written += table.take_changed().size();
  EXPECT_EQ(written, 20'002U);
  EXPECT_LT(table.size(), 1100U);
  EXPECT_THAT(table.alive(), ElementsAre(10, 11));
}

}  // namespace
}  // namespace flatout::record
