#include "store/output/output_log.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace flatout::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class OutputLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / kOutputFolderName);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / kOutputFolderName / name, std::ios::binary) << bytes;
  }
  std::vector<std::string> texts(const OutputQuery& query) const {
    std::vector<std::string> out;
    for (const OutputLine& line : OutputLog::open(folder_).read(query).lines) {
      out.push_back(line.text);
    }
    return out;
  }
  std::filesystem::path folder_;
};

TEST_F(OutputLogTest, NothingRecordedIsEmpty) {
  EXPECT_TRUE(OutputLog::open(folder_ / "not_there").empty());
  EXPECT_TRUE(OutputLog::open(folder_).read({}).lines.empty());
}

TEST_F(OutputLogTest, ProcessesAreMergedByTime) {
  write("7.0.txt", "10\to\tone\n30\to\tthree\n");
  write("9.0.txt", "20\te\ttwo\n40\to\tfour\n");
  EXPECT_THAT(texts({}), ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(texts({.pid = 9}), ElementsAre("two", "four"));
  EXPECT_THAT(texts({.stream = OutputStream::kStderr}), ElementsAre("two"));
  EXPECT_THAT(texts({.limit = 2}), ElementsAre("one", "two"));
  EXPECT_THAT(texts({.limit = 2, .last = true}), ElementsAre("three", "four"));
  EXPECT_THAT(texts({.from_ns = 20, .to_ns = 30}), ElementsAre("two", "three"));
  EXPECT_THAT(texts({.to_ns = 29, .limit = 1, .last = true}), ElementsAre("two"));
}

TEST_F(OutputLogTest, OnlyTheLastStateOfALineThatIsNotFinishedIsShown) {
  write("7.0.txt",
        "10\te\t10 %\r20\te\t60 %\r30\te\tdone\n40\to\tLoading\r50\te\tbar\r60\te\tbar 2");
  EXPECT_THAT(texts({}), ElementsAre("done", "Loading", "bar 2"));
  EXPECT_THAT(texts({.states = true}),
              ElementsAre("10 %", "60 %", "done", "Loading", "bar", "bar 2"));
}

TEST_F(OutputLogTest, FilesFollowEachOtherByTheirNumbers) {
  write("7.2.txt", "5\t-\t12 3400\n30\to\tc\n");
  write("7.10.txt", "40\to\td\n");
  write("7.0.txt", "1\to\ta\n");
  const OutputLog log = OutputLog::open(folder_);
  const auto page = log.read({});
  ASSERT_EQ(page.lines.size(), 4U);
  EXPECT_EQ(page.lines[0].text, "a");
  EXPECT_TRUE(page.lines[1].is_gap);
  EXPECT_EQ(page.lines[1].left_out_lines, 12U);
  EXPECT_EQ(page.lines[3].text, "d");
}

TEST_F(OutputLogTest, WhatSteersATerminalIsLeftOut) {
  write("7.0.txt", "1\to\t\x1b[31mred\x1b[0m\x1b]0;title\x07 a\tb\x9b\xe2\x80\xae\n");
  const auto lines = texts({});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].substr(0, 7), "red a\tb");
  EXPECT_EQ(lines[0].find('\x1b'), std::string::npos);
}

TEST_F(OutputLogTest, SearchIsOfTheShownTextInEitherCase) {
  write("7.0.txt", "1\to\tEpoch 1\n2\to\tl\x1b[1mo\x1b[0mss\n3\to\tx\n");
  EXPECT_THAT(texts({.contains = "EPOCH"}), ElementsAre("Epoch 1"));
  EXPECT_THAT(texts({.contains = "loss"}), ElementsAre("loss"));
  EXPECT_THAT(texts({.contains = "nowhere"}), IsEmpty());
}

TEST_F(OutputLogTest, ALongLineSaysWhatOfItIsLeftOut) {
  write("7.0.txt", std::string("1\to\tbegin\0", 10) + "999\n");
  const auto page = OutputLog::open(folder_).read({});
  ASSERT_EQ(page.lines.size(), 1U);
  EXPECT_EQ(page.lines[0].text, "begin");
  EXPECT_EQ(page.lines[0].left_out_bytes, 999U);
}

TEST_F(OutputLogTest, AnyPlaceOfManyLinesIsFound) {
  std::string bytes;
  constexpr int kLines = 50000;
  for (int i = 0; i < kLines; ++i) {
    bytes += std::to_string(i * 10) + "\to\tline " + std::to_string(i) + "\n";
  }
  write("7.0.txt", bytes);
  const OutputLog log = OutputLog::open(folder_);
  for (int i = 0; i < kLines; i += 997) {
    const auto first = log.read({.from_ns = i * 10 - 5, .limit = 1});
    ASSERT_EQ(first.lines.size(), 1U);
    EXPECT_EQ(first.lines[0].text, "line " + std::to_string(i));
    const auto last = log.read({.to_ns = i * 10 + 5, .limit = 1, .last = true});
    ASSERT_EQ(last.lines.size(), 1U);
    EXPECT_EQ(last.lines[0].text, "line " + std::to_string(i));
    EXPECT_EQ(last.more, i > 0);
  }
}

TEST_F(OutputLogTest, OtherFilesAndBytesAreNoLines) {
  write("7.0.txt",
        "x\ty\tz\n12\n\n\r\r13\tq\tz\n14\to\tgood\n-5\to\tbefore "
        "time\n99999999999999999999\to\tlate\n");
  write("8.0.txt.bak", "1\to\tno\n");
  write("rank.0.txt", "1\to\tno\n");
  std::filesystem::create_symlink("/etc/passwd", folder_ / kOutputFolderName / "9.0.txt");
  EXPECT_THAT(texts({}), ElementsAre("good"));
}

}  // namespace
}  // namespace flatout::store
