// Warnings come once a minute, with their number, and wait for no reader.
#include "serve/http/notices.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/file.h"
#include "base/ready_write.h"

namespace flatout::serve {
namespace {

class NoticesOnAPipe : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    reads_ = base::UniqueFd(ends[0]);
    writes_ = base::UniqueFd(ends[1]);
  }

  std::string written() {
    std::string out;
    char bytes[4096];
    for (ssize_t got = 0; (got = ::read(reads_.get(), bytes, sizeof bytes)) > 0;) {
      out.append(bytes, static_cast<std::size_t>(got));
    }
    return out;
  }

  base::UniqueFd reads_, writes_;
  const Notices::Clock::time_point start_{};
};

TEST_F(NoticesOnAPipe, TheFirstAtOnceAndTheRestAsANumber) {
  Notices notices(writes_.get());
  for (int i = 0; i < 1000; ++i)
    notices.add("no more files", start_ + std::chrono::milliseconds(i));
  EXPECT_EQ(written(), "flatout: no more files\n");
  notices.flush(start_ + std::chrono::seconds(59));
  EXPECT_EQ(written(), "");
  notices.flush(start_ + std::chrono::seconds(60));
  EXPECT_EQ(written(), "flatout: no more files (the last of 999 warnings since the one before)\n");
  notices.flush(start_ + std::chrono::seconds(600));
  EXPECT_EQ(written(), "");
}

TEST_F(NoticesOnAPipe, WhatFoundNoRoomIsCountedWithTheNext) {
  Notices notices(writes_.get());
  while (base::write_if_ready(writes_.get(), std::string(512, 'x'))) {
  }
  notices.add("no more files", start_);
  notices.add("no more files", start_ + std::chrono::seconds(30));
  (void)written();
  notices.flush(start_ + std::chrono::seconds(61));
  EXPECT_EQ(written(), "flatout: no more files (the last of 2 warnings since the one before)\n");
}

}  // namespace
}  // namespace flatout::serve
