#include "record/allocator_readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/testing_ring.h"
#include "run/facts.h"

namespace flatout::record {
namespace {

using run::Metric;
using ::testing::IsEmpty;

AllocatorReading reading(std::int64_t t_ns, std::int64_t bytes, int device = 0) {
  return {.t_ns = t_ns,
          .device = device,
          .allocated_bytes = bytes,
          .reserved_bytes = 2 * bytes,
          .allocated_peak_bytes = 3 * bytes,
          .reserved_peak_bytes = 4 * bytes,
          .retries = 0,
          .ooms = 0};
}

run::Device device(int index, std::optional<int> visible, std::string uuid) {
  run::Device out;
  out.index = index;
  out.visible_index = visible;
  out.uuid = std::move(uuid);
  return out;
}

// Of the last time in the samples.
std::optional<double> last_of(const std::vector<run::Sample>& samples, Metric metric,
                              int index = 0) {
  std::optional<double> value;
  for (const run::Sample& sample : samples) {
    if (sample.metric == metric && sample.source == run::device_source(index)) value = sample.value;
  }
  return value;
}

TEST(AllocatorReadings, OneProcessIsWhatItSays) {
  AllocatorReadings all;
  all.add(7, std::vector{reading(5, 100)});
  const auto samples = all.take();
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorAllocated), 100);
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorReserved), 200);
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorAllocatedPeak), 300);
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorReservedPeak), 400);
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorRetries), 0);
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorProcesses), 1);
  for (const run::Sample& sample : samples) EXPECT_EQ(sample.t_ns, 5);
  EXPECT_THAT(all.take(), IsEmpty());
}

TEST(AllocatorReadings, ProcessesOnADeviceAreSummedWhileTheyLive) {
  AllocatorReadings all;
  all.add(7, std::vector{reading(10, 100), reading(30, 150)});
  all.add(8, std::vector{reading(20, 1000)});  // of another ring, drained later
  const auto samples = all.take();
  ASSERT_EQ(samples.size(), 21U);
  EXPECT_EQ(samples[0].value, 100);
  EXPECT_EQ(samples[7].t_ns, 20);
  EXPECT_EQ(samples[7].value, 1100);
  EXPECT_EQ(samples[14].t_ns, 30);
  EXPECT_EQ(samples[14].value, 1150);
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorProcesses), 2);
  all.ended(8);
  all.add(7, std::vector{reading(40, 150)});
  const auto later = all.take();
  EXPECT_EQ(last_of(later, Metric::kDeviceAllocatorAllocated), 150);
  EXPECT_EQ(last_of(later, Metric::kDeviceAllocatorProcesses), 1);
}

TEST(AllocatorReadings, ASeriesDoesNotGoBackInTime) {
  AllocatorReadings all;
  all.add(7, std::vector{reading(50, 1)});
  (void)all.take();
  all.add(8, std::vector{reading(40, 1)});  // its ring was drained just before it wrote this
  EXPECT_EQ(all.take().front().t_ns, 50);
}

TEST(AllocatorReadings, CountsGrowThroughResetsAndEnds) {
  AllocatorReadings all;
  const auto counted = [](std::int64_t t_ns, std::int64_t retries) {
    AllocatorReading one = reading(t_ns, 1);
    one.retries = retries;
    one.ooms = std::nullopt;
    return one;
  };
  all.add(7, std::vector{counted(1, 2), counted(2, 5)});
  EXPECT_EQ(last_of(all.take(), Metric::kDeviceAllocatorRetries), 5);
  all.add(7, std::vector{counted(3, 1)});  // the program reset its statistics
  EXPECT_EQ(last_of(all.take(), Metric::kDeviceAllocatorRetries), 6);
  all.ended(7);
  all.add(8, std::vector{counted(4, 3)});
  const auto samples = all.take();
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorRetries), 9);
  EXPECT_FALSE(last_of(samples, Metric::kDeviceAllocatorOoms)) << "nobody knows: no 0";
  all.add(7, std::vector{counted(5, 1)});  // another process of that number
  EXPECT_EQ(last_of(all.take(), Metric::kDeviceAllocatorRetries), 10);
}

TEST(AllocatorReadings, ADeviceIsTheOneOfItsUuidElseOfItsPlace) {
  AllocatorReadings all;
  all.device(device(0, std::nullopt, "GPU-aa"));
  all.device(device(4, 0, "GPU-bb"));
  all.device(device(5, 1, "GPU-cc"));
  all.facts(8, std::vector<run::Fact>{{.t_ns = 1,
                                       .key = std::string(run::facts::kDevices),
                                       .json = R"({"devices":[{"index":0,"uuid":"cc"}]})"}});
  all.add(7, std::vector{reading(1, 100, 0)});  // says no uuid: what the run sees first
  all.add(8, std::vector{reading(2, 10, 0)});   // its launcher shows it another one
  const auto samples = all.take();
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorAllocated, 4), 100);
  EXPECT_EQ(last_of(samples, Metric::kDeviceAllocatorAllocated, 5), 10);
  EXPECT_FALSE(last_of(samples, Metric::kDeviceAllocatorAllocated, 0));
}

TEST(AllocatorReadings, WithoutADriversWordADeviceIsTheOneOfThisNumber) {
  AllocatorReadings all;
  all.add(7, std::vector{reading(1, 100, 3)});
  EXPECT_EQ(last_of(all.take(), Metric::kDeviceAllocatorAllocated, 3), 100);
}

TEST(RingDecoderOfAllocators, TrustsNothing) {
  wire::AllocatorRecord record{};
  record.allocated_bytes = 1;
  record.reserved_bytes = 2;
  record.allocated_peak_bytes = 3;
  record.reserved_peak_bytes = 4;
  record.retries = 5;
  record.ooms = wire::kUnknownCount;
  record.device = 6;
  RingDecoder decoder;
  RingChunk out;
  const auto decode = [&](const wire::AllocatorRecord& one, std::size_t cut = 0) {
    auto body = body_of(one);
    const auto bytes = record_bytes(wire::RecordType::kAllocator, 9, body.substr(cut));
    wire::RecordHead head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    decoder.decode(head, bytes.data(), out);
  };
  decode(record);
  ASSERT_EQ(out.allocators.size(), 1U);
  EXPECT_EQ(out.allocators[0], (AllocatorReading{.t_ns = 9,
                                                 .device = 6,
                                                 .allocated_bytes = 1,
                                                 .reserved_bytes = 2,
                                                 .allocated_peak_bytes = 3,
                                                 .reserved_peak_bytes = 4,
                                                 .retries = 5,
                                                 .ooms = std::nullopt}));
  decode(record, 8);  // too short
  record.device = 1U << 30;
  decode(record);
  record.device = 0;
  record.reserved_bytes = ~std::uint64_t{0};
  decode(record);
  EXPECT_EQ(out.allocators.size(), 1U);
  EXPECT_EQ(decoder.malformed(), 3U);
}

}  // namespace
}  // namespace flatout::record
