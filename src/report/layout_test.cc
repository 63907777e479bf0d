#include "report/layout.h"

#include <gtest/gtest.h>

namespace flatout::report {
namespace {

using Lines = std::vector<std::string>;

TEST(Layout, WrapIndentsUnderTheLabel) {
  EXPECT_EQ(wrap("Note    ", "one two three", 16, 9), (Lines{"Note    one two", "        three"}));
}

TEST(Layout, WrapKeepsANumberWithItsUnit) {
  EXPECT_EQ(wrap("", "waits for 86 % of it", 14, 9), (Lines{"waits for 86 %", "of it"}));
  EXPECT_EQ(wrap("", "waits for 86 % of it", 13, 9), (Lines{"waits for", "86 % of it"}));
}

TEST(Layout, WrapKeepsAnIntervalTogether) {
  EXPECT_EQ(wrap("", "a=1  -> x2 [1.9, 2.1], same", 20, 9),
            (Lines{"a=1", "-> x2 [1.9, 2.1],", "same"}));
}

TEST(Layout, WrapSaysWhenItCuts) {
  EXPECT_EQ(wrap("", "aaaa bbbb cccc dddd", 9, 1), (Lines{"aaaa ..."}));
}

TEST(Layout, ShortenKeepsBothEnds) {
  EXPECT_EQ(shorten("/a/very/long/path.py", 11), "/a/v...h.py");
  EXPECT_EQ(shorten("short", 11), "short");
  EXPECT_EQ(shorten("abcdef", 2), "ab");
}

TEST(Layout, AsciiReplacesCharactersNotBytes) {
  EXPECT_EQ(to_ascii("caf\xc3\xa9\t!\x1b[1m"), "caf? ! [1m");
}

TEST(Layout, PageDropsTheLeastImportantBlock) {
  Page page;
  page.add(0, {"head"});
  page.add(2, {"b1", "b2"});
  page.add(1, {"a"});
  page.add(0, {"foot"});
  EXPECT_EQ(page.text(5, 80), "head\nb1\nb2\na\nfoot\n");
  EXPECT_EQ(page.text(4, 80), "head\na\nfoot\n");
  EXPECT_EQ(page.text(2, 80), "head\nfoot\n");
}

}  // namespace
}  // namespace flatout::report
