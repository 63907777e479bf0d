#include "data/tokens/array_work.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace flatout::data {
namespace {

class ArrayWorkTest : public testing::Test {
 protected:
  ArrayWorkTest() {
    std::string name = std::filesystem::temp_directory_path() / "array-work-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) root_ = name;
  }
  ~ArrayWorkTest() override { std::filesystem::remove_all(root_); }

  // Numbers from `first` on, four pages of them.
  std::string file(const std::string& name, std::uint16_t first) {
    std::vector<std::uint16_t> numbers(kNumbers);
    std::iota(numbers.begin(), numbers.end(), first);
    const std::string path = root_ / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()), 2 * kNumbers);
    return path;
  }

  static constexpr std::size_t kNumbers = 8192;
  static constexpr ArrayFileOptions kOptions = {.type = ElementType::kUint16};
  std::filesystem::path root_;
  ArrayWork work_;
  StageTimes times_;
};

std::uint16_t number(const base::Result<const std::byte*>& at) {
  std::uint16_t out = 0;
  if (at) std::memcpy(&out, *at, sizeof out);
  return out;
}

TEST_F(ArrayWorkTest, ReadsThroughAMapWhatIsInOneFile) {
  const auto stream = TokenStream::open({file("a", 0), file("b", 8192)}, kOptions).value();
  work_.begin_claim();
  const auto first = work_.take(stream, 7, 2);
  EXPECT_EQ(number(first), 7);
  EXPECT_EQ(*first, stream.find(7, 2).file->mapped(7));
  EXPECT_EQ(number(work_.take(stream, 8191, 2)), 8191) << "of two files";
  EXPECT_EQ(number(work_.take(stream, 9000, 3)), 9000);
  EXPECT_TRUE(work_.end_claim(times_));
}

TEST_F(ArrayWorkTest, AFileThatIsCutGivesNeitherZerosNorTheEndOfTheProgram) {
  const std::string path = file("a", 1);
  const auto cut = ArrayFile::open(path, kOptions).value();
  for (const std::size_t left : {3000U, 100U}) {  // of numbers: within a page, and before a page
    std::filesystem::resize_file(path, 2 * left);
    ArrayWork work;
    work.begin_claim();
    const auto at = work.take(cut, 2999, 1);
    EXPECT_EQ(number(at), left == 3000 ? 3000 : 0) << "what a page holds behind the end";
    EXPECT_EQ(number(work.take(cut, 8000, 1)), 0);
    EXPECT_FALSE(work.end_claim(times_)) << "it is said once the claim is over";
    const auto again = work.take(cut, 8000, 1);
    ASSERT_FALSE(again) << "made again without the map";
    EXPECT_NE(again.error().message.find("a: became shorter"), std::string::npos);
    EXPECT_TRUE(work.end_claim(times_));
  }
  EXPECT_EQ(number(work_.take(cut, 20, 1)), 21) << "what is there can still be read";
}

void others(int) { std::_Exit(7); }

TEST_F(ArrayWorkTest, OthersKeepTheirSignals) {
  const auto mapped = ArrayFile::open(file("a", 0), kOptions).value();
  EXPECT_TRUE(FileMap::watched());
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, others);
        work_.begin_claim();
        const auto at = work_.take(mapped, 5, 1);
        std::_Exit(FileMap::watched() || number(at) != 5 || *at == mapped.mapped(5) ? 1 : 3);
      },
      testing::ExitedWithCode(3), "")
      << "no map is read while somebody else's handler is there";
}

TEST_F(ArrayWorkTest, MoreFilesThanMayBeOpenAreOpenedWhenTheyAreRead) {
  rlimit bound{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &bound), 0);
  const rlimit few{.rlim_cur = 64, .rlim_max = bound.rlim_max};
  std::vector<std::string> paths;
  for (int i = 0; i < 100; ++i) paths.push_back(file(std::to_string(i), 3));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const auto stream = TokenStream::open(paths, kOptions);
  ASSERT_TRUE(stream) << stream.error().message;
  std::array<std::byte, 4> two{};
  EXPECT_TRUE(stream->read(99 * kNumbers - 1, two)) << "across two files";
  EXPECT_EQ(std::to_integer<int>(two[2]), 3);
  work_.begin_claim();
  EXPECT_EQ(number(work_.take(*stream, 60 * kNumbers + 1, 1)), 4);
  EXPECT_TRUE(work_.end_claim(times_));
  std::filesystem::remove(paths[60]);
  file("60", 5);
  EXPECT_EQ(number(work_.take(*stream, 60 * kNumbers + 1, 1)), 4);
  EXPECT_FALSE(work_.end_claim(times_)) << "another file has its name";
  const auto replaced = work_.take(*stream, 60 * kNumbers + 1, 1);
  ASSERT_FALSE(replaced);
  EXPECT_NE(replaced.error().message.find("60: was replaced"), std::string::npos);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &bound), 0);
}

}  // namespace
}  // namespace flatout::data
