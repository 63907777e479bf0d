#include "capi/track/json_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace flatout::capi {
namespace {

std::string text_of(const JsonText& text) { return std::string(text.data(), text.size()); }

TEST(JsonText, EscapesAndReplaces) {
  JsonText text;
  text.quoted("a\"\\\n\x7f\xff\xed\xa0\x80\xe2\x82\xac", 100);
  EXPECT_EQ(text_of(text),
            "\"a\\u0022\\u005c\\u000a\\u007f\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2"
            "\x82\xac\"");
}

TEST(JsonText, IsCutBetweenCharacters) {
  for (std::size_t most = 0; most <= 7; ++most) {
    JsonText text;
    text.quoted("\xe2\x82\xac\xe2\x82\xac", most);
    std::string expected;
    for (std::size_t i = 0; i < most / 3; ++i) expected += "\xe2\x82\xac";
    EXPECT_EQ(text_of(text), "\"" + expected + "\"") << most;
  }
  JsonText text;
  text.quoted(nullptr, 5);
  EXPECT_EQ(text_of(text), "\"\"");
}

TEST(JsonText, NumbersComeBack) {
  for (const double value : {0.1, 5.0, -0.0, 1e300, 1.0 / 3, 123456789012345678.0}) {
    JsonText text;
    text.number(value);
    EXPECT_EQ(std::stod(text_of(text)), value);
  }
  JsonText text;
  text.number(0.1).raw(" ").number(-std::numeric_limits<double>::infinity()).raw(" ");
  text.number(std::nan(""));
  EXPECT_EQ(text_of(text), R"(0.1 "-Infinity" "NaN")");
}

TEST(JsonText, NumbersHaveAPointInAnyLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "ps_AF.UTF-8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_NUMERIC, locale) == nullptr) continue;
    JsonText text;
    text.number(-1.5e-7);
    EXPECT_EQ(text_of(text), "-1.5e-07") << locale;
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(JsonCheck, TakesWhatTheReaderTakes) {
  for (const std::string_view good :
       {R"({})", R"( {"a" : [1, -0.5e+3, true, false, null, "x\u00e9\ud83d\ude00\n"]} )",
        R"({"a":{"b":{"c":[[],{}]}}})", R"({"a":1e-999})"}) {
    EXPECT_TRUE(is_json_object(good.data(), good.size())) << good;
  }
  for (const std::string_view bad : {"",
                                     "[]",
                                     "1",
                                     "{",
                                     "{}x",
                                     R"({"a"})",
                                     R"({"a":})",
                                     R"({"a":1,})",
                                     R"({a:1})",
                                     R"({"a":01})",
                                     R"({"a":1.})",
                                     R"({"a":.5})",
                                     R"({"a":+1})",
                                     R"({"a":1e})",
                                     R"({"a":nan})",
                                     R"({"a":1e999})",
                                     R"({"a":"\x"})",
                                     R"({"a":"\ud800"})",
                                     R"({"a":"\udc00"})",
                                     R"({"a":"\ud800\u0041"})",
                                     "{\"a\":\"\n\"}",
                                     "{\"a\":\"\xff\"}",
                                     R"({"a":tru)"}) {
    EXPECT_FALSE(is_json_object(bad.data(), bad.size())) << bad;
  }
  const std::string deep = R"({"a":)" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_FALSE(is_json_object(deep.data(), deep.size()));
}

}  // namespace
}  // namespace flatout::capi
