// A line goes whole into what has room, and nobody waits where there is none.
#include "base/ready_write.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"

namespace flatout::base {
namespace {

struct Ends {
  UniqueFd reads, writes;
};

Ends a_pipe() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Ends sockets() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::string next_of(const UniqueFd& reads) {
  char bytes[64];
  const ssize_t got = ::read(reads.get(), bytes, sizeof bytes);
  return {bytes, static_cast<std::size_t>(got < 0 ? 0 : got)};
}

// As often as it is taken: bounded, as a line is never empty.
void fill(int fd) {
  while (write_if_ready(fd, std::string(512, 'x'))) {
  }
}

TEST(WriteIfReady, WritesWhereThereIsRoom) {
  const Ends pipe = a_pipe(), pair = sockets();
  EXPECT_TRUE(write_if_ready(pipe.writes.get(), "a line\n"));
  EXPECT_EQ(next_of(pipe.reads), "a line\n");
  EXPECT_TRUE(write_if_ready(pair.writes.get(), "a line\n"));
  EXPECT_EQ(next_of(pair.reads), "a line\n");
}

TEST(WriteIfReady, ReturnsWhereThereIsNone) {
  const Ends pipe = a_pipe(), pair = sockets();
  fill(pipe.writes.get());
  fill(pair.writes.get());
  EXPECT_FALSE(write_if_ready(pipe.writes.get(), "a line\n"));
  EXPECT_FALSE(write_if_ready(pair.writes.get(), "a line\n"));
}

// Others write to it, too, and may wait there if they like.
TEST(WriteIfReady, LeavesTheFlagsOfThePipe) {
  const Ends pipe = a_pipe();
  const int before = ::fcntl(pipe.writes.get(), F_GETFL);
  EXPECT_TRUE(write_if_ready(pipe.writes.get(), "a line\n"));
  EXPECT_EQ(::fcntl(pipe.writes.get(), F_GETFL), before);
}

TEST(WriteIfReady, AppendsToAFile) {
  const auto path = std::filesystem::path(testing::TempDir()) / "ready_write";
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  ASSERT_TRUE(file);
  EXPECT_TRUE(write_if_ready(file.get(), "one\n"));
  EXPECT_TRUE(write_if_ready(file.get(), "two\n"));
  EXPECT_EQ(read_file(path).value_or(""), "one\ntwo\n");
  std::filesystem::remove(path);
}

TEST(WriteIfReady, ClosedIsNotWritten) { EXPECT_FALSE(write_if_ready(-1, "a line\n")); }

}  // namespace
}  // namespace flatout::base
