#include "store/output/output_follower.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace flatout::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class OutputFollowerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) const {
    return folder_ / kOutputFolderName / name;
  }
  void append(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(folder_ / kOutputFolderName);
    std::ofstream(file(name), std::ios::binary | std::ios::app) << bytes;
  }
  static std::vector<std::string> texts(OutputFollower& follower) {
    std::vector<std::string> out;
    for (;;) {
      const OutputNews news = follower.read_new();
      for (const OutputLine& line : news.lines) {
        out.push_back(line.is_gap ? "gap " + std::to_string(line.left_out_lines) : line.text);
      }
      if (!news.more) return out;
    }
  }
  std::filesystem::path folder_;
};

TEST_F(OutputFollowerTest, EachLineIsGivenOnce) {
  OutputFollower follower(folder_, {});
  EXPECT_THAT(texts(follower), IsEmpty()) << "nothing is there yet";
  append("7.0.txt", "10\to\tone\n20\to\ttwo\n");
  EXPECT_THAT(texts(follower), ElementsAre("one", "two"));
  EXPECT_THAT(texts(follower), IsEmpty());
  append("7.0.txt", "30\te\tthree\n");
  append("9.0.txt", "25\to\tof another\n");
  EXPECT_THAT(texts(follower), ElementsAre("of another", "three"));
  EXPECT_EQ(follower.processes(), 2U);
}

TEST_F(OutputFollowerTest, ALineIsFinishedBeforeItIsGiven) {
  OutputFollower follower(folder_, {});
  append("7.0.txt", "10\to\tLoad");
  EXPECT_THAT(texts(follower), IsEmpty());
  EXPECT_EQ(follower.open_line()->text, "Load");
  append("7.0.txt", "ing");
  EXPECT_THAT(texts(follower), IsEmpty());
  EXPECT_EQ(follower.open_line()->text, "Loading");
  append("7.0.txt", " done\n20\te\t5 %\r30\te\t9 %\r");
  EXPECT_THAT(texts(follower), ElementsAre("Loading done"));
  EXPECT_EQ(follower.open_line()->text, "9 %");
  append("7.0.txt", "40\to\tbeside it\n50\te\t100 %\n");
  EXPECT_THAT(texts(follower), ElementsAre("beside it", "100 %"));
  EXPECT_FALSE(follower.open_line());
}

TEST_F(OutputFollowerTest, OnlyWhatIsWantedIsGiven) {
  OutputFollower follower(folder_, {.pid = 7, .stream = OutputStream::kStderr, .contains = "LOSS"});
  append("7.0.txt", "1\te\tloss 1\n2\to\tloss 2\n3\te\tother\n4\t-\t3 20\n5\te\tthe loss is");
  append("9.0.txt", "1\te\tloss 3\n");
  EXPECT_THAT(texts(follower), ElementsAre("loss 1"));
  EXPECT_EQ(follower.open_line()->text, "the loss is");
  EXPECT_EQ(follower.processes(), 1U);
}

TEST_F(OutputFollowerTest, ItBeginsWhereItWasAsked) {
  append("7.0.txt", "10\to\ta\n20\to\tb\n40\to\tLoa");
  append("9.0.txt", "15\to\tc\n30\to\td\n");
  OutputFollower follower(folder_, {}, 20);
  EXPECT_THAT(texts(follower), ElementsAre("b", "d"));
  OutputFollower at_the_end(folder_, {}, 50);
  EXPECT_THAT(texts(at_the_end), IsEmpty());
  append("7.0.txt", "ding\n");
  EXPECT_THAT(texts(at_the_end), ElementsAre("Loading")) << "it was not finished then";
}

TEST_F(OutputFollowerTest, ItBeginsWithinALongFile) {
  std::string bytes;
  for (int i = 0; i < 50000; ++i) {
    bytes += std::to_string(i * 10) + "\to\tline " + std::to_string(i) + "\n";
  }
  append("7.0.txt", bytes);
  for (const int from : {0, 1, 4095, 31313, 49999}) {
    OutputFollower follower(folder_, {}, from * 10);
    const auto lines = texts(follower);
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(50000 - from));
    EXPECT_EQ(lines.front(), "line " + std::to_string(from));
    EXPECT_EQ(lines.back(), "line 49999");
  }
}

TEST_F(OutputFollowerTest, ManyLinesOfSeveralProcessesComeInOrder) {
  for (int pid = 1; pid <= 3; ++pid) {
    std::string bytes;
    for (int i = 0; i < 20000; ++i) {
      bytes += std::to_string(i * 10 * pid + pid) + "\to\t" + std::string(pid * 7, 'x') + "\n";
    }
    append(std::to_string(pid) + ".0.txt", bytes);
  }
  OutputFollower follower(folder_, {});
  std::int64_t before = 0;
  std::size_t lines = 0;
  for (bool more = true; more;) {
    const OutputNews news = follower.read_new();
    for (const OutputLine& line : news.lines) {
      ASSERT_GE(line.t_ns, before);
      before = line.t_ns;
    }
    lines += news.lines.size();
    more = news.more;
  }
  EXPECT_EQ(lines, 60000U);
}

TEST_F(OutputFollowerTest, WhatWasReadBeforeItWasRemovedIsNotMissing) {
  OutputFollower follower(folder_, {});
  for (int number = 0; number < kOutputSegments; ++number) {
    append("7." + std::to_string(number) + ".txt",
           std::to_string(100 + number) + "\to\t" + std::to_string(number) + "\n");
    EXPECT_THAT(texts(follower), ElementsAre(std::to_string(number)));
  }
  std::filesystem::remove(file("7.1.txt"));
  append("7.8.txt", "200\t-\t1 1\n201\to\t8\n");
  EXPECT_THAT(texts(follower), ElementsAre("8"));
  append("7.8.txt", "202\t-\t4 9\n203\to\t9\n");  // these could not be written
  EXPECT_THAT(texts(follower), ElementsAre("gap 3", "9"));
  OutputFollower late(folder_, {});
  EXPECT_THAT(texts(late),
              ElementsAre("0", "2", "3", "4", "5", "6", "7", "gap 1", "8", "gap 4", "9"));
  OutputFollower tail(folder_, {}, 203);
  EXPECT_THAT(texts(tail), ElementsAre("9"));
}

TEST_F(OutputFollowerTest, AFileThatIsOverEndsItsLine) {
  OutputFollower follower(folder_, {});
  append("7.0.txt", "1\to\ta\n2\to\thalf");
  EXPECT_THAT(texts(follower), ElementsAre("a"));
  append("7.1.txt", "3\to\thalf and whole\n");
  EXPECT_THAT(texts(follower), ElementsAre("half and whole"));
  EXPECT_FALSE(follower.open_line());
}

TEST_F(OutputFollowerTest, AFolderThatGoesAwayIsNoNews) {
  OutputFollower follower(folder_, {});
  append("7.0.txt", "1\to\ta\n");
  EXPECT_THAT(texts(follower), ElementsAre("a"));
  std::filesystem::remove_all(folder_ / kOutputFolderName);
  EXPECT_THAT(texts(follower), IsEmpty());
}

TEST_F(OutputFollowerTest, ARecordWithoutAnEndIsLeftOut) {
  OutputFollower follower(folder_, {});
  append("7.0.txt", "1\to\t" + std::string(200'000, 'x'));
  EXPECT_THAT(texts(follower), IsEmpty());
  append("7.0.txt", std::string(100'000, 'x') + "\n2\to\tgood\n");
  EXPECT_THAT(texts(follower), ElementsAre("good"));
}

}  // namespace
}  // namespace flatout::store
