#include "app/table_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

class TableFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/flatout-table-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string content() { return base::read_file(path()).value_or("(none)"); }
  fs::path path() const { return folder_ / "steps.csv"; }

  fs::path folder_;
};

TEST_F(TableFileTest, IsThereOnlyWhenFinished) {
  auto file = TableFile::create(path());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("a,b\n"));
  ASSERT_TRUE(file->write("1,2\n"));
  EXPECT_FALSE(fs::exists(path()));
  ASSERT_TRUE(file->finish(false));
  EXPECT_EQ(content(), "a,b\n1,2\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(TableFileTest, NeverReplacesUnasked) {
  ASSERT_TRUE(base::write_file_atomic(path(), "mine"));
  auto file = TableFile::create(path());
  ASSERT_TRUE(file->write("new"));
  const auto refused = file->finish(false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::kExists);
  EXPECT_NE(refused.error().message.find("--force"), std::string::npos);
  EXPECT_EQ(content(), "mine");
  ASSERT_TRUE(file->finish(true));
  EXPECT_EQ(content(), "new");
}

TEST_F(TableFileTest, LeavesNothingBehindWhenGivenUp) {
  {
    auto file = TableFile::create(path());
  }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(TableFileTest, DoesNotWriteThroughALink) {
  ASSERT_TRUE(base::write_file_atomic(folder_ / "victim", "mine"));
  fs::create_symlink(folder_ / "victim", folder_ / "steps.csv.part");
  auto file = TableFile::create(path());
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new"));
  ASSERT_TRUE(file->finish(false));
  EXPECT_EQ(base::read_file(folder_ / "victim").value(), "mine");
}

TEST_F(TableFileTest, NamesTheFolderThatIsMissing) {
  const auto file = TableFile::create(folder_ / "gone" / "steps.csv");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("gone/steps.csv"), std::string::npos);
}

}  // namespace
}  // namespace flatout::app
