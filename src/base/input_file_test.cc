// Files are opened, and nobody waits for anything else.
#include "base/input_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

namespace flatout::base {
namespace {

namespace fs = std::filesystem;

class InputFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::path(testing::TempDir()) / "input-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string problem(const fs::path& path) {
    const auto opened = open_input(path, std::chrono::milliseconds(10));
    return opened ? "" : opened.error().message;
  }
  std::string read(const UniqueFd& fd) {
    char bytes[16];
    const ssize_t got = ::read(fd.get(), bytes, sizeof bytes);
    return {bytes, static_cast<std::size_t>(got < 0 ? 0 : got)};
  }

  fs::path folder_;
};

TEST_F(InputFile, OpensAFile) {
  ASSERT_TRUE(write_file_atomic(folder_ / "file", "text"));
  const auto opened = open_input(folder_ / "file");
  ASSERT_TRUE(opened);
  EXPECT_EQ(read(*opened), "text");
  EXPECT_NE(problem(folder_ / "other"), "");
}

TEST_F(InputFile, WaitsForNoWriterOfAPipe) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(problem(pipe).find("is a pipe into which nobody has written"), std::string::npos);
}

TEST_F(InputFile, ReadsAPipeThatIsWritten) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  UniqueFd writer(::open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::write(writer.get(), "text", 4), 4);
  const auto opened = open_input(pipe);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(::fcntl(opened->get(), F_GETFL) & O_NONBLOCK, 0) << "later bytes are waited for";
  EXPECT_EQ(read(*opened), "text");
  writer = UniqueFd();
  EXPECT_EQ(read(*opened), "");
}

TEST_F(InputFile, RefusesWhatIsNoFile) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string socket = (folder_ / "socket").string();
  ASSERT_LT(socket.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, socket.c_str(), socket.size());
  const UniqueFd bound(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(bound.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(problem(socket), socket + " is a socket; name a file");
  EXPECT_EQ(problem(folder_), folder_.string() + " is a folder; name a file in it");
  EXPECT_EQ(problem("/dev/zero"), "/dev/zero is a device; name a file");
  EXPECT_EQ(problem("/dev/null"), "/dev/null is a device; name a file");
}

}  // namespace
}  // namespace flatout::base
