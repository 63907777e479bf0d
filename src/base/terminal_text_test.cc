#include "base/terminal_text.h"

#include <gtest/gtest.h>

namespace flatout::base {
namespace {

TEST(TerminalText, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("plain"), 5U);
  EXPECT_EQ(display_width("größe"), 5U);
  EXPECT_EQ(display_width("学習"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U) << "an accent joins the letter before it";
  EXPECT_EQ(display_width("\U0001f680"), 2U);
  EXPECT_EQ(display_width("ア"), 2U);
  EXPECT_EQ(display_width("ｱ"), 1U) << "half width";
  EXPECT_EQ(display_width(""), 0U);
}

TEST(TerminalText, SteersNothing) {
  EXPECT_EQ(terminal_text("a\x1b[31mb\tc\n", true), "a [31mb c ");
  EXPECT_EQ(terminal_text("\u009b2J", true), " 2J") << "a control of two bytes";
  EXPECT_EQ(terminal_text("a\u202eb", true), "a b") << "turns the direction of writing";
  EXPECT_EQ(terminal_text("a\xff\xc3", true), "a??");
  EXPECT_EQ(terminal_text("\xed\xa0\x80", true), "???") << "a surrogate";
  EXPECT_EQ(terminal_text("\xc0\xaf", true), "??") << "too long for its value";
  EXPECT_EQ(terminal_text("größe 学習", true), "größe 学習");
  EXPECT_EQ(terminal_text("größe 学習", false), "gr??e ??");
}

TEST(TerminalText, IsCutInTheMiddleAndNeverInACharacter) {
  EXPECT_EQ(shorten_to("/data/pictures/train", 11), "/dat...rain");
  EXPECT_EQ(shorten_to("short", 5), "short");
  EXPECT_EQ(shorten_to("学習学習学習", 8), "学...習")
      << "three columns at the end hold one of them, no half";
  EXPECT_EQ(shorten_to("anything", 2), "..");
  EXPECT_EQ(shorten_to("anything", 0), "");
  for (std::size_t columns = 0; columns < 20; ++columns) {
    for (const char* text :
         {"学習/größe/e\u0301e\u0301e\u0301.py", "\U0001f680\U0001f680\U0001f680\U0001f680x"}) {
      EXPECT_LE(display_width(shorten_to(text, columns)), columns) << text;
      EXPECT_EQ(terminal_text(shorten_to(text, columns), true), shorten_to(text, columns)) << text;
    }
  }
}

TEST(TerminalText, IsPaddedToColumns) {
  EXPECT_EQ(padded_to("学", 4), "学  ");
  EXPECT_EQ(padded_to("long", 2), "long");
}

}  // namespace
}  // namespace flatout::base
