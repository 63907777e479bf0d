#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/little_endian.h"
#include "base/new_file.h"
#include "base/printable.h"
#include "base/process.h"

namespace flatout::base {
namespace {

class TempDir {
 public:
  TempDir() {
    char name[] = "/tmp/flatout_base_XXXXXX";
    path = ::mkdtemp(name);
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TEST(File, AtomicWriteReplacesTheWholeContent) {
  const TempDir dir;
  ASSERT_TRUE(write_file_atomic(dir.path / "a", "first, and longer"));
  ASSERT_TRUE(write_file_atomic(dir.path / "a", "second"));
  EXPECT_EQ(read_file(dir.path / "a").value(), "second");
}

TEST(File, AtomicWriteFollowsNoLinkThatLiesInWait) {
  const TempDir dir;
  ASSERT_TRUE(write_file_atomic(dir.path / "victim", "mine"));
  const std::string guessed = "a.tmp." + std::to_string(::getpid());
  std::filesystem::create_symlink(dir.path / "victim", dir.path / guessed);
  ASSERT_TRUE(write_file_atomic(dir.path / "a", "new"));
  EXPECT_EQ(read_file(dir.path / "victim").value(), "mine");
  EXPECT_EQ(read_file(dir.path / "a").value(), "new");
}

TEST(File, AtomicWriteHasTheModeOfAPlainCreate) {
  const TempDir dir;
  const auto mode_of = [&](const char* name) {
    struct stat st{};
    return ::stat((dir.path / name).c_str(), &st) == 0 ? st.st_mode & 0777 : 0;
  };
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write_file_atomic(dir.path / "a", "x"));
  ASSERT_TRUE(write_private_file(dir.path / "private", "x"));
  EXPECT_EQ(mode_of("a"), 0640U);
  EXPECT_EQ(mode_of("private"), 0600U);
  ::chmod((dir.path / "a").c_str(), 0604);
  ASSERT_TRUE(write_file_atomic(dir.path / "a", "y"));
  EXPECT_EQ(mode_of("a"), 0604U);
  ::umask(before);
}

TEST(File, AtomicWriteLeavesNothingWhereItFails) {
  const TempDir dir;
  std::filesystem::create_directories(dir.path / "taken" / "full");
  EXPECT_FALSE(write_file_atomic(dir.path / "taken", "x"));
  EXPECT_FALSE(write_file_atomic(dir.path / "gone" / "a", "x"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path), {}), 1);
}

TEST(File, ReadIsBounded) {
  const TempDir dir;
  ASSERT_TRUE(write_file_atomic(dir.path / "a", "0123456789"));
  const auto text = read_file(dir.path / "a", 5);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kTooLarge);
}

// A copied run may hold one in place of a file; nobody writes into it.
TEST(File, APipeIsNoEmptyFile) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir.path / "a").c_str(), 0600), 0);
  const auto text = read_file(dir.path / "a");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kInvalid);
  EXPECT_NE(text.error().message.find("is a pipe"), std::string::npos);
}

TEST(File, MissingFileNamesItself) {
  const auto text = read_file("/nonexistent/x");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kNotFound);
  EXPECT_NE(text.error().message.find("/nonexistent/x"), std::string::npos);
}

TEST(File, PrivateDirsAreCreatedWithTheirParents) {
  const TempDir dir;
  ASSERT_TRUE(make_private_dirs(dir.path / "x/y"));
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(dir.path / "x/y").permissions() & perms::all, perms::owner_all);
}

TEST(Printable, NothingSteersATerminal) {
  EXPECT_EQ(printable("a\tb\nc \xc3\xa9 \xe2\x82\xac"), "a\tb\nc \xc3\xa9 \xe2\x82\xac");
  EXPECT_EQ(printable("\x1b[2J\x1b]0;x\a"), "\\u001b[2J\\u001b]0;x\\u0007");
  EXPECT_EQ(printable("a\rb\x7f\b"), "a\\u000db\\u007f\\u0008");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\u009b31m");
}

TEST(LittleEndian, IsReadBackFromAnyPlace) {
  std::string bytes = "x";
  append(bytes, std::uint32_t{0x01020304});
  append(bytes, std::uint8_t{5});
  EXPECT_EQ(bytes, "x\x04\x03\x02\x01\x05");
  EXPECT_EQ(load<std::uint32_t>(bytes, 1), 0x01020304U);
  EXPECT_EQ(load<std::uint8_t>(bytes, 5), 5U);
}

TEST(Process, SelfIsAliveAndAnotherStartTimeIsNot) {
  const auto self = process_id(::getpid());
  ASSERT_TRUE(self);
  EXPECT_TRUE(process_alive(*self));
  EXPECT_FALSE(process_alive({self->pid, self->start_ticks + 1}));
}

TEST(Process, CommandNamesWithBracketsAndSpacesParse) {
  const TempDir dir;
  ASSERT_TRUE(make_private_dirs(dir.path / "7"));
  ASSERT_TRUE(write_file_atomic(
      dir.path / "7/stat", "7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 9 9\n"));
  EXPECT_EQ(process_id(7, dir.path)->start_ticks, 4242U);
}

}  // namespace
}  // namespace flatout::base
