#include "data/source/blob_list.h"

#include <sys/stat.h>

#include "data/source/file_list.h"
#include "data/source/folder_fixture.h"

namespace flatout::data {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class BlobListTest : public FolderTest {
 protected:
  auto open(std::vector<Blob> blobs) {
    const std::vector<std::int64_t> labels(blobs.size(), 3);
    return BlobList::open(paths_, blobs, labels);
  }
  std::string refused(std::vector<Blob> blobs) {
    const auto list = open(std::move(blobs));
    return list ? "" : list.error().message;
  }
  // Of reading the last sample.
  std::string unread(std::vector<Blob> blobs) {
    const auto list = open(std::move(blobs));
    if (!list) return "not opened: " + list.error().message;
    const auto read = (*list)->read((*list)->size() - 1, buffer_);
    return read ? "" : read.error().message;
  }

  void SetUp() override {
    FolderTest::SetUp();
    write("a.arrow", "0123456789");
    write("b.arrow", "abcdef");
    paths_ = {(root_ / "a.arrow").string(), (root_ / "b.arrow").string()};
  }

  std::vector<std::string> paths_;
  ReadBuffer buffer_;
};

TEST_F(BlobListTest, ReadsPartsOfFiles) {
  const auto list = open({{0, 2, 3}, {1, 0, 6}, {0, 0, 10}}).value();
  ASSERT_EQ(list->size(), 3);
  EXPECT_EQ(list->label(1), 3);
  EXPECT_EQ(text_of(list->read(0, buffer_).value()), "234");
  EXPECT_EQ(text_of(list->read(1, buffer_).value()), "abcdef");
  EXPECT_EQ(text_of(list->read(2, buffer_).value()), "0123456789");
  EXPECT_EQ(list->name(0), paths_[0] + ": byte 2");
}

TEST_F(BlobListTest, WhatItHasOpenedStaysWhenTheNameIsAnothers) {
  const auto list = open({{0, 0, 4}}).value();
  std::filesystem::remove(paths_[0]);
  write("a.arrow", "other");
  EXPECT_EQ(text_of(list->read(0, buffer_).value()), "0123");
}

TEST_F(BlobListTest, MoreFilesThanStayOpen) {
  paths_.resize(BlobList::kMostOpenFiles + 1, paths_[1]);
  const auto list = open({{static_cast<std::int64_t>(paths_.size()) - 1, 1, 2}}).value();
  EXPECT_EQ(text_of(list->read(0, buffer_).value()), "bc");
}

TEST_F(BlobListTest, WrongPlacesAreNamed) {
  EXPECT_NE(refused({{0, 0, 1}, {2, 0, 1}}).find("sample 1 is in file 2 of only 2"),
            std::string::npos);
  EXPECT_NE(refused({{-1, 0, 1}}).find("sample 0 is in file -1"), std::string::npos);
  EXPECT_NE(refused({{0, -1, 1}}).find("begin at byte -1"), std::string::npos);
  EXPECT_NE(refused({{0, 0, -1}}).find("has -1 bytes"), std::string::npos);
  EXPECT_NE(refused({{0, 0, FileList::kMaxBytes + 1}}).find("more than a sample may have"),
            std::string::npos);
}

TEST_F(BlobListTest, FilesThatEndTooEarlyOrAreNoFiles) {
  EXPECT_NE(unread({{1, 4, 3}}).find("the file ends at byte 6, within the 3 bytes"),
            std::string::npos);
  EXPECT_NE(unread({{1, std::int64_t{1} << 62, 3}}).find("b.arrow"), std::string::npos);
  EXPECT_NE(unread({{1, 4, 0}}).find("b.arrow: byte 4: the sample has no bytes"),
            std::string::npos);
  paths_[1] = (root_ / "none").string();
  EXPECT_NE(refused({}).find("none"), std::string::npos);
  paths_[1] = root_.string();
  EXPECT_NE(refused({}).find("not a regular file"), std::string::npos);
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  paths_[1] = (root_ / "pipe").string();
  EXPECT_NE(refused({}).find("not a regular file"), std::string::npos);
}

}  // namespace
}  // namespace flatout::data
