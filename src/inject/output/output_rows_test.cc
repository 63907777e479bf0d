#include "inject/output/output_rows.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace flatout::inject {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSecond = 1'000'000'000;

class OutputRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    open(8 << 20);
  }
  void TearDown() override {
    file_.forget();
    out_.forget();
    err_.forget();
    fs::remove_all(folder_);
  }

  void open(std::uint64_t segment_bytes) {
    ASSERT_TRUE(file_.open(folder_.c_str(), segment_bytes));
    out_.begin(file_, 'o');
    err_.begin(file_, 'e');
  }
  void write(OutputRows& to, std::string_view text, std::int64_t t_ns) {
    out_.keep_old(t_ns);
    err_.keep_old(t_ns);
    to.write(text.data(), text.size(), t_ns);
  }
  void out(std::string_view text, std::int64_t t_ns) { write(out_, text, t_ns); }
  void err(std::string_view text, std::int64_t t_ns) {
    write(err_, text, t_ns);
    err_.flush(t_ns);  // as tqdm does
  }

  fs::path path(int number) const {
    return folder_ / (std::to_string(::getpid()) + "." + std::to_string(number) + ".txt");
  }
  // All that is there, '\r' as "<\n" so that it can be read.
  std::string kept(int number = 0) const {
    std::ostringstream bytes;
    bytes << std::ifstream(path(number), std::ios::binary).rdbuf();
    std::string out;
    for (const char c : bytes.str()) out += c == '\r' ? "<\n" : c == '\0' ? "@" : std::string(1, c);
    return out;
  }

  fs::path folder_;
  OutputFile file_;
  OutputRows out_, err_;
};

TEST_F(OutputRowsTest, PrintsAreLines) {
  out("hel", 9);
  out("lo", 10);
  out("\n", 10);
  out("a\nb\n", 20);
  err("warning\n", 30);
  EXPECT_EQ(kept(), "10\to\thello\n20\to\ta\n21\to\tb\n30\te\twarning\n");
}

TEST_F(OutputRowsTest, WhatIsFlushedIsThereAtOnce) {
  out("Loading", 10);
  EXPECT_FALSE(fs::exists(path(0)));  // print() writes its arguments one by one
  out_.flush(11);
  EXPECT_EQ(kept(), "10\to\tLoading");
  out(" ...", 20);
  out_.flush(21);
  EXPECT_EQ(kept(), "10\to\tLoading ...");
  err("between\n", 30);
  out(" done\n", 40);
  EXPECT_EQ(kept(), "10\to\tLoading ...<\n30\te\tbetween\n40\to\tLoading ... done\n");
}

TEST_F(OutputRowsTest, ABarIsKeptOnceASecondAndAtItsEnd) {
  for (int i = 0; i <= 1000; ++i) {
    err("\r" + std::to_string(i) + "/1000", 1 + i * (kSecond / 100));
  }
  err("\n", 1 + 11 * kSecond);
  const std::string bar = kept();
  EXPECT_EQ(std::ranges::count(bar, '<'), 12);  // the last one before its end, too
  EXPECT_TRUE(bar.ends_with("e\t1000/1000\n")) << bar;
  EXPECT_TRUE(bar.starts_with("1\te\t0/1000<\n")) << bar;
}

TEST_F(OutputRowsTest, AStateThatStandsIsKeptWithItsOwnTime) {
  err("\r10 %", 1);
  err("\r20 %", 2);
  out("later\n", 5 * kSecond);
  EXPECT_EQ(kept(), "1\te\t10 %<\n2\te\t20 %<\n5000000000\to\tlater\n");
  err("\r30 %", 5 * kSecond + 1);
  err_.keep_all();
  EXPECT_TRUE(kept().ends_with("5000000001\te\t30 %")) << kept();
}

TEST_F(OutputRowsTest, BarsAboveEachOtherDoNotFillTheFile) {
  err("\router 0", 1);
  for (int i = 0; i < 500; ++i) {  // as tqdm writes with position=1
    const std::int64_t now = 2 + i * (kSecond / 100);
    err("\n", now);
    err("\rinner " + std::to_string(i), now);
    err("\x1b[A", now);
    if (i % 10 == 0) err("\router " + std::to_string(i / 10), now);
  }
  EXPECT_LT(std::ranges::count(kept(), '\t'), 2 * 14) << kept();
  err("\r       ", 6 * kSecond);  // tqdm.write() makes room ...
  err("\r", 6 * kSecond);
  err("a message", 6 * kSecond);
  err("\n", 6 * kSecond);
  EXPECT_NE(kept().find("\te\ta message\n"), std::string::npos) << kept();
}

TEST_F(OutputRowsTest, ErasedLinesAreNotKept) {
  out("\r\x1b[2Kframe 1", 1);  // as rich draws
  for (int i = 2; i < 50; ++i)
    out("\r\x1b[2K\x1b[1A\x1b[2Kframe " + std::to_string(i) + "\nsecond", i);
  EXPECT_LT(kept().size(), 200U) << kept();
}

TEST_F(OutputRowsTest, LinesOfOtherSystemsAndOfColour) {
  out("dos\r\n\x1b[31mred\x1b[0m\n\n", 1);
  EXPECT_EQ(kept(), "1\to\tdos\n2\to\t\x1b[31mred\x1b[0m\n3\to\t\n");
}

TEST_F(OutputRowsTest, OfAVeryLongLineTheBeginningIsKept) {
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < 10; ++i) out(piece, 1);
  out("end\n", 2);
  const std::string line = kept();
  EXPECT_EQ(line.size(), 4 + OutputRows::kMostLineBytes + std::string("@10469379\n").size());
  EXPECT_TRUE(line.ends_with("x@10469379\n")) << line.substr(line.size() - 40);
}

TEST_F(OutputRowsTest, CharactersAreNotCutInHalf) {
  std::string text(OutputRows::kMostLineBytes - 1, 'x');
  text += "\xc3\xa4\n";
  out(text, 1);
  EXPECT_TRUE(kept().ends_with("x@2\n"));
}

TEST_F(OutputRowsTest, FirstAndLastFilesStayWhereItIsTooMuch) {
  file_.forget();
  fs::remove_all(folder_);
  open(64 << 10);
  const std::string line(1000, 'l');
  for (int i = 0; i < 2000; ++i) out(line + "\n", i + 1);
  EXPECT_TRUE(fs::exists(path(0)));
  EXPECT_FALSE(fs::exists(path(1)));
  std::uintmax_t bytes = 0;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    bytes += entry.file_size();
    ++files;
  }
  EXPECT_EQ(files, OutputFile::kSegments);
  EXPECT_LE(bytes, OutputFile::kSegments * (64U << 10));
  std::uint64_t there = 0;
  std::string said;
  for (int number = 0; number < 100; ++number) {
    const std::string text = fs::exists(path(number)) ? kept(number) : "";
    std::istringstream lines(text);
    for (std::string one; std::getline(lines, one);) {
      if (one.find("\t-\t") == std::string::npos)
        ++there;
      else
        said = one.substr(one.find("\t-\t") + 3);
    }
  }
  EXPECT_EQ(there + std::stoull(said), 2000U);
}

TEST_F(OutputRowsTest, BeyondAFileSizeLimitNothingIsWrittenAndNoSignalCome) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 100, .rlim_max = before.rlim_max};
  const auto was = std::signal(SIGXFSZ, SIG_DFL);
  out("first\n", 1);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  for (int i = 0; i < 100; ++i) out("a line of some length, again and again\n", 2 + i);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, was);
  EXPECT_GT(file_.lost_lines(), 50U);
}

TEST_F(OutputRowsTest, AFileThatIsNotOursAnyMoreIsNotWrittenTo) {
  out("one\n", 1);
  const fs::path other = folder_ / "others.txt";
  // As a program does that closes all descriptors and opens files of its own.
  for (int fd = 512; fd < 600; ++fd) {
    if (::close(fd) == 0) {
      std::FILE* file = std::fopen(other.c_str(), "w");
      ASSERT_NE(file, nullptr);
      ASSERT_EQ(::dup2(::fileno(file), fd), fd);
      out("two\n", 2);
      out("three\n", 3);
      ::close(fd);
      std::fclose(file);
      break;
    }
  }
  EXPECT_EQ(fs::file_size(other), 0U);
  EXPECT_EQ(kept(0) + kept(1), "1\to\tone\n2\to\ttwo\n3\to\tthree\n");
}

TEST_F(OutputRowsTest, AFolderThatCannotBeMadeIsCounted) {
  OutputFile nowhere;
  ASSERT_TRUE(nowhere.open("/proc/flatout/output", 1 << 20));
  OutputRows rows;
  rows.begin(nowhere, 'o');
  rows.write("a\nb\n", 4, 1);
  EXPECT_EQ(nowhere.lost_lines(), 2U);
  rows.forget();
}

}  // namespace
}  // namespace flatout::inject
