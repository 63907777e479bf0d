#include "report/unified_diff.h"

#include <gtest/gtest.h>

namespace flatout::report {
namespace {

std::string numbered(int from, int to) {
  std::string out;
  for (int i = from; i <= to; ++i) out += std::to_string(i) + "\n";
  return out;
}

TEST(UnifiedDiff, OneChangeWithItsContext) {
  EXPECT_EQ(unified_diff("a/t.py", numbered(1, 9), numbered(1, 4) + "x\n" + numbered(6, 9)),
            "--- a/a/t.py\n+++ b/a/t.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff("t.py", numbered(1, 9), numbered(1, 9)), "");
}

TEST(UnifiedDiff, ChangesThatAreFarApartAreHunksOfTheirOwn) {
  const std::string after = "x\n" + numbered(2, 19) + "y\nz\n" + numbered(21, 30);
  EXPECT_EQ(unified_diff("t.py", numbered(1, 30), after),
            "--- a/t.py\n+++ b/t.py\n@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n"
            "@@ -17,7 +17,8 @@\n 17\n 18\n 19\n-20\n+y\n+z\n 21\n 22\n 23\n");
  // Six lines between them: the contexts meet.
  EXPECT_EQ(unified_diff("t.py", numbered(1, 8), "x\n" + numbered(2, 7) + "y\n"),
            "--- a/t.py\n+++ b/t.py\n@@ -1,8 +1,8 @@\n-1\n+x\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+y\n");
}

TEST(UnifiedDiff, TheEndsOfFiles) {
  EXPECT_EQ(unified_diff("t.py", "a\nb", "a\nb, c"),
            "--- a/t.py\n+++ b/t.py\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n"
            "+b, c\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("t.py", "", "a\n"), "--- a/t.py\n+++ b/t.py\n@@ -0,0 +1,1 @@\n+a\n");
  EXPECT_EQ(unified_diff("t.py", "a\n", ""), "--- a/t.py\n+++ b/t.py\n@@ -1,1 +0,0 @@\n-a\n");
}

}  // namespace
}  // namespace flatout::report
