#include "record/ring_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "record/json_string.h"
#include "record/testing_ring.h"

namespace flatout::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Gives the decoder a copy that ends where the record ends, so that a sanitizer
// sees any read behind it.
void decode(RingDecoder& decoder, const std::vector<unsigned char>& bytes, RingChunk& out) {
  wire::RecordHead head{};
  std::memcpy(&head, bytes.data(), sizeof head);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): ends where the record ends
  const std::vector<unsigned char> exact(bytes);
  decoder.decode(head, exact.data(), out);
}

RingChunk decode_all(RingDecoder& decoder, const std::vector<std::vector<unsigned char>>& records) {
  RingChunk out;
  for (const auto& bytes : records) decode(decoder, bytes, out);
  return out;
}

TEST(RingDecoder, EachKindBecomesItsRunType) {
  wire::LaneRecord lane{};
  lane.tid = 42;
  lane.is_main = 1;
  wire::DevicePhaseRecord device{};
  device.duration_ns = 9;
  device.step = 8;
  device.device = 7;
  wire::ValueRecord value{};
  value.value = 0.5;
  value.step = 12;
  value.name_bytes = 4;
  RingDecoder decoder;
  const RingChunk out =
      decode_all(decoder, {record_bytes(wire::RecordType::kLane, 1, body_of(lane), 0, 3),
                           phase_bytes(true, run::Phase::kForward, 100, 3),
                           phase_bytes(false, run::Phase::kForward, 200, 3),
                           fact_bytes("loader", "{\"a\":1}", 5),
                           record_bytes(wire::RecordType::kDevicePhase, 6, body_of(device),
                                        static_cast<std::uint8_t>(run::Phase::kH2d)),
                           record_bytes(wire::RecordType::kValue, 8, body_of(value) + "loss"),
                           record_bytes(wire::RecordType::kStop, 7, "")});
  EXPECT_THAT(out.lanes, ElementsAre(run::Lane{.lane = 3, .tid = 42, .is_main = true}));
  EXPECT_THAT(out.phases, ElementsAre(run::PhaseEvent{.t_ns = 100,
                                                      .value = 64,
                                                      .flags = run::kGradEnabled,
                                                      .id = 5,
                                                      .lane = 3,
                                                      .phase = run::Phase::kForward,
                                                      .begin = true},
                                      run::PhaseEvent{.t_ns = 200,
                                                      .value = 64,
                                                      .flags = 0,
                                                      .id = 5,
                                                      .lane = 3,
                                                      .phase = run::Phase::kForward,
                                                      .begin = false}));
  EXPECT_THAT(out.facts, ElementsAre(run::Fact{.t_ns = 5, .key = "loader", .json = "{\"a\":1}"}));
  EXPECT_THAT(out.device_phases,
              ElementsAre(run::DevicePhase{
                  .t_ns = 6, .duration_ns = 9, .step = 8, .device = 7, .phase = run::Phase::kH2d}));
  EXPECT_THAT(out.values,
              ElementsAre(run::NamedValue{.t_ns = 8, .value = 0.5, .step = 12, .name = "loss"}));
  EXPECT_TRUE(out.stop);
  EXPECT_EQ(decoder.unknown() + decoder.malformed(), 0U);
}

TEST(RingDecoder, ABatchNamesItsStages) {
  RingDecoder decoder;
  const RingChunk out = decode_all(
      decoder, {name_bytes(1, "Resize"), batch_bytes(10, 20,
                                                     {{.name = 1, .calls = 4, .wall_ns = 5},
                                                      {.name = 2, .calls = 1, .wall_ns = 6}})});
  ASSERT_EQ(out.batches.size(), 1U);
  EXPECT_EQ(out.batches[0],
            (run::Batch{.begin_ns = 10,
                        .end_ns = 20,
                        .cpu_ns = 11,
                        .collate_ns = 12,
                        .idle_ns = 13,
                        .read_bytes = 14,
                        .disk_bytes = 15,
                        .run_delay_ns = 19,
                        .batch_bytes = 20,
                        .iterator = 16,
                        .sequence = 17,
                        .samples = 18,
                        .stages = {{.name = "Resize", .calls = 4, .wall_ns = 5},
                                   {.name = "stage 2", .calls = 1, .wall_ns = 6}}}));
  ASSERT_EQ(out.facts.size(), 1U);
  EXPECT_EQ(out.facts[0].key, "stage_name.1");
  EXPECT_EQ(out.facts[0].json, "\"Resize\"");
}

TEST(RingDecoder, WhatItDoesNotKnowIsSkippedAndCounted) {
  RingDecoder decoder;
  const RingChunk out =
      decode_all(decoder, {record_bytes(static_cast<wire::RecordType>(200), 1, "whatever"),
                           phase_bytes(true, static_cast<run::Phase>(99), 1),
                           phase_bytes(true, run::Phase::kSync, 2)});
  EXPECT_EQ(decoder.unknown(), 2U);
  EXPECT_EQ(out.phases.size(), 1U);
}

TEST(RingDecoder, ARecordThatClaimsMoreThanItHasIsMalformed) {
  auto fact = fact_bytes("key", "[1,2,3]");
  const std::uint32_t huge = 0xFFFFFFFF;
  std::memcpy(fact.data() + sizeof(wire::RecordHead), &huge, sizeof huge);  // key_bytes
  auto name = name_bytes(3, "name");
  std::memcpy(name.data() + sizeof(wire::RecordHead) + 4, &huge, sizeof huge);
  auto batch = batch_bytes(1, 2, {{.name = 1, .calls = 1, .wall_ns = 1}});
  std::memcpy(batch.data() + sizeof(wire::BatchRecord) - 4, &huge, sizeof huge);  // stage_count
  RingDecoder decoder;
  const RingChunk out = decode_all(
      decoder, {fact, name, batch, record_bytes(wire::RecordType::kPhaseBegin, 1, "", 1)});
  EXPECT_EQ(decoder.malformed(), 4U);
  EXPECT_TRUE(out.empty());
}

TEST(RingDecoder, TimesThatCannotBeAreMalformed) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  wire::DevicePhaseRecord device{};
  device.duration_ns = kMin;
  RingDecoder decoder;
  const RingChunk out =
      decode_all(decoder, {phase_bytes(true, run::Phase::kSync, kMin), fact_bytes("key", "1", kMin),
                           batch_bytes(1, 2, {{.name = 1, .calls = 1, .wall_ns = kMin}}),
                           record_bytes(wire::RecordType::kDevicePhase, 6, body_of(device))});
  EXPECT_EQ(decoder.malformed(), 4U);
  EXPECT_TRUE(out.empty());
}

TEST(RingDecoder, RandomBytesNeverCrash) {
  std::mt19937 random(20);
  RingDecoder decoder;
  for (int round = 0; round < 50'000; ++round) {
    std::vector<unsigned char> bytes(sizeof(wire::RecordHead) + 8 * (random() % 24));
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
    wire::RecordHead head{};
    std::memcpy(&head, bytes.data(), sizeof head);
    head.bytes = static_cast<std::uint32_t>(bytes.size());
    head.type = static_cast<std::uint8_t>(random() % 10);
    if (random() % 2 == 0) std::memset(bytes.data() + sizeof head, 0, bytes.size() - sizeof head);
    std::memcpy(bytes.data(), &head, sizeof head);
    RingChunk out;
    decode(decoder, bytes, out);
  }
  EXPECT_GT(decoder.malformed(), 0U);
}

TEST(JsonString, ThereAndBack) {
  for (const std::string text :
       {"", "plain", "a\"b\\c", "tab\tnew\nline\x01", "Gr\u00f6\u00dfe \U0001F600"}) {
    EXPECT_EQ(json_unquote(json_quote(text)), text);
  }
  EXPECT_EQ(json_quote("a\xFF\xC3(\xED\xA0\x80"),
            "\"a?"
            "?(?"
            "??\"");
  for (const char* bad :
       {"", "\"", "x", "\"a", "\"\\n\"", "\"\\u00zz\"", "\"\\u00ff\"", "\"a\"b\""}) {
    EXPECT_EQ(json_unquote(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace flatout::record
