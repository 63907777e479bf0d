// Rings of kernel traces, made by hand, through recorder and recovery.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/recorder.h"
#include "record/recover.h"
#include "record/testing_ring.h"
#include "record/testing_sink.h"
#include "record/trace_decoder.h"
#include "record/trace_names.h"

namespace flatout::record {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using wire::RecordType;

struct QuietWatch final : run::ProcessWatch {
  run::ProcessChanges update(base::TimeNs, bool) override { return {}; }
};

std::vector<unsigned char> kernel_bytes(std::int64_t begin, std::int64_t end, std::uint32_t name,
                                        std::uint64_t correlation = 9) {
  wire::ActivityRecord record{};
  record.end_ns = end;
  record.correlation = correlation;
  record.bytes = wire::kUnknownBytes;
  record.name = name;
  record.stream = 7;
  record.context = 1;
  record.graph = 4;
  record.graph_node = 17;
  return record_bytes(RecordType::kActivity, begin, body_of(record));
}

std::vector<unsigned char> call_bytes(std::int64_t begin, std::int64_t end, std::uint32_t name,
                                      std::uint16_t lane = 0) {
  wire::CallRecord record{};
  record.end_ns = end;
  record.correlation = 9;
  record.name = name;
  record.kind = static_cast<std::uint8_t>(run::HostSpanKind::kCall);
  return record_bytes(RecordType::kCall, begin, body_of(record), 0, lane);
}

std::vector<unsigned char> window_bytes(std::int64_t begin, std::int64_t end,
                                        std::uint64_t dropped = 0) {
  wire::TraceWindowRecord record{};
  record.end_ns = end;
  record.dropped = dropped;
  record.end = static_cast<std::uint32_t>(wire::TraceEnd::kExit);
  return record_bytes(RecordType::kTraceWindow, begin, body_of(record));
}

std::vector<unsigned char> lane_bytes(std::uint16_t lane, int tid) {
  wire::LaneRecord record{};
  record.tid = tid;
  return record_bytes(RecordType::kLane, 1, body_of(record), 0, lane);
}

RingSpec trace_ring(int pid, std::uint64_t capacity = 4096) {
  return {.pid = pid, .role = wire::RingRole::kTrace, .capacity = capacity};
}

class TraceRingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir.process(50, 100);
    dir.process(51, 100);
    clock.advance(base::kSecond);
  }
  Recorder make() {
    return {clock,
            sink,
            watch,
            {},
            std::make_unique<RingDirReader>(dir.rings(), dir.proc()),
            {.root_pid = 50, .cpu = [] { return std::int64_t{0}; }}};
  }
  const run::ProcessTrack& track(int pid = 50) { return sink.timeline.processes.at(pid); }
  std::string name_of(std::uint32_t number) { return std::string(sink.timeline.names->at(number)); }

  TempDir dir;
  base::FakeClock clock;
  MemorySink sink;
  QuietWatch watch;
};

TEST_F(TraceRingTest, StandsBesideTheProcesssOtherRing) {
  HandMadeRing main(dir.rings(), {.pid = 50});
  HandMadeRing trace(dir.rings(), trace_ring(50));
  main.write(phase_bytes(true, run::Phase::kForward, 1));
  trace.write(lane_bytes(0, 50));
  trace.write(name_bytes(1, "cudaLaunchKernel"));
  trace.write(name_bytes(2, "_Z3addPfi"));
  trace.write(call_bytes(10, 20, 1));
  trace.write(kernel_bytes(30, 40, 2));
  trace.write(window_bytes(5, 50, 4));
  Recorder recorder = make();
  recorder.tick();
  EXPECT_EQ(track().phases.size(), 1U);
  ASSERT_EQ(track().activities.size(), 1U);
  const run::DeviceActivity kernel = *track().activities.front();
  EXPECT_EQ(name_of(kernel.name), "add(float*, int)");
  EXPECT_EQ(kernel.bytes, run::DeviceActivity::kUnknownBytes);
  EXPECT_EQ(kernel.correlation, 9U);
  const run::HostSpan call = *track().host_spans.front();
  EXPECT_EQ(name_of(call.name), "cudaLaunchKernel");
  EXPECT_EQ(call.lane, run::kFirstTraceLane);
  EXPECT_EQ(track().lanes, (std::vector<run::Lane>{{.lane = run::kFirstTraceLane, .tid = 50}}));
  EXPECT_EQ(track().trace_windows.front()->dropped, 4U);
  EXPECT_EQ(track().trace_windows.front()->end, run::WindowEnd::kExit);
  EXPECT_THAT(track().facts, IsEmpty());  // no stage is called so
  recorder.finish({});
  EXPECT_THAT(recorder.take_notes(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(trace.path));
  EXPECT_EQ(sink.timeline.counts.events, 1U);
  EXPECT_EQ(sink.timeline.counts.trace_events, 6U);
  EXPECT_EQ(sink.timeline.counts.trace_dropped, 0U);
}

// Eight ranks run the same kernels: each name has one number and its text is written once.
TEST_F(TraceRingTest, NamesOfAllProcessesAreTheRuns) {
  HandMadeRing first(dir.rings(), trace_ring(50));
  HandMadeRing second(dir.rings(), trace_ring(51));
  first.write(name_bytes(1, "gemm"));
  first.write(kernel_bytes(1, 2, 1));
  second.write(name_bytes(1, "relu"));
  second.write(name_bytes(2, "gemm"));
  second.write(kernel_bytes(1, 2, 2));
  second.write(kernel_bytes(3, 4, 77));  // its name was dropped
  Recorder recorder = make();
  recorder.tick();
  EXPECT_EQ(track(50).activities.front()->name, track(51).activities.front()->name);
  EXPECT_EQ(name_of(track(51).activities.front()->name), "gemm");
  EXPECT_EQ(track(51).activities.back()->name, 0U);
  EXPECT_EQ(sink.timeline.names->size(), 3U);
}

// As after exec(): the ring goes on, the numbers begin anew.
TEST_F(TraceRingTest, ANumberThatIsNamedAnewLeavesTheOldRecordsTheirName) {
  HandMadeRing ring(dir.rings(), trace_ring(50));
  ring.write(name_bytes(1, "before"));
  ring.write(kernel_bytes(1, 2, 1));
  ring.write(name_bytes(1, "after"));
  ring.write(kernel_bytes(3, 4, 1));
  Recorder recorder = make();
  recorder.tick();
  EXPECT_EQ(name_of(track().activities.front()->name), "before");
  EXPECT_EQ(name_of(track().activities.back()->name), "after");
}

TEST_F(TraceRingTest, DropsOfItsRingAreCountedApart) {
  HandMadeRing ring(dir.rings(), trace_ring(50, 256));
  for (int i = 0; i < 6; ++i) ring.write(kernel_bytes(i, i + 1, 0));
  Recorder recorder = make();
  recorder.tick();
  recorder.finish({});
  EXPECT_EQ(track().activities.size(), 4U);
  EXPECT_EQ(sink.timeline.counts.trace_dropped, 2U);
  EXPECT_EQ(sink.timeline.counts.dropped, 0U);
  EXPECT_THAT(recorder.take_notes(), IsEmpty());  // the steps lack nothing
}

TEST_F(TraceRingTest, RecoveryLosesNothingAndRepeatsNothing) {
  HandMadeRing ring(dir.rings(), trace_ring(50));
  Recorder recorder = make();
  ring.write(lane_bytes(0, 50));
  ring.write(name_bytes(1, "one"));
  ring.write(kernel_bytes(1, 2, 1));
  recorder.tick();
  const std::uint64_t freed = ring.header().tail.load();
  ring.write(name_bytes(2, "two"));
  ring.write(kernel_bytes(3, 4, 2));
  ring.write(call_bytes(3, 4, 1));
  recorder.tick();
  ring.header().tail = freed;  // as if killed before the second commit
  ring.write(name_bytes(3, "three"));
  ring.write(kernel_bytes(5, 6, 1));  // of a name that was freed long ago
  ring.write(kernel_bytes(7, 8, 3));
  ring.write(window_bytes(0, 9));
  dir.end_process(50);
  const run::Timeline stored = sink.timeline;
  const auto done = recover(dir.rings(), sink, &stored, dir.proc());
  ASSERT_TRUE(done);
  EXPECT_THAT(done->notes, IsEmpty());
  ASSERT_EQ(track().activities.size(), 4U);
  std::vector<std::string> names;
  for (const auto& kernel : track().activities) names.push_back(name_of(kernel.name));
  EXPECT_EQ(names, (std::vector<std::string>{"one", "two", "one", "three"}));
  EXPECT_EQ(track().host_spans.size(), 1U);
  EXPECT_EQ(track().trace_windows.size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(ring.path));
}

TEST(TraceDecoder, WhatDoesNotFitIsMalformed) {
  TraceNames names;
  TraceDecoder decoder(names);
  RingChunk chunk;
  const auto decode = [&](const std::vector<unsigned char>& bytes) {
    wire::RecordHead head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    decoder.decode(head, bytes.data(), chunk);
  };
  std::uint64_t malformed = 0;
  const auto refused = [&](std::vector<unsigned char> bytes) {
    decode(bytes);
    return decoder.malformed() == ++malformed;
  };
  auto bad_kind = kernel_bytes(1, 2, 0);
  bad_kind[offsetof(wire::ActivityRecord, kind)] = 3;
  EXPECT_TRUE(refused(bad_kind));
  EXPECT_TRUE(refused(kernel_bytes(2, 1, 0)));  // ends before it begins
  EXPECT_TRUE(refused(kernel_bytes(1LL << 61, 1LL << 61, 0)));
  EXPECT_TRUE(refused(call_bytes(1, 2, 0, 0xFFFF)));
  EXPECT_TRUE(refused(record_bytes(RecordType::kActivity, 1, "short")));
  EXPECT_TRUE(refused(record_bytes(RecordType::kTraceWindow, 1, "short")));
  EXPECT_TRUE(chunk.empty());
}

TEST(TraceNames, AreReadableAndBounded) {
  EXPECT_EQ(readable_name("_ZN2at6native4geluEv"), "at::native::gelu()");
  EXPECT_EQ(readable_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(readable_name("cudaMalloc"), "cudaMalloc");
  EXPECT_EQ(readable_name(std::string(100'000, 'x')).size(), kMostTraceNameBytes);
}

}  // namespace
}  // namespace flatout::record
