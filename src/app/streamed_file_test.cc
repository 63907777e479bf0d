#include "app/streamed_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

class StreamedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "flatout-streamed-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = (folder_ / "t.json").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(StreamedFileTest, IsThereWholeOrNotAtAll) {
  {
    auto file = StreamedFile::open(path_);
    ASSERT_TRUE(file && file->write("half"));
    EXPECT_FALSE(fs::exists(path_));
  }
  EXPECT_EQ(files(), 0);
  auto file = StreamedFile::open(path_);
  ASSERT_TRUE(file && file->write("one") && file->write("two") && file->finish());
  EXPECT_EQ(text(), "onetwo");
  EXPECT_EQ(files(), 1);
}

TEST_F(StreamedFileTest, ReplacesAFileOnlyWhenFinished) {
  std::ofstream(path_) << "before";
  {
    auto file = StreamedFile::open(path_);
    ASSERT_TRUE(file && file->write("half"));
  }
  EXPECT_EQ(text(), "before");
  auto file = StreamedFile::open(path_);
  ASSERT_TRUE(file && file->write("after") && file->finish());
  EXPECT_EQ(text(), "after");
}

TEST_F(StreamedFileTest, WritesToWhatIsNoFileAsItIs) {
  auto file = StreamedFile::open("/dev/null");
  ASSERT_TRUE(file && file->write("text") && file->finish());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(StreamedFile::open((folder_ / "none/t.json").string()));
}

}  // namespace
}  // namespace flatout::app
