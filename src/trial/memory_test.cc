#include "trial/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "run/facts.h"

namespace flatout::trial {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

constexpr pid_t kTrains = 7;

void say(run::Timeline& timeline, pid_t pid, std::string_view key, const std::string& json) {
  timeline.processes[pid].facts.push_back({.t_ns = 1, .key = std::string(key), .json = json});
}

TEST(TrialMemory, TheLastWordOfTheProcessThatTrainsCounts) {
  run::Timeline timeline;
  EXPECT_FALSE(trial_memory(timeline).host_peak_bytes) << "absent, not 0";
  say(timeline, kTrains, run::facts::kHostMemory, R"({"room_bytes":900,"oom_kills":1})");
  say(timeline, kTrains, run::facts::kMemory, R"({"host_peak_bytes":100,"host_data_bytes":150})");
  say(timeline, kTrains, run::facts::kMemory, R"({"host_peak_bytes":120,"host_data_bytes":160})");
  say(timeline, kTrains, run::facts::kHostMemory, R"({"room_bytes":800,"oom_kills":1})");
  const apply::TrialMemory memory = trial_memory(timeline);
  EXPECT_EQ(memory.host_peak_bytes, 120);
  EXPECT_EQ(memory.host_data_bytes, 160);
  EXPECT_EQ(memory.host_limit_bytes, 900) << "before it started";
  EXPECT_FALSE(memory.device_peak_bytes);
}

TEST(TrialMemory, RanksShareTheHostAndWorkersAreAdded) {
  run::Timeline timeline;
  say(timeline, 7, run::facts::kMemory, R"({"host_peak_bytes":100,"device_peak_bytes":30})");
  say(timeline, 8, run::facts::kMemory, R"({"host_peak_bytes":110,"device_peak_bytes":40})");
  timeline.processes[9].proc.role = run::ProcRole::kWorker;
  timeline.series[{.metric = run::Metric::kProcessMemoryRss, .source = 9}] = {
      {.t_ns = 1, .value = 20}, {.t_ns = 2, .value = 15}};
  const apply::TrialMemory memory = trial_memory(timeline);
  EXPECT_EQ(memory.host_peak_bytes, 100 + 110 + 20);
  EXPECT_EQ(memory.device_peak_bytes, 40) << "each has a device of its own";
}

TEST(TrialMemory, FactsOfAnotherShapeSayNothing) {
  run::Timeline timeline;
  for (const char* json : {"", "7", "[]", R"({"host_peak_bytes":"much"})",
                           R"({"host_peak_bytes":-1})", R"({"host_peak_bytes":1e300})"}) {
    say(timeline, kTrains, run::facts::kMemory, json);
    say(timeline, kTrains, run::facts::kHostMemory, json);
  }
  EXPECT_FALSE(trial_memory(timeline).host_peak_bytes);
  EXPECT_FALSE(trial_memory(timeline).host_limit_bytes);
}

TEST(OutOfMemory, IsNamedByTheErrorOrCountedByTheKernel) {
  run::Timeline timeline;
  timeline.end.emplace();
  for (const char* last : {"torch.OutOfMemoryError: CUDA out of memory. Tried", "MemoryError",
                           "RuntimeError: [enforce fail] . DefaultCPUAllocator: can't allocate"}) {
    EXPECT_TRUE(ran_out_of_memory("exit status 1 (" + std::string(last) + ")", timeline)) << last;
  }
  EXPECT_FALSE(ran_out_of_memory("", timeline)) << "it did not fail";
  EXPECT_FALSE(ran_out_of_memory("exit status 1 (ValueError: x)", timeline));
  timeline.end->signal = SIGKILL;
  EXPECT_TRUE(ran_out_of_memory("died by SIGKILL", timeline)) << "nobody counts";
  say(timeline, kTrains, run::facts::kHostMemory, R"({"oom_kills":3})");
  say(timeline, kTrains, run::facts::kHostMemory, R"({"oom_kills":3})");
  EXPECT_FALSE(ran_out_of_memory("died by SIGKILL", timeline)) << "somebody else killed it";
  say(timeline, kTrains, run::facts::kHostMemory, R"({"oom_kills":4})");
  EXPECT_TRUE(ran_out_of_memory("exit status 137 (Killed)", timeline)) << "a worker, say";
}

TEST(HostMemory, IsReadWhereATestPointsIt) {
  const auto root = std::filesystem::temp_directory_path() / "flatout-host-files";
  std::filesystem::create_directories(root / "proc");
  std::ofstream(root / "proc" / "meminfo") << "MemTotal: 900 kB\nMemAvailable: 600 kB\n";
  ::setenv("FLATOUT_HOST_FILES", root.c_str(), 1);
  const auto said = nlohmann::json::parse(host_memory_now());
  ::unsetenv("FLATOUT_HOST_FILES");
  std::filesystem::remove_all(root);
  EXPECT_EQ(said, nlohmann::json({{"room_bytes", 600 * 1024}}));
}

analyse::Analysis steps_of(const std::vector<std::optional<double>>& samples) {
  analyse::Analysis out;
  for (const auto& count : samples) out.cut.steps.push_back({.samples = count});
  return out;
}

TEST(LossSamples, AreAStepsSharedOutOverItsBackwards) {
  EXPECT_THAT(loss_samples(steps_of({8, 8, 8}), 3), testing::ElementsAre(8, 8, 8));
  EXPECT_THAT(loss_samples(steps_of({8, 8, 4}), 6), testing::ElementsAre(4, 4, 4, 4, 2, 2));
  EXPECT_THAT(loss_samples(steps_of({8, 8, 8}), 4), SizeIs(4)) << "one after the last step";
  EXPECT_THAT(loss_samples(steps_of({8, 8, 8}), 2), Each(8)) << "one on its way from a device";
  EXPECT_THAT(loss_samples(steps_of({8, {}, 8}), 3), IsEmpty());
  EXPECT_THAT(loss_samples(steps_of(std::vector<std::optional<double>>(40, 8)), 60), IsEmpty())
      << "not each step has as many";
  EXPECT_THAT(loss_samples(steps_of({}), 3), IsEmpty());
}

}  // namespace
}  // namespace flatout::trial
