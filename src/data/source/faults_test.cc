// What goes wrong around files that are no worse than before: a disk that gives no bytes, no more
// files that may be open, files that are gone.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "data/source/blob_list.h"
#include "data/source/file_list.h"
#include "data/source/folder_fixture.h"
#include "data/source/tar_for_test.h"
#include "data/source/tar_shards.h"

namespace flatout::data {
namespace {

namespace fs = std::filesystem;

// No file can be opened as long as it lives.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::fcntl(0, F_DUPFD, 0);
    ::close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
};

class SourceFaultsTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("0.jpg", "pixels");
    write("0.tar", tar_member("a/0.jpg", "pixels"));
    files_ = std::make_unique<FileList>(root_.string());
    files_->add("0.jpg", 0);
    tars_ = TarShards::open({(root_ / "0.tar").string()}).value();
  }

  base::Error failed(const Source& source) {
    const auto read = source.read(0, buffer_);
    return read ? base::Error{.message = "read"} : read.error();
  }

  std::unique_ptr<FileList> files_;
  std::unique_ptr<TarShards> tars_;
  ReadBuffer buffer_;
};

// A process's own memory is a regular file whose first page cannot be read: EIO, as of a bad disk.
TEST_F(SourceFaultsTest, ADiskThatGivesNoBytes) {
  fs::remove(root_ / "0.tar");
  fs::create_symlink("/proc/self/mem", root_ / "0.tar");
  const base::Error tar = failed(*tars_);
  EXPECT_EQ(tar.code, base::ErrorCode::kIo);
  EXPECT_TRUE(tar.message.starts_with("a/0.jpg: ") && tar.message.contains("0.tar: Input/output"))
      << tar.message;
  const Blob blob{.file = 0, .offset = 700, .length = 9};
  const auto blobs = BlobList::open({(root_ / "0.tar").string()}, {&blob, 1}, {});
  ASSERT_TRUE(blobs);
  const base::Error part = failed(**blobs);
  EXPECT_TRUE(part.message.contains("byte 700") && part.message.contains("Input/output"))
      << part.message;
}

TEST_F(SourceFaultsTest, NoMoreFilesIsNoFaultOfASample) {
  for (const Source* source :
       {static_cast<const Source*>(files_.get()), static_cast<const Source*>(tars_.get())}) {
    base::Error error;
    {
      const NoMoreFiles none;
      error = failed(*source);
    }
    EXPECT_EQ(error.code, base::ErrorCode::kUnavailable);
    EXPECT_TRUE(error.message.contains("0.") && error.message.contains("ulimit -n"))
        << error.message;
    EXPECT_EQ(failed(*source).message, "read");
  }
}

TEST_F(SourceFaultsTest, WhatIsGoneIsNamed) {
  fs::remove(root_ / "0.jpg");
  fs::remove(root_ / "0.tar");
  for (const Source* source :
       {static_cast<const Source*>(files_.get()), static_cast<const Source*>(tars_.get())}) {
    const base::Error error = failed(*source);
    EXPECT_EQ(error.code, base::ErrorCode::kNotFound);
    EXPECT_TRUE(error.message.contains(source->short_name(0))) << error.message;
  }
}

}  // namespace
}  // namespace flatout::data
