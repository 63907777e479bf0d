// A kernel trace through the store: log, sealed form and a log that is damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/same_timeline_fixture.h"
#include "store/seal_fixture.h"
#include "store/trace_fixture.h"

namespace flatout::store {
namespace {

class TraceStoreTest : public SealTest {
 protected:
  // Windows of `kernels` kernels, each one tick.
  std::string record_trace(int windows, int kernels) {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.host = from.host;
    info.ring_dir = "";
    EXPECT_TRUE(writer->begin(info));
    EXPECT_TRUE(writer->proc({.pid = 7, .start_ticks = 70, .command = "python"}));
    EXPECT_TRUE(writer->lane(7, {.lane = run::kFirstTraceLane, .tid = 9}));
    for (int i = 0; i < windows; ++i) {
      trace =
          sample_trace(kernels, 6'000'000'000 + i * 10'000'000'000LL, static_cast<unsigned>(i + 1));
      if (i == 0) {
        EXPECT_TRUE(writer->trace_names(7, trace.names));
      }
      EXPECT_TRUE(writer->activities(7, trace.activities));
      EXPECT_TRUE(writer->host_spans(7, trace.spans));
      EXPECT_TRUE(writer->trace_windows(7, trace.windows));
      EXPECT_TRUE(
          writer->counts({.events = 1, .dropped = 0, .trace_events = 5, .trace_dropped = 2}));
      EXPECT_TRUE(writer->flush());
    }
    expect_same_timeline_but_state(writer->timeline(), read(writer->id()));
    EXPECT_TRUE(writer->end({.t_ns = 9'000'000'000'000, .exit_code = 0, .survivors = {}}));
    return writer->id();
  }
  static void expect_same_timeline_but_state(run::Timeline a, const run::Timeline& b) {
    a.state = b.state;
    expect_same_timeline(a, b);
  }
  SampleTrace trace;  // of the last window
};

TEST_F(TraceStoreTest, ComesBackInOrderAndTheSameWhenSealed) {
  const auto id = record_trace(5, 4000);
  const run::Timeline log = read(id);
  const run::ProcessTrack& process = log.processes.at(7);
  EXPECT_EQ(process.activities.size(), 20'000U);
  EXPECT_EQ(process.host_spans.size(), 20'000U + 3 * 200U);
  EXPECT_EQ(process.trace_windows.size(), 5U);
  EXPECT_EQ(process.trace_windows.at(4).value(), trace.windows[0]);
  ASSERT_TRUE(log.names);
  EXPECT_EQ(log.names->at(2), "kernel_2");
  EXPECT_EQ(process.ring_names.at(102), 2U);
  EXPECT_EQ(log.counts.trace_dropped, 2U);
  std::optional<run::HostSpan> before;
  for (const run::HostSpan& span : process.host_spans) {
    if (before) {
      EXPECT_FALSE(run::record_before(span, *before));
    }
    before = span;
  }
  ASSERT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
  const run::Timeline sealed_form = read(id);
  expect_same_timeline(log, sealed_form);
  // Asked for one window it reads the blocks of that window alone.
  const auto window = trace.windows[0];
  std::size_t count = 0;
  for (const auto& activity :
       sealed_form.processes.at(7).activities.between(window.begin_ns, window.end_ns + 1'000'000)) {
    EXPECT_GE(activity.begin_ns, window.begin_ns);
    ++count;
  }
  EXPECT_EQ(count, 4000U);
}

// A range and what begins with it, in rows of their own: the outer one comes first all the same.
TEST_F(TraceStoreTest, SpansOfOneTimeAreInOneBlock) {
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.host = from.host;
  info.ring_dir = "";
  ASSERT_TRUE(writer->begin(info));
  std::vector<run::HostSpan> spans;
  for (int i = 0; i < 8192; ++i) {
    spans.push_back({.begin_ns = 6'000'000'000 + i * 10, .end_ns = 6'000'000'005 + i * 10});
  }
  // The last of the first row and the first of the second.
  spans.push_back({.begin_ns = spans.back().begin_ns, .end_ns = spans.back().end_ns + 100});
  ASSERT_TRUE(writer->host_spans(7, spans));
  ASSERT_TRUE(writer->end({.t_ns = 7'000'000'000, .exit_code = 0, .survivors = {}}));
  const std::string id = writer->id();
  writer.reset();
  const run::Timeline log = read(id);
  ASSERT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
  const run::Timeline after = read(id);
  expect_same_timeline(log, after);
  EXPECT_EQ(after.processes.at(7).host_spans.back()->end_ns, spans[8191].end_ns);
}

TEST_F(TraceStoreTest, ImplausibleRecordsAndNumbersAreLeftOutAndSaid) {
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.host = from.host;
  info.ring_dir = "";
  ASSERT_TRUE(writer->begin(info));
  run::DeviceActivity backwards;
  backwards.begin_ns = 10;
  backwards.end_ns = 9;
  const run::TraceName far{.in_ring = 1, .number = 4'000'000'000U, .text = "far"};
  ASSERT_TRUE(writer->trace_names(7, std::span(&far, 1)));
  ASSERT_TRUE(writer->activities(7, std::span(&backwards, 1)));
  const auto timeline = writer->timeline();
  EXPECT_TRUE(timeline.processes.at(7).activities.empty());
  EXPECT_EQ(timeline.names->size(), 1U);
  EXPECT_THAT(timeline.notes, testing::Contains(testing::HasSubstr("2 records state times")));
}

}  // namespace
}  // namespace flatout::store
