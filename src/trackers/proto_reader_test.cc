#include "trackers/proto_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "trackers/json_text.h"
#include "trackers/tensorboard/event.h"
#include "trackers/tensorboard/record_file.h"

namespace flatout::trackers {
namespace {

using namespace std::string_view_literals;

TEST(ProtoReader, GivesFieldsOfEachKind) {
  // 1: varint 150; 2: "ab"; 3: double 1.5; 4: float -2
  const auto message =
      "\x08\x96\x01\x12\x02"
      "ab\x19\x00\x00\x00\x00\x00\x00\xf8\x3f\x25\x00\x00\x00\xc0"sv;
  ProtoReader reader(message);
  EXPECT_EQ(reader.next()->as_int(), 150);
  EXPECT_EQ(reader.next()->text(), "ab");
  EXPECT_EQ(reader.next()->as_double(), 1.5);
  EXPECT_EQ(reader.next()->as_double(), -2);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.whole());
}

TEST(ProtoReader, WhatDoesNotFitEndsIt) {
  for (const auto& broken : {"\x12\x05"
                             "ab"sv,
                             "\x08"sv, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,
                             "\x19\x00"sv, "\x00\x01"sv, "\x0b"sv}) {
    ProtoReader reader(broken);
    while (reader.next()) {
    }
    EXPECT_FALSE(reader.whole());
  }
}

TEST(ProtoReaderProperty, AnyBytesEnd) {
  std::minstd_rand dice(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(dice() % 64, '\0');
    for (char& byte : bytes) byte = static_cast<char>(dice());
    ProtoReader reader(bytes);
    std::size_t given = 0;
    while (reader.next()) ++given;
    EXPECT_LE(given, bytes.size());
    (void)tensorboard::event_of(bytes);
    (void)tensorboard::hparams_of(bytes);
  }
}

TEST(JsonText, PythonsNumbersAreNumbers) {
  EXPECT_EQ(number_of("1e3"), 1000);
  EXPECT_EQ(number_of("true"), 1);
  EXPECT_TRUE(std::isnan(*number_of("NaN")));
  EXPECT_EQ(number_of("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(number_of("\"1\""));
  EXPECT_FALSE(number_of(""));
  EXPECT_FALSE(number_of("1 2"));
}

TEST(JsonText, NonFiniteNumbersWithinAreTexts) {
  EXPECT_EQ(text_of(*json_of(R"({"a":[NaN,-Infinity,1],"b":"NaN and \"Infinity"})")),
            R"({"a":["NaN","-Infinity",1],"b":"NaN and \"Infinity"})");
  EXPECT_FALSE(json_of("{nope}"));
  EXPECT_FALSE(json_of(std::string(100'000, '[')));
}

TEST(JsonText, PathsNest) {
  Json into = Json::object();
  set_at(into, "a.b", '.', 1);
  set_at(into, "a.c", '.', 2);
  set_at(into, "a.b.d", '.', 3);
  EXPECT_EQ(text_of(into), R"({"a":{"b":{"d":3},"c":2}})");
}

// tensorflow/core/lib/hash/crc32c_test.cc holds the same check value of "123456789".
TEST(RecordFile, ChecksumIsThatOfTfRecord) {
  const std::uint32_t masked = tensorboard::masked_crc("123456789");
  const std::uint32_t rotated = masked - 0xa282ead8U;
  EXPECT_EQ(rotated << 15 | rotated >> 17, 0xe3069283U);
}

}  // namespace
}  // namespace flatout::trackers
