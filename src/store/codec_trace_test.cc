#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "store/codec.h"
#include "store/trace_fixture.h"

namespace flatout::store {
namespace {

using run::DeviceActivity;
using run::HostSpan;

template <typename T>
T any(std::mt19937_64& dice) {
  // Small, large and the extremes.
  switch (dice() % 4) {
    case 0:
      return static_cast<T>(dice() % 100);
    case 1:
      return std::numeric_limits<T>::max();
    case 2:
      return std::numeric_limits<T>::min();
    default:
      return static_cast<T>(dice());
  }
}

TEST(TraceCodec, AnyActivitiesComeBack) {
  std::mt19937_64 dice(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<DeviceActivity> items(dice() % 20);
    for (DeviceActivity& item : items) {
      item.begin_ns = any<std::int64_t>(dice);
      item.end_ns = any<std::int64_t>(dice);
      item.correlation = any<std::uint64_t>(dice);
      item.bytes = any<std::uint64_t>(dice);
      item.name = any<std::uint32_t>(dice);
      item.stream = any<std::uint32_t>(dice);
      item.device = any<std::uint16_t>(dice);
      item.context = round % 2 == 0 ? std::uint16_t{0} : any<std::uint16_t>(dice);
      if (round % 3 == 0) item.graph = any<std::uint32_t>(dice);
      if (item.graph != 0) item.graph_node = any<std::uint32_t>(dice);
      item.kind = static_cast<run::ActivityKind>(dice() % 3);
      item.direction = static_cast<run::CopyDirection>(dice() % 4);
      item.host_memory = static_cast<run::HostMemory>(dice() % 3);
    }
    const auto back = decode_activities(encode_activities(42, items));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->pid, 42);
    EXPECT_EQ(back->value, items);
  }
}

TEST(TraceCodec, OneContextWithoutGraphsCostsAlmostNothing) {
  std::vector<DeviceActivity> items(1000);
  const std::size_t before = encode_activities(1, items).size();
  for (DeviceActivity& item : items) item.context = 1;
  EXPECT_LE(encode_activities(1, items).size(), before + 4);
  // Nodes of a graph, one after the other.
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].graph = 3;
    items[i].graph_node = static_cast<std::uint32_t>(i % 100);
  }
  const std::string encoded = encode_activities(1, items);
  EXPECT_LE(encoded.size(), before + 1020);
  EXPECT_EQ(decode_activities(encoded)->value, items);
}

TEST(TraceCodec, AnyHostSpansAndWindowsComeBack) {
  std::mt19937_64 dice(8);
  for (int round = 0; round < 300; ++round) {
    std::vector<HostSpan> spans(dice() % 20);
    for (HostSpan& span : spans) {
      span.begin_ns = any<std::int64_t>(dice);
      span.end_ns = any<std::int64_t>(dice);
      span.correlation = any<std::uint64_t>(dice);
      span.name = any<std::uint32_t>(dice);
      span.lane = any<std::uint16_t>(dice);
      span.kind = static_cast<run::HostSpanKind>(dice() % 4);
    }
    const auto back = decode_host_spans(encode_host_spans(1, spans));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->value, spans);
    std::vector<run::TraceWindow> windows(dice() % 5);
    for (run::TraceWindow& window : windows) {
      window.begin_ns = any<std::int64_t>(dice);
      window.end_ns = any<std::int64_t>(dice);
      window.dropped = any<std::uint64_t>(dice);
      window.end = static_cast<run::WindowEnd>(dice() % 4);
    }
    const auto same = decode_trace_windows(encode_trace_windows(1, windows));
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(same->value, windows);
  }
}

TEST(TraceCodec, NamesComeBackAndBadOnesAreRefused) {
  const std::vector<run::TraceName> names = {{.in_ring = 1, .number = 1, .text = "void k<\"a\">()"},
                                             {.in_ring = 4'000'000'000U, .number = 2, .text = ""}};
  const auto back = decode_trace_names(encode_trace_names(7, names));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->pid, 7);
  EXPECT_EQ(back->value, names);
  for (const char* bad :
       {"", "[]", "{}", R"({"pid":7})", R"({"pid":-7,"names":[]})", R"({"pid":7,"names":[[1]]})",
        R"({"pid":7,"names":[[1,-2,"a"]]})", R"({"pid":7,"names":[[1,2,3]]})",
        R"({"pid":7,"names":[[1,99999999999,"a"]]})", R"({"pid":7,"names":{"a":[1,2]}})"}) {
    EXPECT_FALSE(decode_trace_names(bad)) << bad;
  }
}

TEST(TraceCodec, ARecordTakesAboutTenBytes) {
  const SampleTrace trace = sample_trace(10'000, 5'000'000'000);
  const auto activities = encode_activities(1, trace.activities).size();
  const auto spans = encode_host_spans(1, trace.spans).size();
  EXPECT_LT(static_cast<double>(activities) / static_cast<double>(trace.activities.size()), 12);
  EXPECT_LT(static_cast<double>(spans) / static_cast<double>(trace.spans.size()), 10);
}

// Any cut and any changed byte gives an error or other items, never more than the bytes can hold.
TEST(TraceCodec, DamagedPayloadsAreBounded) {
  const SampleTrace trace = sample_trace(200, 5'000'000'000);
  const std::string payloads[] = {encode_activities(1, trace.activities),
                                  encode_host_spans(1, trace.spans),
                                  encode_trace_windows(1, trace.windows)};
  std::mt19937_64 dice(9);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = payloads[dice() % 3];
    if (dice() % 2 == 0) bytes.resize(dice() % bytes.size());
    if (!bytes.empty()) bytes[dice() % bytes.size()] = static_cast<char>(dice());
    const auto activities = decode_activities(bytes);
    const auto spans = decode_host_spans(bytes);
    const auto windows = decode_trace_windows(bytes);
    if (activities) {
      EXPECT_LE(activities->value.size(), bytes.size());
    }
    if (spans) {
      EXPECT_LE(spans->value.size(), bytes.size());
    }
    if (windows) {
      EXPECT_LE(windows->value.size(), bytes.size());
    }
  }
}

}  // namespace
}  // namespace flatout::store
