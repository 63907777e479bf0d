#include "report/layout.h"

#include <gtest/gtest.h>

namespace flatout::report {
namespace {

using Texts = std::vector<std::string>;

TEST(Layout, WrapIndentsUnderTheLabel) {
  EXPECT_EQ(wrap("Note    ", "one two three four five six seven eight", 40),
            (Texts{"Note    one two three four five six", "        seven eight"}));
}

TEST(Layout, WrapKeepsANumberWithItsUnit) {
  const std::string lead(29, 'x');
  EXPECT_EQ(wrap("", lead + " waits 86 % of it", 41), (Texts{lead + " waits 86 %", "of it"}));
  EXPECT_EQ(wrap("", lead + " waits 86 % of it", 40), (Texts{lead + " waits 86 %", "of it"}));
  EXPECT_EQ(wrap("", "x" + lead + " waits 86 % of it", 40),
            (Texts{"x" + lead + " waits", "86 % of it"}));
}

TEST(Layout, WrapKeepsAnIntervalTogether) {
  const std::string lead(28, 'x');
  EXPECT_EQ(wrap("", lead + "  -> x2 [1.9, 2.1], same", 40),
            (Texts{lead, "-> x2 [1.9, 2.1], same"}));
  EXPECT_EQ(wrap("", lead + "  -> 2x slower [1.9, 2.1], same", 40),
            (Texts{lead, "-> 2x slower [1.9, 2.1], same"}));
}

TEST(Layout, WrapCutsNothing) {
  const std::string word(100, 'w');
  EXPECT_EQ(wrap("Note    ", "a " + word, 40),
            (Texts{"Note    a", "        " + word.substr(0, 32), "        " + word.substr(0, 32),
                   "        " + word.substr(0, 32), "        wwww"}));
}

TEST(Layout, AToneIsOpenOnItsLinesAlone) {
  const std::string lead(38, 'x');
  Style style;
  style.colour = true;
  const auto lines = wrap("", lead + " " + toned(Tone::kGain, "one two"), 42);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(finished(lines[0], style), lead + " \x1b[32mone\x1b[0m");
  EXPECT_EQ(finished(lines[1], style), "\x1b[32mtwo\x1b[0m");
  EXPECT_EQ(finished(lines[1], {}), "two");
}

TEST(Layout, NobodysTextMakesAColour) {
  Style style;
  style.colour = style.unicode = true;
  const std::string hostile = "a\x1b[31mb" + toned(Tone::kLoss, "c") + "\xc2\x9b" + "31m";
  EXPECT_EQ(finished(cleaned(hostile, style), style), "a [31mb c  31m");
}

TEST(Layout, WidthIsInColumnsOfATerminal) {
  EXPECT_EQ(width_of("caf\xc3\xa9"), 4U);
  EXPECT_EQ(width_of("\xe5\x9b\xbe"), 2U) << "a wide character";
  EXPECT_EQ(width_of("e\xcc\x81"), 1U) << "a mark over the one before it";
  EXPECT_EQ(width_of(toned(Tone::kGain, "ab")), 2U);
  EXPECT_EQ(padded("\xe5\x9b\xbe", 4) + "|", "\xe5\x9b\xbe  |");
  EXPECT_EQ(padded_left("ab", 4), "  ab");
}

TEST(Layout, UnicodeStaysWhereItMay) {
  Style style;
  style.unicode = true;
  EXPECT_EQ(cleaned("caf\xc3\xa9 \xff \xc3 \xed\xa0\x80", style), "caf\xc3\xa9 ? ? ???");
  EXPECT_EQ(cleaned("a\xe2\x80\xae"
                    "b",
                    style),
            "a b")
      << "what turns text around";
}

TEST(Layout, CommandsCanBeCopied) {
  const Style style = {.columns = 40};
  EXPECT_EQ(command_lines("Next: ", {"flatout", "tune"}, style), (Texts{"Next: flatout tune"}));
  EXPECT_EQ(
      command_lines("Next: ", {"flatout", "tune", "--", "python", "a/long/path/train.py"}, style),
      (Texts{"Next: flatout tune -- python \\", "    a/long/path/train.py"}));
  const std::string word(100, 'w');
  EXPECT_EQ(command_lines("", {"x", word, "y"}, style),
            (Texts{"x \\", word.substr(0, 38) + "\\", word.substr(0, 38) + "\\",
                   word.substr(0, 24) + " y"}));
}

TEST(Layout, AnOptionStaysWithItsValue) {
  const Style style = {.columns = 40};
  EXPECT_EQ(
      command_lines("", {"flatout", "tune", "--", "python", "train.py", "--steps", "18"}, style),
      (Texts{"flatout tune -- python train.py \\", "    --steps 18"}));
  EXPECT_EQ(command_lines("", {"run", "--", "python", "--verbose", "--out", "x", "y"}, style),
            (Texts{"run -- python --verbose --out x y"}));
}

TEST(Layout, ShortenKeepsBothEnds) {
  EXPECT_EQ(shorten("/a/very/long/path.py", 11), "/a/v...h.py");
  EXPECT_EQ(shorten("short", 11), "short");
  EXPECT_EQ(shorten("abcdef", 2), "ab");
}

TEST(Layout, AsciiReplacesCharactersNotBytes) {
  EXPECT_EQ(to_ascii("caf\xc3\xa9\t!\x1b[1m"), "caf? ! [1m");
}

TEST(Layout, ShortenGoesByCharacters) {
  EXPECT_EQ(shorten("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 5), "\xc3\xa9...\xc3\xa9");
}

TEST(Layout, PageDropsTheLeastImportantBlock) {
  Page page;
  page.add({.rank = 0, .lines = {"head"}});
  page.add({.rank = 2, .lines = {"b1", "b2"}});
  page.add({.rank = 1, .lines = {"a"}});
  page.add({.rank = 0, .lines = {"foot"}});
  EXPECT_EQ(page.text(5), "head\nb1\nb2\na\nfoot\n");
  EXPECT_EQ(page.text(4), "head\na\nfoot\n");
  EXPECT_EQ(page.text(2), "head\nfoot\n");
  EXPECT_EQ(page.text(1), "head\nfoot\n") << "what is never left out";
}

TEST(Layout, PageSaysThingsShorterBeforeItLeavesAnyOut) {
  Page page;
  page.add({.rank = 1, .lines = {"a1", "a2", "a3"}, .shorter = {"a"}});
  page.add({.rank = 2, .lines = {"b1", "b2"}, .shorter = {"b"}});
  page.add({.rank = 3, .lines = {"c"}});
  EXPECT_EQ(page.text(6), "a1\na2\na3\nb1\nb2\nc\n");
  EXPECT_EQ(page.text(5), "a1\na2\na3\nb\nc\n");
  EXPECT_EQ(page.text(4), "a\nb\nc\n");
  EXPECT_EQ(page.text(2), "a\nb\n");
  page.add({.rank = 2, .lines = {"d1", "d2"}});
  EXPECT_EQ(page.text(3), "a\nb\nc\n") << "what is less important, where it fits";
}

}  // namespace
}  // namespace flatout::report
