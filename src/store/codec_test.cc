#include "store/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "store/store_fixture.h"
#include "store/varint.h"

namespace flatout::store {
namespace {

constexpr auto kMaxTime = std::numeric_limits<std::int64_t>::max();
constexpr auto kMinTime = std::numeric_limits<std::int64_t>::min();

TEST(Varint, ExtremesComeBack) {
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63},
                                   std::int64_t{-64}, std::int64_t{64}, kMaxTime, kMinTime}) {
    std::string out;
    put_signed(out, value);
    ByteReader in(out);
    EXPECT_EQ(in.signed_varint(), value);
    EXPECT_TRUE(in.ok() && in.at_end());
  }
  ByteReader too_long("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  too_long.varint();
  EXPECT_FALSE(too_long.ok());
}

TEST(Codec, InfoComesBack) {
  const auto info = sample_info("k7f2");
  const auto back = decode_info(encode_info(info));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(encode_info(*back), encode_info(info));
  EXPECT_EQ(back->recorder_start_ticks, info.recorder_start_ticks);
  EXPECT_EQ(back->program_pid, info.program_pid);
  EXPECT_EQ(back->program_start_ticks, info.program_start_ticks);
  EXPECT_EQ(back->command, info.command);
  EXPECT_EQ(back->started_wall_ns, info.started_wall_ns);
  EXPECT_EQ(back->cpu_limit, info.cpu_limit);
}

TEST(Codec, DeviceComesBackWithWhatIsAbsentStillAbsent) {
  run::Device bare;
  bare.index = 3;
  bare.vendor = "amd";
  const auto nothing_more = decode_device(encode_device(bare));
  ASSERT_TRUE(nothing_more);
  EXPECT_EQ(*nothing_more, bare);
  run::Device full = bare;
  full.visible_index = 0;
  full.mig = "off";
  full.memory_total_bytes = 1LL << 37;
  full.power_limit_w = 712.5;
  full.unavailable = {{"device.gpm.sm", "needs Hopper or later"}};
  const auto back = decode_device(encode_device(full));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, full);
  EXPECT_FALSE(decode_device(R"({"name":"without an index"})"));
  EXPECT_FALSE(decode_device(R"({"index":0,"power_limit_w":"much"})"));
}

TEST(Codec, TextThatIsNotUtf8IsStoredReadably) {
  auto info = sample_info("k7f2");
  info.command = {"cat", "caf\xe9"};
  const auto back = decode_info(encode_info(info));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->command[1], "caf\xef\xbf\xbd");
}

TEST(Codec, SeldomNounsComeBack) {
  const run::Proc proc{.pid = 7,
                       .parent = 1,
                       .start_ticks = 99,
                       .seen_ns = 5,
                       .gone_ns = 6,
                       .role = run::ProcRole::kWorker,
                       .rank = 2,
                       .worker_id = 3,
                       .command = "a b"};
  const auto proc_back = decode_proc(encode_proc(proc));
  ASSERT_TRUE(proc_back);
  EXPECT_EQ(encode_proc(*proc_back), encode_proc(proc));
  EXPECT_EQ(proc_back->role, run::ProcRole::kWorker);

  const run::Lane lane{.lane = 65535, .tid = -3, .is_main = true};
  EXPECT_EQ(decode_lane(encode_lane(9, lane))->value, lane);
  const run::Fact fact{.t_ns = -1, .key = "loader", .json = R"({"a":1.0,"b":"\u00e9"})"};
  EXPECT_EQ(decode_fact(encode_fact(9, fact))->value, fact);
  const auto counts = decode_counts(encode_counts({.events = ~0ULL, .dropped = 1}));
  EXPECT_EQ(counts->events, ~0ULL);
  const auto end =
      decode_end(encode_end({.t_ns = kMaxTime, .exit_code = 3, .signal = 9, .survivors = {5, 6}}));
  EXPECT_EQ(end->t_ns, kMaxTime);
  EXPECT_EQ(end->signal, 9);
  EXPECT_THAT(end->survivors, testing::ElementsAre(5, 6));
  EXPECT_EQ(decode_dropped(encode_dropped({3, 4}))->bytes, 4U);
  EXPECT_EQ(decode_recovered(encode_recovered({77}))->wall_ns, 77);
}

TEST(Codec, BadJsonIsAnErrorThatNamesTheField) {
  struct Case {
    std::string payload;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {"", "is no JSON"},
      {"[1]", "is no JSON object"},
      {"{", "is no JSON"},
      {R"({"pid":1,"lane":70000})", "\"lane\""},
      {R"({"pid":1,"lane":-1})", "\"lane\""},
      {R"({"pid":"1","lane":0})", "\"pid\""},
      {R"({"pid":3000000000,"lane":0})", "\"pid\""},
      {R"({"pid":1.5,"lane":0})", "\"pid\""},
      {R"({"lane":0})", "lacks \"pid\""},
      {R"({"pid":1,"lane":0,"is_main":1})", "\"is_main\""},
      {std::string(100'000, '['), "is no JSON"},
  };
  for (const auto& [payload, expected] : cases) {
    const auto lane = decode_lane(payload);
    ASSERT_FALSE(lane) << payload.substr(0, 40);
    EXPECT_EQ(lane.error().code, base::ErrorCode::kCorrupt);
    EXPECT_THAT(lane.error().message, testing::HasSubstr(expected));
  }
  EXPECT_FALSE(decode_proc(R"({"pid":1,"role":"king"})"));
  EXPECT_TRUE(decode_proc(R"({"pid":1,"a key of tomorrow":[[{}]]})"));
}

TEST(Codec, ColumnsComeBack) {
  auto events = sample_steps(20, 1'000'000'000'000);
  events.push_back({kMaxTime, ~0ULL, ~0U, ~0U, 65535, run::Phase::kIterBuild, true});
  events.push_back({kMinTime, 0, 0, 1, 2, run::Phase::kComm, false});
  const auto phases = decode_phases(encode_phases(77, events));
  ASSERT_TRUE(phases);
  EXPECT_EQ(phases->pid, 77);
  EXPECT_EQ(phases->value, events);

  auto batches = sample_batches(9, 123);
  batches.push_back({.begin_ns = kMinTime, .end_ns = kMaxTime, .cpu_ns = -5, .stages = {}});
  const auto batches_back = decode_batches(encode_batches(8, batches));
  ASSERT_TRUE(batches_back);
  EXPECT_EQ(batches_back->value, batches);

  const auto device = decode_device_phases(encode_device_phases(6, sample_device_phases()));
  ASSERT_TRUE(device);
  EXPECT_EQ(device->value, sample_device_phases());

  EXPECT_TRUE(decode_phases(encode_phases(1, {}))->value.empty());

  const auto values = decode_values(encode_values(5, sample_values()));
  ASSERT_TRUE(values);
  EXPECT_EQ(values->pid, 5);
  EXPECT_EQ(values->value, sample_values());
  EXPECT_TRUE(decode_values(encode_values(1, {}))->value.empty());
}

TEST(Codec, ValuesOfTrackedRunsComeBack) {
  auto values = sample_values();
  const std::string without = encode_values(5, values);
  values[1].track = values[2].track = 3;
  values[3].name = std::string(512, 'n');
  const std::string payload = encode_values(5, values);
  const auto back = decode_values(payload);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->value, values);
  // Runs that go beyond the values, or end before them.
  EXPECT_FALSE(decode_values(payload + std::string("\x01\x01", 2)));
  EXPECT_FALSE(decode_values(std::string_view(payload).substr(0, payload.size() - 2)));
  EXPECT_FALSE(decode_values(without + std::string("\x00\x03", 2)));
  EXPECT_FALSE(decode_values(without + std::string("\x05\x03", 2)));
  EXPECT_TRUE(decode_values(without + std::string("\x04\x03", 2)));
}

TEST(Codec, SamplesComeBackBitForBit) {
  auto samples = sample_tick(3, 4);
  for (const double value : {0.0, -0.0, -1.0, 1e300, 9007199254740993.0, -9007199254740992.0,
                             5e-324, std::numeric_limits<double>::infinity(), std::nan("")}) {
    samples.push_back({kMinTime, value, -2147483647 - 1, static_cast<run::Metric>(65535)});
  }
  const auto back = decode_samples(encode_samples(samples));
  ASSERT_TRUE(back);
  ASSERT_EQ(back->size(), samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>((*back)[i].value),
              std::bit_cast<std::uint64_t>(samples[i].value));
    EXPECT_EQ((*back)[i].source, samples[i].source);
    EXPECT_EQ((*back)[i].metric, samples[i].metric);
    EXPECT_EQ((*back)[i].t_ns, samples[i].t_ns);
  }
}

TEST(Codec, RandomEventsComeBack) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<run::PhaseEvent> events(random() % 50);
    for (auto& event : events) {
      event = {static_cast<std::int64_t>(random() >> (random() % 64)),
               random() % 3 == 0 ? 0 : random() >> (random() % 64),
               static_cast<std::uint32_t>(random() % 32),
               static_cast<std::uint32_t>(random() >> (random() % 64)),
               static_cast<std::uint16_t>(random() % 3),
               static_cast<run::Phase>(random() % run::kPhaseNames.size()),
               random() % 2 == 0};
    }
    const auto back = decode_phases(encode_phases(3, events));
    ASSERT_TRUE(back);
    ASSERT_EQ(back->value, events);
  }
}

// Whatever a payload holds, a decoder returns, and needs no more memory than
// the payload's size allows.
TEST(Codec, EveryTruncationAndFlipIsSurvived) {
  const std::vector<std::pair<std::string, std::function<bool(std::string_view)>>> codecs = {
      {encode_phases(7, sample_steps(3, 99)),
       [](std::string_view p) { return decode_phases(p).has_value(); }},
      {encode_batches(7, sample_batches(3, 99)),
       [](std::string_view p) { return decode_batches(p).has_value(); }},
      {encode_device_phases(7, sample_device_phases()),
       [](std::string_view p) { return decode_device_phases(p).has_value(); }},
      {encode_values(7, sample_values()),
       [](std::string_view p) { return decode_values(p).has_value(); }},
      {encode_samples(sample_tick(1, 2)),
       [](std::string_view p) { return decode_samples(p).has_value(); }},
      {encode_info(sample_info("abcd")),
       [](std::string_view p) { return decode_info(p).has_value(); }},
      {encode_end({.t_ns = 1, .exit_code = 0, .signal = 0, .survivors = {2, 3}}),
       [](std::string_view p) { return decode_end(p).has_value(); }},
  };
  for (const auto& [payload, decodes] : codecs) {
    ASSERT_TRUE(decodes(payload));
    for (std::size_t cut = 0; cut < payload.size(); ++cut) {
      EXPECT_FALSE(decodes(std::string_view(payload).substr(0, cut))) << cut;
    }
    EXPECT_FALSE(decodes(payload + "x"));
    for (std::size_t at = 0; at < payload.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        auto flipped = payload;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
        (void)decodes(flipped);
      }
    }
  }
}

TEST(Codec, CountsThatPromiseMoreThanThereIsAreRefused) {
  std::string payload;
  put_signed(payload, 1);
  put_varint(payload, 1ULL << 40);
  EXPECT_FALSE(decode_phases(payload));
  EXPECT_FALSE(decode_batches(payload));
  EXPECT_FALSE(decode_device_phases(payload));
  EXPECT_FALSE(decode_values(payload));
  EXPECT_FALSE(decode_samples(payload.substr(1)));
}

TEST(Codec, OneLongNameUsedOverAndOverIsRefused) {
  std::string payload;
  put_signed(payload, 1);
  put_varint(payload, 1);
  put_varint(payload, 1);
  put_varint(payload, 256);
  payload.append(256, 'n');
  for (int i = 0; i < 10; ++i) put_varint(payload, 0);
  put_varint(payload, 300'000);
  for (int i = 0; i < 300'000; ++i) payload.append(3, '\0');
  EXPECT_FALSE(decode_batches(payload));
}

}  // namespace
}  // namespace flatout::store
