#include "data/source/file_list.h"

#include <sys/stat.h>

#include <algorithm>

#include "data/source/folder_fixture.h"

namespace flatout::data {
namespace {

class FileListTest : public FolderTest {
 protected:
  // The error of reading the only file.
  base::Error refused(const std::string& below) {
    FileList files(root_.string());
    files.add(below, 0);
    const auto read = files.read(0, buffer_);
    return read ? base::Error{base::ErrorCode::kInvalid, "was read"} : read.error();
  }

  ReadBuffer buffer_;
};

TEST_F(FileListTest, ReadsEachFileByItsNumber) {
  write("a/1.jpg", "first");
  write("b/2.jpg", "the second");
  FileList files(root_.string());
  files.add("a/1.jpg", 0);
  files.add("b/2.jpg", 7);
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files.label(1), 7);
  EXPECT_EQ(files.name(1), (root_ / "b/2.jpg").string());
  EXPECT_EQ(text_of(files.read(1, buffer_).value()), "the second");
  EXPECT_EQ(text_of(files.read(0, buffer_).value()), "first");
}

TEST_F(FileListTest, WithoutARootPathsAreTheirOwn) {
  write("x.jpg", "here");
  FileList files;
  files.add((root_ / "x.jpg").string(), 0);
  EXPECT_EQ(text_of(files.read(0, buffer_).value()), "here");
}

TEST_F(FileListTest, WhatWasReadIsFollowedByZeros) {
  write("long", std::string(3000, 'x'));
  write("short", "xy");
  FileList files(root_.string());
  files.add("long", 0);
  files.add("short", 0);
  ASSERT_TRUE(files.read(0, buffer_));
  const auto bytes = files.read(1, buffer_).value();
  const std::byte* after = bytes.data() + bytes.size();
  EXPECT_TRUE(std::all_of(after, after + ReadBuffer::kPadding,
                          [](std::byte b) { return b == std::byte{0}; }));
}

TEST_F(FileListTest, WhatIsNoFileIsRefusedByName) {
  write("empty.jpg", "");
  std::filesystem::create_directory(root_ / "folder.jpg");
  ASSERT_EQ(::mkfifo((root_ / "pipe.jpg").c_str(), 0600), 0);
  EXPECT_EQ(refused("absent.jpg").code, base::ErrorCode::kNotFound);
  EXPECT_EQ(refused("empty.jpg").code, base::ErrorCode::kCorrupt);
  EXPECT_EQ(refused("folder.jpg").code, base::ErrorCode::kInvalid);
  EXPECT_EQ(refused("pipe.jpg").code, base::ErrorCode::kInvalid);
  EXPECT_NE(refused("empty.jpg").message.find("empty.jpg: the file is empty"), std::string::npos);
}

TEST_F(FileListTest, AHugeFileIsNotTakenIntoMemory) {
  write("huge.jpg", "x");
  std::filesystem::resize_file(root_ / "huge.jpg", FileList::kMaxBytes + 1);  // a hole
  EXPECT_EQ(refused("huge.jpg").code, base::ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace flatout::data
