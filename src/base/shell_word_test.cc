#include "base/shell_word.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace flatout::base {
namespace {

TEST(ShellWord, IsQuotedWhereItNeedsTo) {
  EXPECT_EQ(shell_word("--lr=0.1"), "--lr=0.1");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's $x"), "'it'\\''s $x'");
  EXPECT_EQ(shell_word("a\nb"), "'a\nb'");
  EXPECT_EQ(shell_word("caf\xc3\xa9"), "'caf\xc3\xa9'");
}

TEST(ShellWord, OfATerminalIsOneLineOfItsCharacters) {
  EXPECT_EQ(shown_shell_word("--lr=0.1", false), "--lr=0.1");
  EXPECT_EQ(shown_shell_word("it's $x", false), "'it'\\''s $x'");
  EXPECT_EQ(shown_shell_word("a\nb'", true), "$'a\\012b\\047'");
  EXPECT_EQ(shown_shell_word("caf\xc3\xa9", true), "'caf\xc3\xa9'");
  EXPECT_EQ(shown_shell_word("caf\xc3\xa9", false), "$'caf\\303\\251'");
  EXPECT_EQ(shown_shell_word("a\xff", true), "$'a\\377'") << "no UTF-8";
}

TEST(ShellLine, LosesNoCharacterForATerminal) {
  EXPECT_EQ(shown_shell_line("A='caf\xc3\xa9' ./train --lr=0.3 'a b'", false),
            "A=$'caf\\303\\251' ./train --lr=0.3 'a b'");
  EXPECT_EQ(shown_shell_line("A='caf\xc3\xa9' x", true), "A='caf\xc3\xa9' x");
  EXPECT_EQ(shown_shell_line("x 'it'\\''s\n'", true), "x 'it'\\'$'s\\012'");
  EXPECT_EQ(shown_shell_line("x ''", false), "x ''");
  EXPECT_EQ(shown_shell_line("", false), "");
}

// A file can hold any line: what is read back steers no terminal.
TEST(ShellLine, ThatNobodyQuotedSteersNothing) {
  EXPECT_EQ(shown_shell_line("a\x1b[31m 'b\n", true), "a [31m 'b ");
  EXPECT_EQ(shown_shell_line("caf\xc3\xa9\\", false), "caf?\\");
}

std::string printed_by_bash(const std::string& line) {
  const std::string command = "bash -c " + shell_word(line);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  std::array<char, 256> some{};
  while (const std::size_t got = std::fread(some.data(), 1, some.size(), pipe.get())) {
    out.append(some.data(), got);
  }
  return out;
}

TEST(ShellLine, AShellReadsTheSameWords) {
  const std::vector<std::string> words = {
      "it's",      "'",         "a\nb", "caf\xc3\xa9 \xff 1", "back\\slash", "\\'\n'",
      "$HOME `x`", "\x1b[31m7", ""};
  std::string line = "printf '<%s>'";
  std::string expected;
  for (const std::string& word : words) {
    line += " " + shell_word(word);
    expected += "<" + word + ">";
  }
  EXPECT_EQ(printed_by_bash(line), expected);
  for (const bool unicode : {false, true}) {
    const std::string shown = shown_shell_line(line, unicode);
    EXPECT_EQ(shown.find('\n'), std::string::npos);
    EXPECT_EQ(printed_by_bash(shown), expected) << shown;
    std::string each = "printf '<%s>'";
    for (const std::string& word : words) each += " " + shown_shell_word(word, unicode);
    EXPECT_EQ(printed_by_bash(each), expected) << each;
  }
}

}  // namespace
}  // namespace flatout::base
