#include "inject/ring_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "wire/ring_segment.h"

namespace flatout::inject {
namespace {

class RingFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/flatout_ring_XXXXXX";
    dir_ = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::filesystem::path dir_;
};

TEST_F(RingFileTest, IsWholeAndNamedAfterTheProcess) {
  const RingFile file = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kWorker, 3, 7);
  ASSERT_TRUE(file.writer) << file.failed_at;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_)) {
    ++files;
    EXPECT_EQ(entry.path().filename().string().rfind("ring." + std::to_string(::getpid()) + ".", 0),
              0U);
    EXPECT_EQ(entry.file_size(), wire::kRingHeaderBytes + 4096);
    struct stat st{};
    ASSERT_EQ(::stat(entry.path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 0777, 0600U);
    EXPECT_EQ(static_cast<std::uint64_t>(st.st_blocks) * 512, entry.file_size()) << "sparse";
  }
  EXPECT_EQ(files, 1);
  EXPECT_EQ(file.writer.header()->worker_id, 3);
  EXPECT_EQ(file.writer.header()->rank, 7);
  EXPECT_NE(file.writer.header()->start_ticks, 0U);
}

TEST_F(RingFileTest, MissingDirectoryIsAnErrorAndLeavesNothing) {
  const RingFile file =
      create_ring((dir_ / "gone").c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, -1);
  EXPECT_FALSE(file.writer);
  EXPECT_STREQ(file.failed_at, "create");
  EXPECT_EQ(file.error, ENOENT);
}

TEST_F(RingFileTest, AnotherCopyOfThisCodeJoinsTheSameRing) {
  const RingFile first = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, 2);
  const RingFile second = create_ring(dir_.c_str(), {.bytes = 65536}, wire::RingRole::kMain, -1, 2);
  ASSERT_TRUE(first.writer);
  ASSERT_TRUE(second.writer) << second.failed_at;
  EXPECT_NE(first.writer.header(), second.writer.header()) << "each maps it";
  first.writer.header()->head = 512;
  EXPECT_EQ(second.writer.header()->head.load(), 512U) << "but it is one";
  EXPECT_EQ(second.writer.header()->capacity, 4096U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_), {}), 1);
}

TEST_F(RingFileTest, AJoinedRingLearnsThatItsProcessIsAWorker) {
  const RingFile first = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, -1);
  ASSERT_TRUE(create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kWorker, 5, -1).writer);
  EXPECT_EQ(first.writer.header()->role, static_cast<std::uint32_t>(wire::RingRole::kWorker));
  EXPECT_EQ(first.writer.header()->worker_id, 5);
  const RingFile third = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, -1);
  EXPECT_EQ(third.writer.header()->role, static_cast<std::uint32_t>(wire::RingRole::kWorker));
}

TEST_F(RingFileTest, AKernelTraceHasARingBesideTheOther) {
  const RingFile main = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, 3);
  const RingFile trace = create_ring(dir_.c_str(), {.bytes = 16384}, wire::RingRole::kTrace, -1, 3);
  ASSERT_TRUE(trace.writer) << trace.failed_at;
  EXPECT_EQ(trace.writer.header()->capacity, 16384U);
  EXPECT_EQ(trace.writer.header()->role, static_cast<std::uint32_t>(wire::RingRole::kTrace));
  EXPECT_EQ(trace.writer.header()->rank, 3);
  trace.writer.header()->head = 512;
  EXPECT_EQ(main.writer.header()->head.load(), 0U);
  const RingFile again = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kTrace, -1, 3);
  EXPECT_EQ(again.writer.header()->head.load(), 512U) << "joined";
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir_)) {
    if (entry.path().extension() == ".trace") ++traces;
  }
  EXPECT_EQ(traces, 1);
}

TEST_F(RingFileTest, WhileAnotherCopyMakesTheRingItIsBusy) {
  ASSERT_TRUE(create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, -1).writer);
  const auto ring = std::filesystem::directory_iterator(dir_)->path();
  std::filesystem::rename(ring, dir_ / ("." + ring.filename().string()));
  EXPECT_EQ(create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, -1).error, EBUSY);
}

// What the entry names; removed with the test.
struct Entry {
  explicit Entry(const std::filesystem::path& dir) {
    for (const auto& entry : std::filesystem::directory_iterator(dir)) {
      ++entries;
      id = wire::segment_of(entry.path().c_str());
    }
  }
  ~Entry() { wire::remove_segment(id, ::getpid()); }
  int entries = 0;
  int id = -1;
};

TEST_F(RingFileTest, ASegmentTakesNoFileAndIsJoined) {
  const RingSize size{.bytes = 4096, .segment = true};
  const RingFile first = create_ring(dir_.c_str(), size, wire::RingRole::kWorker, 3, 7);
  ASSERT_TRUE(first.writer) << first.failed_at;
  const Entry entry(dir_);
  EXPECT_EQ(entry.entries, 1);
  ASSERT_GE(entry.id, 0);
  const wire::Segment seen = wire::attach_segment(entry.id);
  EXPECT_EQ(seen.bytes, wire::kRingHeaderBytes + 4096);
  EXPECT_EQ(static_cast<wire::RingHeader*>(seen.at)->worker_id, 3);
  for (const bool segment : {true, false}) {
    const RingFile joined = create_ring(dir_.c_str(), {.bytes = 65536, .segment = segment},
                                        wire::RingRole::kMain, -1, -1);
    ASSERT_TRUE(joined.writer) << joined.failed_at;
    EXPECT_EQ(joined.writer.header()->capacity, 4096U);
  }
}

TEST_F(RingFileTest, WithoutItsFolderASegmentIsNotLeftBehind) {
  const auto segments = [] {
    std::ifstream table("/proc/sysvipc/shm");
    const std::string made_here = " " + std::to_string(::getpid()) + " ";
    int count = 0;
    for (std::string line; std::getline(table, line);) count += line.contains(made_here) ? 1 : 0;
    return count;
  };
  const int before = segments();
  const RingFile file = create_ring((dir_ / "gone").c_str(), {.bytes = 4096, .segment = true},
                                    wire::RingRole::kMain, -1, -1);
  EXPECT_STREQ(file.failed_at, "publish");
  EXPECT_EQ(segments(), before);
}

TEST_F(RingFileTest, AFileAboveTheLimitIsAnErrorAndNoSignal) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const RingFile file = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, -1);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_STREQ(file.failed_at, "allocate");
  EXPECT_EQ(file.error, EFBIG);
  EXPECT_TRUE(std::filesystem::is_empty(dir_));
}

TEST_F(RingFileTest, AFileThatIsNoRingOfThisProcessIsNotWrittenTo) {
  const RingFile made = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, -1);
  made.writer.header()->pid = 1;
  const RingFile joined = create_ring(dir_.c_str(), {.bytes = 4096}, wire::RingRole::kMain, -1, -1);
  EXPECT_FALSE(joined.writer);
  EXPECT_STREQ(joined.failed_at, "join");
}

}  // namespace
}  // namespace flatout::inject
