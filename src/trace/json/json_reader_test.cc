#include "trace/json/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "trace/json/scalars.h"

namespace flatout::trace {
namespace {

// Hands out a few bytes at a time, so that every value meets the end of a buffer.
class Drops : public ByteSource {
 public:
  Drops(std::string_view bytes, std::size_t most) : left_(bytes), most_(most) {}
  base::Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min({into.size(), left_.size(), most_});
    std::ranges::copy(left_.substr(0, count), into.begin());
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
  std::size_t most_;
};

// The values as one line, as they were understood: objects and arrays in brackets.
std::string shown(JsonReader& json) {
  switch (json.peek()) {
    case JsonReader::Kind::kObject: {
      std::string out = "{";
      json.enter();
      while (json.next_key()) {
        out += std::string(json.key()) + "=";
        out += shown(json) + ";";
      }
      return out + "}";
    }
    case JsonReader::Kind::kArray: {
      std::string out = "[";
      json.enter();
      while (json.next_item()) out += shown(json) + ";";
      return out + "]";
    }
    default:
      return std::string(json.text());
  }
}

std::string read(std::string_view text, std::size_t drop = 1) {
  Drops drops(text, drop);
  JsonReader json(drops);
  const std::string out = shown(json);
  return json.failed() ? out + "!" + json.error() : out;
}

TEST(JsonReader, ReadsValuesWhereverTheBufferEnds) {
  const std::string text =
      R"( {"a": 1.5e3, "b":[true , null,-Infinity,[]], "c\"d":"x\u00e9\n\uD83D\uDE00", "e":{}} )";
  const std::string expected =
      "{a=1.5e3;b=[true;null;-Infinity;[];];c\"d=x\u00e9\n\U0001F600;e={};}";
  for (const std::size_t drop : {1U, 2U, 3U, 5U, 7U, 64U, 4096U}) {
    EXPECT_EQ(read(text, drop), expected) << drop;
  }
}

TEST(JsonReader, TakesWhatTracesAreWrittenWith) {
  EXPECT_EQ(read("[1,,2,]"), "[1;2;]");                          // doubled and trailing commas
  EXPECT_EQ(read("[{\"a\":1} {\"a\":2}]"), "[{a=1;};{a=2;};]");  // missing ones
  EXPECT_EQ(read("{\"a\":1,\"a\":2}"), "{a=1;a=2;}");
  EXPECT_EQ(read("[\"a\tb\x01\"]"), "[a\tb\x01;]");  // control characters as they are
  EXPECT_EQ(read("\xEF\xBB\xBF[1]", 64), "[1;]");
  EXPECT_EQ(read("[99999999999999999999999999,NaN]"), "[99999999999999999999999999;NaN;]");
  EXPECT_EQ(read("[\"\\uD800x\",\"\\uD800\\n\",\"\\q\"]"), "[\uFFFDx;\uFFFD\n;q;]");
}

TEST(JsonReader, SaysAtWhichByteItEnded) {
  EXPECT_EQ(read("{\"a\":[1"), "{a=[1;];}!the text ends in the middle of a value at byte 7");
  EXPECT_EQ(read("{\"a\" 1}"), "{}!a colon is missing at byte 5");
  EXPECT_EQ(read("{1:2}"), "{}!a name in quotes is missing at byte 1");
  EXPECT_EQ(read("[1}"), "[1;]!a value is missing at byte 2");
  EXPECT_EQ(read("[\"abc"), "[abc;]!the text ends in the middle of a value at byte 5");
}

TEST(JsonReader, SkipsWhatNobodyAsksFor) {
  const std::string text = R"({"x":{"a":["}]\"",{"b":[[]]}],"c":"\\"},"y":7})";
  for (const std::size_t drop : {1U, 3U, 4096U}) {
    Drops drops(text, drop);
    JsonReader json(drops);
    ASSERT_TRUE(json.enter());
    ASSERT_TRUE(json.next_key());
    json.skip();
    ASSERT_TRUE(json.next_key());
    EXPECT_EQ(json.key(), "y");
    EXPECT_EQ(json.scalar(), "7");
    EXPECT_FALSE(json.next_key());
    EXPECT_FALSE(json.failed()) << json.error();
  }
}

TEST(JsonReader, KeepsTheBeginningOfALongString) {
  const std::string text = "[\"" + std::string(JsonReader::kLongestString * 3, 'x') + "\\\"\",1]";
  Drops drops(text, 1000);
  JsonReader json(drops);
  ASSERT_TRUE(json.enter() && json.next_item());
  EXPECT_EQ(json.string().size(), JsonReader::kLongestString);
  ASSERT_TRUE(json.next_item());
  EXPECT_EQ(json.scalar(), "1");
}

TEST(JsonReader, GoesDeepWithoutAStack) {
  const std::string text = "[" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + ",1]";
  MemoryBytes bytes(text);
  JsonReader json(bytes);
  ASSERT_TRUE(json.enter() && json.next_item());
  json.skip();
  ASSERT_TRUE(json.next_item());
  EXPECT_EQ(json.text(), "1");
}

TEST(Scalars, TimesKeepTheirNanoseconds) {
  EXPECT_EQ(microseconds_as_ns("1623142623460111"), 1623142623460111000);
  EXPECT_EQ(microseconds_as_ns("1419247332972.313"), 1419247332972313);
  EXPECT_EQ(microseconds_as_ns("-1.5"), -1500);
  EXPECT_EQ(microseconds_as_ns("0.0009"), 0);
  EXPECT_EQ(microseconds_as_ns("7.1234567"), 7123);
  EXPECT_EQ(microseconds_as_ns("1.5e3"), 1'500'000);
  for (const char* text :
       {"", "-", ".", "x", "NaN", "Infinity", "1e300", "99999999999999999999", "1.5x"}) {
    EXPECT_EQ(microseconds_as_ns(text), std::nullopt) << text;
  }
}

TEST(Scalars, NumbersThatDoNotFitAreAbsent) {
  EXPECT_EQ(as_int("-7"), -7);
  EXPECT_EQ(as_int("7.9"), 7);
  EXPECT_EQ(as_int("1e30"), std::nullopt);
  EXPECT_EQ(as_unsigned("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(as_unsigned("-1"), std::nullopt);
  EXPECT_EQ(as_unsigned("184467440737095516150"), std::nullopt);
  EXPECT_EQ(as_double("Infinity"), std::nullopt);
}

// Wherever the buffer ends in it.
TEST(JsonReader, RawGivesAValueAsItStands) {
  for (const std::size_t before : {1UL, 6UL, 9UL, 19UL, 27UL, 100UL}) {
    const std::string text = std::string(JsonReader::kBufferBytes - before, ' ') +
                             R"({"a":[[1, 2], ["x\"]", {}]] ,"b":"text","c":7,"d":[)";
    MemoryBytes bytes(text);
    JsonReader json(bytes);
    ASSERT_TRUE(json.enter());
    ASSERT_TRUE(json.next_key());
    EXPECT_EQ(json.raw(), R"([[1, 2], ["x\"]", {}]])");
    ASSERT_TRUE(json.next_key());
    EXPECT_EQ(json.raw(), "text");
    ASSERT_TRUE(json.next_key());
    EXPECT_EQ(json.raw(), "7");
    ASSERT_TRUE(json.next_key());
    EXPECT_EQ(json.raw(), "");
    EXPECT_TRUE(json.failed());
  }
}

TEST(JsonReader, RawOfAValueThatIsTooLongPassesIt) {
  const std::string text = "[[" + std::string(JsonReader::kLongestString, ' ') + "],5]";
  MemoryBytes bytes(text);
  JsonReader json(bytes);
  ASSERT_TRUE(json.enter());
  ASSERT_TRUE(json.next_item());
  EXPECT_EQ(json.raw(), "");
  ASSERT_TRUE(json.next_item());
  EXPECT_EQ(json.scalar(), "5");
}

}  // namespace
}  // namespace flatout::trace
