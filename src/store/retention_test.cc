#include "store/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/process.h"
#include "store/catalog_fixture.h"

namespace flatout::store {
namespace {

CatalogEntry ended(const std::string& id, std::int64_t started_s, std::uint64_t bytes) {
  CatalogEntry entry;
  entry.id = id;
  entry.state = run::RunState::kFinished;
  entry.started_wall_ns = started_s * base::kSecond;
  entry.duration_ns = 10 * base::kSecond;
  entry.bytes = bytes;
  return entry;
}

std::vector<std::string> ids(const std::vector<RunFamily>& families) {
  std::vector<std::string> out;
  for (const auto& family : families) out.push_back(family.run.id);
  return out;
}

TEST(RetentionRules, ChoosesTheOldestAndNeverARunningOne) {
  auto running = ended("rrrr", 0, 100);
  running.state = run::RunState::kRunning;
  auto tagged = ended("tttt", 5, 100);
  tagged.meta.tags = {"keep"};
  auto unread = ended("uuuu", 0, 100);
  unread.problem = "damaged";
  const std::vector<CatalogEntry> runs = {ended("cccc", 300, 100),
                                          ended("bbbb", 200, 100),
                                          tagged,
                                          ended("aaaa", 100, 100),
                                          running,
                                          unread};
  const auto now = 400 * base::kSecond;
  EXPECT_THAT(ids(expired(runs, {.older_than = 150 * base::kSecond}, now)),
              testing::ElementsAre("tttt", "aaaa", "bbbb"));
  EXPECT_THAT(ids(expired(runs, {.older_than = 190 * base::kSecond}, now)),
              testing::ElementsAre("tttt", "aaaa"));  // age counts from the end
  EXPECT_THAT(ids(expired(runs, {.older_than = 150 * base::kSecond, .keep_tagged = true}, now)),
              testing::ElementsAre("aaaa", "bbbb"));
  EXPECT_THAT(ids(expired(runs, {.max_total_bytes = 450}, now)),
              testing::ElementsAre("tttt", "aaaa"));
  EXPECT_THAT(ids(expired(runs, {.max_total_bytes = 0}, now)),
              testing::ElementsAre("tttt", "aaaa", "bbbb", "cccc"));
  EXPECT_THAT(expired(runs, {}, now), testing::IsEmpty());
}

TEST(RetentionRules, ReadsAgesAndSizes) {
  EXPECT_EQ(parse_age("90m").value(), 5400 * base::kSecond);
  EXPECT_EQ(parse_age("2w").value(), 14 * 86400 * base::kSecond);
  EXPECT_EQ(parse_size("500M").value(), 500ULL << 20);
  EXPECT_EQ(parse_size("12").value(), 12U);
  for (const char* bad : {"", "d", "0d", "-1d", "30", "30x", "30dd", "1.5d", "99999999999w"}) {
    EXPECT_FALSE(parse_age(bad)) << bad;
  }
  for (const char* bad : {"", "G", "0G", "1g", "9999999999T"}) EXPECT_FALSE(parse_size(bad)) << bad;
}

using RetentionTest = CatalogTest;

TEST_F(RetentionTest, RemovesFoldersAndNothingThatRuns) {
  const auto old = record(from.wall_ns - 3600 * base::kSecond);
  const auto young = record(from.wall_ns - 60 * base::kSecond);
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  const auto self = base::process_id(::getpid());
  info.recorder_pid = self->pid;
  info.recorder_start_ticks = self->start_ticks;
  info.boot_id = base::boot_id();
  info.started_wall_ns = 1;
  ASSERT_TRUE(writer->begin(info));
  const auto removed = remove_expired(home, {.older_than = 600 * base::kSecond}, from);
  ASSERT_TRUE(removed);
  EXPECT_THAT(ids(removed->families), testing::ElementsAre(old));
  EXPECT_FALSE(std::filesystem::exists(home.folder(old)));
  EXPECT_TRUE(std::filesystem::exists(home.folder(young)));
  EXPECT_TRUE(std::filesystem::exists(home.folder(writer->id())));
}

}  // namespace
}  // namespace flatout::store
