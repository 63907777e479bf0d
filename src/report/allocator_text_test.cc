// The framework's allocator of a run, whose figures are samples, in JSON and text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/json.h"
#include "report/text.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

run::AllocatorReport sampled_memory() {
  run::AllocatorReport memory;
  memory.sampled = true;
  memory.peak_allocated_bytes = 38'000'000'000;
  memory.peak_after_step = 11;
  memory.peak_by_step = 21;
  memory.peak_reserved_bytes = 39'000'000'000;
  memory.retries_in_steps = 0;
  memory.ooms = 0;
  return memory;
}

run::Report sampled_report() {
  run::Report report;
  run::DeviceReport device;
  device.kind = "cuda";
  device.memory_used_bytes = 40'000'000'000;
  device.memory_total_bytes = 80'000'000'000;
  device.allocator = sampled_memory();
  report.devices.push_back(device);
  return report;
}

TEST(SampledAllocatorText, StandsInEachView) {
  const run::Report report = sampled_report();
  const auto json = nlohmann::json::parse(to_json(report))["devices"][0]["allocator"];
  EXPECT_EQ(json, nlohmann::json::parse(R"({"peak_allocated_bytes":38000000000,
    "peak_reserved_bytes":39000000000,"sampled":true,"peak_after_step":11,"peak_by_step":21,
    "retries_in_steps":0,"ooms":0,"processes":1})"));
  EXPECT_THAT(to_text(report), HasSubstr("peak 38 GB allocated in steps 12 to 21, 39 GB reserved"));
  run::Report without = report;
  without.devices[0].allocator.reset();
  EXPECT_FALSE(nlohmann::json::parse(to_json(without))["devices"][0].contains("allocator"));
  EXPECT_THAT(to_text(without), Not(HasSubstr("Memory")));
}

TEST(SampledAllocatorText, ATracedRunHasItsLine) {
  run::Report report = sampled_report();
  report.devices[0].trace.emplace();
  EXPECT_THAT(to_text(report), HasSubstr("peak 38 GB allocated in steps 12 to 21"));
  EXPECT_TRUE(nlohmann::json::parse(to_json(report))["devices"][0].contains("allocator"));
}

TEST(SampledAllocatorText, SaysWhatItKnowsOfTheStep) {
  run::AllocatorReport memory = sampled_memory();
  memory.peak_after_step.reset();
  EXPECT_THAT(allocator_text(memory), HasSubstr("allocated by step 21, "));
  memory.peak_by_step.reset();
  memory.peak_at_step = 21;
  EXPECT_THAT(allocator_text(memory), HasSubstr("allocated in step 21, "));
  memory.peak_at_step.reset();
  EXPECT_THAT(allocator_text(memory), HasSubstr("allocated, "));
}

TEST(SampledAllocatorText, WantOfRoomAndSeveralProcesses) {
  run::AllocatorReport memory = sampled_memory();
  EXPECT_THAT(allocator_text(memory), Not(HasSubstr("room")));
  EXPECT_EQ(allocator_rank(memory), kSample);
  memory.retries_in_steps = 1;
  EXPECT_EQ(allocator_rank(memory), kDevice) << "it stays on a page that is full";
  EXPECT_THAT(allocator_text(memory),
              HasSubstr("; it found no room and emptied its cache once in the steps"));
  memory.retries_in_steps = 3;
  memory.ooms = 2;
  memory.processes = 2;
  EXPECT_EQ(allocator_text(memory),
            "2 processes, their peaks summed: peak 38 GB allocated in steps 12 to 21, 39 GB "
            "reserved; it found no room and emptied its cache 3 times in the steps; 2 allocations "
            "failed");
}

}  // namespace
}  // namespace flatout::report
