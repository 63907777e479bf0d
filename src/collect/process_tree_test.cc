#include "collect/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr pid_t kRecorder = 10;
constexpr base::TimeNs kFirstLook = 100 * base::kSecond;

std::vector<pid_t> pids(const std::vector<run::ProcessSeen>& seen) {
  std::vector<pid_t> out;
  out.reserve(seen.size());
  for (const auto& one : seen) out.push_back(one.id.pid);
  return out;
}
std::vector<pid_t> pids(const std::vector<base::ProcessId>& ids) {
  std::vector<pid_t> out;
  out.reserve(ids.size());
  for (const auto& one : ids) out.push_back(one.pid);
  return out;
}

class ProcessTreeTest : public ::testing::Test {
 protected:
  void SetUp() override { process({.pid = kRecorder, .command = "flatout"}, {"flatout", "run"}); }

  void process(const StatLine& stat, const std::vector<std::string>& argv,
               const std::string& children = "") {
    const std::string dir = "/proc/" + std::to_string(stat.pid);
    host.write(dir + "/stat", stat.text());
    std::string line;
    for (const auto& argument : argv) line += argument + '\0';
    host.write(dir + "/cmdline", line);
    if (children_files) set_children(stat.pid, stat.pid, children);
  }
  void set_children(pid_t pid, pid_t tid, const std::string& text) {
    host.write("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/children", text);
  }
  ProcessTree tree(MaskArgv mask = {}) {
    return {host.paths(),
            {.recorder = kRecorder, .exclude = {19}, .mask = std::move(mask), .cpu = [&] {
               return cpu_ns += cost_ns;
             }}};
  }

  FakeHost host;
  bool children_files = true;
  std::int64_t cpu_ns = 0;
  std::int64_t cost_ns = 1000;
};

TEST_F(ProcessTreeTest, FindsAllDescendantsOnceAndLeavesOutTheExcluded) {
  set_children(kRecorder, kRecorder, "11 19 ");
  process({.pid = 11, .command = "sh", .parent = 10}, {"sh", "-c", "python train.py"}, "12 ");
  process({.pid = 12, .parent = 11}, {"python", "train.py"}, "13 14 ");
  process({.pid = 13, .parent = 12, .start = 7}, {"python", "train.py"});
  process({.pid = 14, .parent = 12}, {});
  process({.pid = 19, .parent = 10}, {"canary"}, "20 ");
  process({.pid = 20, .parent = 19}, {"canary's"});
  auto seen = tree();
  const auto changes = seen.update(kFirstLook, false);
  EXPECT_THAT(pids(changes.appeared), UnorderedElementsAre(11, 12, 13, 14));
  EXPECT_THAT(changes.gone, IsEmpty());
  const auto& worker = seen.processes().at(13).seen;
  EXPECT_EQ(worker.id, (base::ProcessId{.pid = 13, .start_ticks = 7}));
  EXPECT_EQ(worker.parent, 12);
  EXPECT_EQ(worker.first_seen_ns, kFirstLook);
  EXPECT_EQ(worker.command, "python train.py");
  EXPECT_EQ(seen.processes().at(14).seen.command, "[python3]");
  const auto again = seen.update(kFirstLook + base::kSecond, false);
  EXPECT_TRUE(again.appeared.empty() && again.gone.empty() && again.changed.empty());
}

TEST_F(ProcessTreeTest, AReparentedDaemonStaysAndKeepsItsFirstParent) {
  set_children(kRecorder, kRecorder, "11 ");
  process({.pid = 11, .parent = 10}, {"sh"}, "12 ");
  process({.pid = 12, .parent = 11}, {"daemon"});
  auto seen = tree();
  seen.update(kFirstLook, false);
  host.remove("/proc/11");
  process({.pid = 12, .parent = 10}, {"daemon"});
  set_children(kRecorder, kRecorder, "12 ");
  const auto changes = seen.update(kFirstLook + 1, false);
  EXPECT_THAT(pids(changes.gone), ElementsAre(11));
  EXPECT_THAT(changes.appeared, IsEmpty());
  EXPECT_EQ(seen.processes().at(12).seen.parent, 11);
}

TEST_F(ProcessTreeTest, AReusedPidIsAnotherProcess) {
  set_children(kRecorder, kRecorder, "11 ");
  process({.pid = 11, .parent = 10, .start = 100}, {"one"});
  auto seen = tree();
  seen.update(kFirstLook, false);
  process({.pid = 11, .parent = 10, .start = 900}, {"two"});
  const auto changes = seen.update(kFirstLook + 1, false);
  EXPECT_THAT(changes.gone, ElementsAre(base::ProcessId{.pid = 11, .start_ticks = 100}));
  ASSERT_THAT(pids(changes.appeared), ElementsAre(11));
  EXPECT_EQ(changes.appeared[0].id.start_ticks, 900U);
  EXPECT_EQ(changes.appeared[0].command, "two");
}

TEST_F(ProcessTreeTest, AZombieIsGoneUnlessOtherThreadsRun) {
  set_children(kRecorder, kRecorder, "11 12 ");
  process({.pid = 11, .parent = 10}, {"a"});
  process({.pid = 12, .parent = 10, .threads = 3}, {"b"});
  auto seen = tree();
  seen.update(kFirstLook, false);
  process({.pid = 11, .state = 'Z', .parent = 10}, {});
  process({.pid = 12, .state = 'Z', .parent = 10, .threads = 2}, {"b"});
  EXPECT_THAT(pids(seen.update(kFirstLook + 1, false).gone), ElementsAre(11));
  EXPECT_THAT(seen.update(kFirstLook + 2, false).appeared, IsEmpty());
}

TEST_F(ProcessTreeTest, AnExecIsAChange) {
  set_children(kRecorder, kRecorder, "11 ");
  process({.pid = 11, .command = "flatout", .parent = 10}, {"flatout", "run"});
  auto seen = tree();
  seen.update(kFirstLook, false);
  process({.pid = 11, .command = "python3", .parent = 10}, {"python", "train.py"});
  const auto changes = seen.update(kFirstLook + 100 * base::kSecond, false);
  ASSERT_THAT(pids(changes.changed), ElementsAre(11));
  EXPECT_EQ(changes.changed[0].command, "python train.py");
}

TEST_F(ProcessTreeTest, ChildrenOfOtherThreadsAreFoundWithinASecondAndTheirsAtOnce) {
  set_children(kRecorder, kRecorder, "11 ");
  process({.pid = 11, .parent = 10}, {"a"});
  auto seen = tree();
  seen.update(kFirstLook, false);
  set_children(11, 1111, "12 ");
  process({.pid = 12, .parent = 11}, {"b"});
  EXPECT_THAT(seen.update(kFirstLook + base::kSecond / 2, false).appeared, IsEmpty());
  EXPECT_THAT(pids(seen.update(kFirstLook + base::kSecond, false).appeared), ElementsAre(12));
  set_children(12, 12, "13 ");
  process({.pid = 13, .parent = 12}, {"c"});
  EXPECT_THAT(pids(seen.update(kFirstLook + base::kSecond + 1, false).appeared), ElementsAre(13));
}

TEST_F(ProcessTreeTest, WithoutChildrenFilesItScansOnceASecond) {
  children_files = false;
  host.remove("/proc/10/task");
  process({.pid = 1, .parent = 0}, {"init"});
  process({.pid = 11, .parent = 10}, {"a"});
  process({.pid = 13, .parent = 12}, {"c"});
  process({.pid = 12, .parent = 11}, {"b"});
  process({.pid = 19, .parent = 10}, {"canary"});
  process({.pid = 20, .parent = 19}, {"canary's"});
  process({.pid = 30, .parent = 1}, {"stranger"});
  process({.pid = 40, .parent = 41}, {"a loop of parents"});
  process({.pid = 41, .parent = 40}, {"must end"});
  auto seen = tree();
  EXPECT_THAT(pids(seen.update(kFirstLook, false).appeared), UnorderedElementsAre(11, 12, 13));
  process({.pid = 14, .parent = 13}, {"d"});
  EXPECT_THAT(seen.update(kFirstLook + 1, false).appeared, IsEmpty());
  EXPECT_THAT(pids(seen.update(kFirstLook + 2, true).appeared), ElementsAre(14));
}

TEST_F(ProcessTreeTest, MasksAndBoundsTheCommand) {
  set_children(kRecorder, kRecorder, "11 12 ");
  process({.pid = 11, .parent = 10}, {"curl", "--key", "secret\nline"});
  process({.pid = 12, .parent = 10}, {std::string(1023, 'x') + "\xC3\xA9"});
  auto seen = tree([](std::vector<std::string> argv) {
    for (auto& argument : argv) {
      if (argument.starts_with("secret")) argument = "*\n*";
    }
    return argv;
  });
  seen.update(kFirstLook, false);
  EXPECT_EQ(seen.processes().at(11).seen.command, "curl --key * *");
  EXPECT_EQ(seen.processes().at(12).seen.command, std::string(1023, 'x'));
}

TEST_F(ProcessTreeTest, ACutListOfChildrenLosesOnlyItsLastNumber) {
  set_children(kRecorder, kRecorder, "11 12");
  process({.pid = 11, .parent = 10}, {"a"});
  process({.pid = 12, .parent = 10}, {"not ours to guess"});
  EXPECT_THAT(pids(tree().update(kFirstLook, false).appeared), ElementsAre(11));
}

TEST_F(ProcessTreeTest, LooksLessOftenWhenItCostsTooMuchAndSaysSoOnce) {
  cost_ns = 20 * base::kMillisecond;
  set_children(kRecorder, kRecorder, "11 ");
  auto seen = tree();
  std::size_t notes = 0;
  for (int tick = 0; tick < 100; ++tick) {
    seen.update(kFirstLook + tick * base::kSecond / 10, false);
    notes += seen.take_notes().size();
  }
  EXPECT_EQ(notes, 1U);
  process({.pid = 11, .parent = 10}, {"a"});
  EXPECT_THAT(pids(seen.update(kFirstLook + 10 * base::kSecond, true).appeared), ElementsAre(11));
}

TEST_F(ProcessTreeTest, SurvivesShortLivedChildrenWithReusedPids) {
  std::mt19937 random(3);
  auto seen = tree();
  std::size_t appeared = 0;
  std::size_t gone = 0;
  for (int tick = 0; tick < 40; ++tick) {
    std::string children;
    for (int i = 0; i < 30; ++i) {
      const int pid = 100 + static_cast<int>(random() % 50);
      children += std::to_string(pid) + " ";
      if (random() % 3 == 0) {
        host.remove("/proc/" + std::to_string(pid));
      } else {
        process({.pid = pid,
                 .state = random() % 4 == 0 ? 'Z' : 'R',
                 .parent = 10,
                 .start = random() % 4},
                {"true"});
      }
    }
    set_children(kRecorder, kRecorder, children);
    const auto changes = seen.update(kFirstLook + tick * base::kSecond / 10, false);
    appeared += changes.appeared.size();
    gone += changes.gone.size();
    ASSERT_EQ(appeared - gone, seen.processes().size());
  }
  EXPECT_GT(gone, 50U);
}

TEST_F(ProcessTreeTest, RandomTextNeverCrashes) {
  std::mt19937 random(5);
  process({.pid = 11, .parent = 10}, {"a"});
  auto seen = tree();
  const std::string good = StatLine{.pid = 11, .parent = 10}.text();
  for (int round = 0; round < 300; ++round) {
    std::string stat = good.substr(0, random() % (good.size() + 1));
    if (!stat.empty()) stat[random() % stat.size()] = static_cast<char>(random());
    std::string children = "11 ";
    for (std::size_t i = random() % 30; i > 0; --i) children += static_cast<char>(random());
    host.write("/proc/11/stat", stat);
    set_children(11, 11, children);
    set_children(kRecorder, kRecorder, children);
    seen.update(kFirstLook + round, round % 2 == 0);
  }
}

TEST(ProcStat, ReadsTheFieldsThatItNames) {
  const auto stat = parse_proc_stat(StatLine{.pid = 7,
                                             .command = "a) R (b",
                                             .state = 'D',
                                             .parent = 3,
                                             .user = 40,
                                             .system = 2,
                                             .threads = 9,
                                             .start = 1234,
                                             .rss_pages = 55}
                                        .text());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->command, "a) R (b");
  EXPECT_EQ(stat->state, 'D');
  EXPECT_EQ(stat->parent, 3);
  EXPECT_EQ(stat->cpu_ticks, 42U);
  EXPECT_EQ(stat->threads, 9);
  EXPECT_EQ(stat->start_ticks, 1234U);
  EXPECT_EQ(stat->rss_pages, 55);
}

TEST(ProcStat, ACutLineIsAbsentNotHalfRead) {
  const std::string text = StatLine{.pid = 7, .rss_pages = 5555}.text();
  const auto needed = text.find("5555") + 5;
  for (std::size_t size = 0; size <= needed; ++size)
    EXPECT_FALSE(parse_proc_stat(text.substr(0, size)));
}

TEST(ProcessTreeOfThisMachine, FindsAChildOfThisProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ProcessTree tree({}, {.recorder = ::getpid()});
  const auto changes = tree.update(base::read_clock_ns(CLOCK_MONOTONIC), true);
  ::kill(child, SIGKILL);
  EXPECT_THAT(pids(changes.appeared), ElementsAre(child));
}

TEST_F(ProcessTreeTest, AProgramThatTheRecorderDidNotStartIsItsTree) {
  process({.pid = 40, .command = "python", .parent = 1}, {"python", "train.py"}, "41 ");
  process({.pid = 41, .command = "worker", .parent = 40}, {"worker"});
  process({.pid = 42, .command = "other", .parent = 1}, {"other"});
  ProcessTree tree(host.paths(), {.recorder = kRecorder, .program = 40, .cpu = [] { return 0; }});
  EXPECT_THAT(pids(tree.update(kFirstLook, true).appeared), UnorderedElementsAre(40, 41));
}

}  // namespace
}  // namespace flatout::collect
