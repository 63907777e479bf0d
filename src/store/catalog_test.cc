#include "store/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/process.h"
#include "store/catalog_fixture.h"
#include "store/kept_file.h"
#include "store/seal.h"
#include "store/sealed/sqlite.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;

TEST_F(CatalogTest, ListsRunsWithWhatIsKnownOfThem) {
  EXPECT_TRUE(list().runs.empty());
  EXPECT_FALSE(fs::exists(home.root()));  // looking makes nothing
  const auto a = record(100);
  const auto b = record(200);
  fs::create_directories(home.folder("zzzz"));
  fs::last_write_time(home.folder("zzzz"),
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
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
  ASSERT_TRUE(keep_file(home.folder(a), std::string(5000, 'x'), "bin"));
  fs::create_symlink("/proc/kcore", home.folder(a) / "files" / "link");
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
                               fs::file_size(home.folder(a) / kMetaFileName) + 5000);
  EXPECT_EQ(runs[2].id, "zzzz");
  EXPECT_NE(runs[2].problem, "");
  expect_true_listing();
}

TEST_F(CatalogTest, OneThatBeginsIsListedOnceItHasBegun) {
  const auto old = record(100);
  auto writer = RunWriter::open(home, clock);
  const auto before = list();
  ASSERT_EQ(before.runs.size(), 1U);
  EXPECT_EQ(before.runs[0].id, old);
  EXPECT_EQ(before.beginning, 1U);

  auto info = sample_info(writer->id());
  info.host = from.host;
  ASSERT_TRUE(writer->begin(info));
  EXPECT_EQ(list().runs.size(), 2U);
  EXPECT_EQ(list().beginning, 0U);
  expect_true_listing();
}

TEST_F(CatalogTest, OneThatNeverBeganIsListedInTheEnd) {
  const auto id = RunWriter::open(home, clock)->id();
  EXPECT_TRUE(list().runs.empty());
  from.wall_ns += 61 * base::kSecond;
  ASSERT_EQ(list().runs.size(), 1U);
  EXPECT_NE(list().runs[0].problem, "");
  EXPECT_EQ(list().beginning, 0U);
}

TEST_F(CatalogTest, AYoungOneThatIsCutOffIsListedAndLookedAtAgain) {
  const auto id = record(100);
  fs::resize_file(home.log(id), 10);
  ASSERT_EQ(list().runs.size(), 1U);
  EXPECT_NE(list().runs[0].problem, "");
  EXPECT_EQ(list().beginning, 1U);
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

TEST_F(CatalogTest, GivesPartsWhileItReads) {
  const std::string a = record(1), b = record(2), c = record(3);
  std::vector<CatalogListing> parts;
  const auto whole =
      list_catalog(home, from,
                   {.take = [&](CatalogListing part) { parts.push_back(std::move(part)); },
                    .moment = std::chrono::milliseconds(0),
                    .stop = {}});
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->runs.size(), 3U);
  EXPECT_EQ(whole->unread, 0U);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts.front().runs.size(), 1U);
  for (const auto& part : parts) EXPECT_EQ(part.runs.size() + part.unread, 3U);
}

TEST_F(CatalogTest, StopsWhereNobodyWantsTheRest) {
  for (int i = 0; i < 5; ++i) record(i);
  int looked = 0;
  const auto some = list_catalog(home, from, {.take = {}, .stop = [&] { return ++looked > 2; }});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->runs.size(), 2U);
  EXPECT_EQ(some->unread, 3U);
  // Entries that were read are kept, and no run is taken for one that is gone.
  EXPECT_EQ(list().read_anew, 3U);
  EXPECT_EQ(list().runs.size(), 5U);
}

}  // namespace
}  // namespace flatout::store
