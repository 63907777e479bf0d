#include "trial/writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workspace/tree_for_test.h"

namespace flatout::trial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using workspace::TemporaryDir;
using workspace::write;

TEST(TrialWrites, RulesNameWhatDoesNotLast) {
  const std::vector<std::string> env = {"TMPDIR=/scratch/tmp", "HOME=/h"};
  const auto out = write_environment(env, "/spill/writes",
                                     {.unlisted = {"/work", "/two\nlines"}, .listed = {"/tmp/x"}});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0], "FLATOUT_TRIAL_WRITES=/spill/writes");
  EXPECT_THAT(out[1], HasSubstr("\n-/scratch/tmp\n-/work\n+/tmp/x\n"));
  EXPECT_THAT(out[1], HasSubstr("-/proc\n"));
  EXPECT_THAT(out[1], Not(HasSubstr("two")));
}

TEST(TrialWrites, EachPathIsToldOnce) {
  const TemporaryDir dir;
  OutsideWrites writes;
  writes.take(dir / "none");
  write(dir / "file",
        "wrote\t/b\nmade\t/a\nwrote\t/b\nbroken\nwrote\t/m/__pycache__/x.pyc\nwrote\t");
  writes.take(dir / "file");
  EXPECT_FALSE(std::filesystem::exists(dir / "file"));
  write(dir / "file", "removed\t/c\nremoved\t/a\n");
  writes.take(dir / "file");
  EXPECT_THAT(writes.paths(), ElementsAre("/a", "/b", "/c"));
}

}  // namespace
}  // namespace flatout::trial
