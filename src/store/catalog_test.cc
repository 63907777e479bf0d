#include "store/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/process.h"
#include "store/retention.h"
#include "store/run_list.h"
#include "store/run_writer.h"
#include "store/seal.h"
#include "store/sealed/sqlite.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;

class CatalogTest : public testing::Test {
 protected:
  std::string record(std::int64_t started, bool end = true) {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.started_wall_ns = started;
    info.host = from.host;
    info.ring_dir = "";
    EXPECT_TRUE(writer->begin(info));
    if (end) {
      EXPECT_TRUE(writer->end({.t_ns = info.started_ns + 7 * base::kSecond, .survivors = {}}));
    }
    return writer->id();
  }
  CatalogListing list() const {
    auto listing = list_catalog(home, from);
    EXPECT_TRUE(listing);
    return listing ? *listing : CatalogListing{};
  }
  fs::path file() const { return home.root() / "catalog.sqlite"; }
  // The listing must be the same as one made from the runs alone.
  void expect_true_listing() {
    const auto cached = list();
    EXPECT_EQ(cached.problem, "");
    ASSERT_TRUE(drop_catalog(home));
    const auto anew = list();
    EXPECT_EQ(cached.runs, anew.runs);
    EXPECT_EQ(anew.read_anew, anew.runs.size());
  }

  ScratchFolder scratch;
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  Viewpoint from = viewpoint_here();
};

TEST_F(CatalogTest, ListsRunsWithWhatIsKnownOfThem) {
  EXPECT_TRUE(list().runs.empty());
  EXPECT_FALSE(fs::exists(home.root()));  // looking makes nothing
  const auto a = record(100);
  const auto b = record(200);
  fs::create_directories(home.folder("zzzz"));
  ASSERT_TRUE(update_meta(home.folder(a), [](RunMeta& meta) {
    meta.tags = {"good", "base", "good"};
    meta.note = "as it was";
    meta.outcome = RunOutcome{.finding = "input_bound",
                              .cause = "worker_cpu",
                              .summary = "The GPU waits.",
                              .confidence = 0.9,
                              .steps = 312,
                              .median_ms = 6.5,
                              .samples_per_s = {},
                              .device_busy = {},
                              .stopped_after = {}};
  }));
  ASSERT_EQ(seal_run(home, a, from).value(), SealResult::kSealed);
  const auto runs = list().runs;
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].id, b);
  EXPECT_FALSE(runs[0].sealed);
  EXPECT_EQ(runs[1].id, a);
  EXPECT_TRUE(runs[1].sealed);
  EXPECT_EQ(runs[1].state, run::RunState::kFinished);
  EXPECT_EQ(runs[1].duration_ns, 7 * base::kSecond);
  EXPECT_EQ(runs[1].command, "python train.py --lr=0.1");
  EXPECT_THAT(runs[1].meta.tags, testing::ElementsAre("base", "good"));
  EXPECT_EQ(runs[1].meta.outcome->steps, 312);
  EXPECT_EQ(runs[1].bytes, fs::file_size(home.folder(a) / kSealedFileName) +
                               fs::file_size(home.folder(a) / kMetaFileName));
  EXPECT_EQ(runs[2].id, "zzzz");
  EXPECT_NE(runs[2].problem, "");
  expect_true_listing();
}

TEST_F(CatalogTest, ReadsOnlyWhatChanged) {
  const auto a = record(100);
  const auto b = record(200);
  EXPECT_EQ(list().read_anew, 2U);
  EXPECT_EQ(list().read_anew, 0U);
  ASSERT_TRUE(update_meta(home.folder(a), [](RunMeta& meta) { meta.note = "x"; }));
  EXPECT_EQ(list().read_anew, 1U);
  ASSERT_TRUE(seal_run(home, b, from));
  EXPECT_EQ(list().read_anew, 1U);
  ASSERT_TRUE(remove_run(home, a, from));
  EXPECT_EQ(list().runs.size(), 1U);
  EXPECT_EQ(list().read_anew, 0U);
  expect_true_listing();
}

TEST_F(CatalogTest, ARunningRunIsLookedAtEachTime) {
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  const auto self = base::process_id(::getpid());
  info.recorder_pid = self->pid;
  info.recorder_start_ticks = self->start_ticks;
  info.boot_id = base::boot_id();
  ASSERT_TRUE(writer->begin(info));
  EXPECT_EQ(list().runs[0].state, run::RunState::kRunning);
  EXPECT_EQ(list().read_anew, 1U);
  ASSERT_TRUE(writer->end({.exit_code = 1, .survivors = {}}));
  EXPECT_EQ(list().runs[0].state, run::RunState::kFailed);
}

TEST_F(CatalogTest, ADamagedCatalogIsMadeAnew) {
  const auto a = record(100);
  (void)list();
  std::ifstream in(file(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  std::string garbage(8192, 'x');
  for (const std::string& bytes : {std::string(), garbage, whole.substr(0, whole.size() / 2),
                                   whole.substr(0, 100) + garbage + whole.substr(100)}) {
    std::ofstream(file(), std::ios::binary) << bytes;
    const auto listing = list();
    EXPECT_EQ(listing.problem, "");
    ASSERT_EQ(listing.runs.size(), 1U);
    EXPECT_EQ(listing.runs[0].id, a);
    EXPECT_EQ(list().read_anew, 0U);  // it is a catalog again
  }
  {
    auto other = Database::shared(file(), 0);
    ASSERT_TRUE(other);
    ASSERT_TRUE(other->execute("DROP TABLE run; CREATE TABLE run(other)"));
  }
  EXPECT_EQ(list().runs.size(), 1U);
  EXPECT_EQ(list().read_anew, 0U);
}

// It can be read, and so each listing would have failed to bring it up to date.
TEST_F(CatalogTest, ASchemaThatIsNotOursIsNeverAsked) {
  record(1);
  const char* const crafted[] = {
      // Has no end.
      ("CREATE VIEW run AS WITH RECURSIVE c(id) AS (SELECT 1 UNION ALL SELECT id FROM c)"
       " SELECT id, 0 AS stamp, '' AS row FROM c; PRAGMA user_version=1;"),
      "CREATE TABLE run(id, stamp, row); PRAGMA user_version=1;",
      "CREATE TABLE other(x); PRAGMA user_version=0;",
  };
  for (const char* const sql : crafted) {
    ASSERT_TRUE(drop_catalog(home));
    {
      auto database = Database::shared(file(), 0);
      ASSERT_TRUE(database);
      ASSERT_TRUE(database->execute(sql)) << sql;
    }
    const auto listing = list();
    EXPECT_EQ(listing.runs.size(), 1U) << sql;
    EXPECT_EQ(listing.problem, "") << sql;
    EXPECT_EQ(list().read_anew, 0U) << "made anew and kept: " << sql;
  }
}

TEST_F(CatalogTest, IsForThisUserAlone) {
  const mode_t before = ::umask(0);
  record(1);
  (void)list();
  ::umask(before);
  const auto mode_of = [](const fs::path& path) {
    struct stat st{};
    return ::stat(path.c_str(), &st) == 0 ? st.st_mode & 0777 : 0;
  };
  EXPECT_EQ(mode_of(file()), 0600U);
  for (const fs::path& folder : {home.root(), home.runs()}) EXPECT_EQ(mode_of(folder), 0700U);
  for (const char* const tail : {"-journal", "-wal", "-shm"}) {
    const fs::path beside = file().string() + tail;
    EXPECT_TRUE(!fs::exists(beside) || mode_of(beside) == 0600U) << tail;
  }
  fs::permissions(file(), fs::perms(0644));
  (void)list();
  EXPECT_EQ(mode_of(file()), 0600U) << "of an older flatout";
}

TEST_F(CatalogTest, ACatalogThatCannotBeWrittenIsMadeAnew) {
  const auto a = record(100);
  (void)list();
  std::ifstream in(file(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const auto expect_healed = [&](const char* what) {
    (void)record(200);
    EXPECT_EQ(list().problem, "") << what;
    EXPECT_EQ(list().read_anew, 0U) << what;
  };
  std::string newer_header = whole;
  newer_header[18] = 3;  // the version that a writer must know
  std::ofstream(file(), std::ios::binary) << newer_header;
  expect_healed("header");
  std::string no_room = whole;
  no_room[4096 + 7] = '\xff';  // the free bytes of the page that holds the rows
  std::ofstream(file(), std::ios::binary) << no_room;
  expect_healed("page");
  {
    auto other = Database::shared(file(), 0);
    ASSERT_TRUE(other);
    ASSERT_TRUE(
        other->execute("DROP TABLE run; CREATE TABLE run(id,stamp,a,b,c,d,e,f,g,h,i,j,k,"
                       "row CHECK(row=''))"));
  }
  expect_healed("table");
}

TEST_F(CatalogTest, ALockedOrForbiddenCatalogCostsTimeAndNothingElse) {
  (void)record(100);
  (void)list();
  auto other = Database::shared(file(), 0);
  ASSERT_TRUE(other);
  ASSERT_TRUE(other->execute("BEGIN EXCLUSIVE"));
  const auto listing = list();
  EXPECT_EQ(listing.runs.size(), 1U);
  EXPECT_THAT(listing.problem, testing::HasSubstr("locked"));
  ASSERT_TRUE(other->execute("ROLLBACK"));
  ASSERT_TRUE(other->execute("PRAGMA user_version=9"));
  EXPECT_THAT(list().problem, testing::HasSubstr("newer"));
  EXPECT_EQ(list().runs.size(), 1U);
  fs::remove(file());
  fs::create_directory(file());
  EXPECT_EQ(list().runs.size(), 1U);
  EXPECT_NE(list().problem, "");
}

TEST_F(CatalogTest, ManyFlatoutsAtOnce) {
  for (int i = 0; i < 8; ++i) (void)record(i);
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = ::fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    bool good = true;
    for (int round = 0; round < 10; ++round) {
      if (i == 0 && round % 4 == 0) (void)drop_catalog(home);
      const auto listing = list_catalog(home, from);
      good = good && listing && listing->runs.size() == 8;
      (void)seal_ended(home, from, clock, base::kSecond);
    }
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  expect_true_listing();
}

TEST_F(CatalogTest, TwoThatChangeTheMetaBothCount) {
  const auto id = record(1);
  std::vector<std::thread> threads;
  for (const char* tag : {"a", "b", "c", "d"}) {
    threads.emplace_back([&, tag] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(update_meta(home.folder(id), [&](RunMeta& meta) {
          meta.tags.push_back(tag + std::to_string(i % 5));
        }));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(read_meta(home.folder(id))->tags.size(), 20U);
}

TEST_F(CatalogTest, MetaHasItsBounds) {
  const auto folder = home.folder(record(1));
  EXPECT_EQ(read_meta(folder), RunMeta{});
  for (const char* bad : {"", "a b", "a,b", "a\nb"}) {
    EXPECT_FALSE(update_meta(folder, [&](RunMeta& meta) { meta.tags = {bad}; })) << bad;
  }
  EXPECT_FALSE(update_meta(folder, [](RunMeta& meta) { meta.note.assign(20'000, 'x'); }));
  EXPECT_FALSE(update_meta(home.folder("nope"), [](RunMeta&) {}));
  std::ofstream(folder / kMetaFileName) << R"({"later":{"x":1},"tags":["a"]})";
  ASSERT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.note = "n"; }));
  std::ifstream in(folder / kMetaFileName);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, testing::HasSubstr("later"));
  EXPECT_EQ(read_meta(folder)->note, "n");
  std::ofstream(folder / kMetaFileName) << "no JSON";
  EXPECT_EQ(read_meta(folder).error().code, base::ErrorCode::kCorrupt);
  EXPECT_EQ(list().runs[0].problem, "");
  EXPECT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.note = "again"; }));
}

// What another program put into it must not make it unreadable for ever, nor
// recurse as deep as 256 KiB of brackets go.
TEST_F(CatalogTest, AMetaThatNestsWithoutEndIsReplaced) {
  const auto folder = home.folder(record(1));
  for (const std::size_t depth : {20U, 120'000U}) {
    std::ofstream(folder / kMetaFileName)
        << R"({"later":)" << std::string(depth, '[') << std::string(depth, ']') << '}';
    EXPECT_EQ(read_meta(folder).error().code, base::ErrorCode::kCorrupt) << depth;
    EXPECT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.note = "again"; })) << depth;
    EXPECT_EQ(read_meta(folder)->note, "again") << depth;
  }
}

// ---- retention

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

TEST(Retention, ChoosesTheOldestAndNeverARunningOne) {
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

TEST(Retention, ReadsAgesAndSizes) {
  EXPECT_EQ(parse_age("90m").value(), 5400 * base::kSecond);
  EXPECT_EQ(parse_age("2w").value(), 14 * 86400 * base::kSecond);
  EXPECT_EQ(parse_size("500M").value(), 500ULL << 20);
  EXPECT_EQ(parse_size("12").value(), 12U);
  for (const char* bad : {"", "d", "0d", "-1d", "30", "30x", "30dd", "1.5d", "99999999999w"}) {
    EXPECT_FALSE(parse_age(bad)) << bad;
  }
  for (const char* bad : {"", "G", "0G", "1g", "9999999999T"}) EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST_F(CatalogTest, RetentionRemovesFoldersAndNothingThatRuns) {
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
  EXPECT_FALSE(fs::exists(home.folder(old)));
  EXPECT_TRUE(fs::exists(home.folder(young)));
  EXPECT_TRUE(fs::exists(home.folder(writer->id())));
}

TEST_F(CatalogTest, WhatAProgramTrackedIsListed) {
  const std::string id = record(1);
  std::string deep = "1";
  for (int i = 0; i < 20; ++i) deep = R"({"a":)" + deep + "}";
  const auto written = update_meta(home.folder(id), [&](RunMeta& meta) {
    meta.tracked = TrackedHeadline{.id = "x1",
                                   .project = std::string(5000, 'p'),
                                   .name = "n",
                                   .group = {},
                                   .job_type = {},
                                   .tags = {"a"},
                                   .config = R"({"lr":0.1,"deep":)" + deep + R"(,"long":")" +
                                             std::string(100'000, 'x') + "\"}",
                                   .summary = "no JSON"};
  });
  ASSERT_TRUE(written);
  const auto meta = read_meta(home.folder(id));
  ASSERT_TRUE(meta && meta->tracked);
  EXPECT_EQ(meta->tracked->id, "x1");
  EXPECT_EQ(meta->tracked->project.size(), 1024U);
  EXPECT_EQ(meta->tracked->summary, "{}");
  EXPECT_THAT(meta->tracked->config, testing::HasSubstr(R"("lr":0.1)"));
  EXPECT_THAT(meta->tracked->config, testing::HasSubstr(R"({"a":{"a":{"a":"{)"));
  EXPECT_THAT(meta->tracked->config, testing::HasSubstr(R"("long":"xxxx)"));
  EXPECT_LT(meta->tracked->config.size(), 1300U);  // the beginning of the long one
  ASSERT_EQ(list().runs.size(), 1U);
  EXPECT_EQ(list().runs[0].meta.tracked, meta->tracked);  // the second time from the catalog
  expect_true_listing();
}

}  // namespace
}  // namespace flatout::store
