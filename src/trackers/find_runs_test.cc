// Folders of runs of other trackers: MLflow's, and several kinds in one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <map>
#include <string>

#include "trackers/tracker_files.h"
#include "trackers/tracker_fixture.h"

namespace flatout::trackers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Trackers, ARunOfMlflow) {
  put("mlruns/1/meta.yaml", "artifact_location: x\nname: 'my experiment'\n");
  const std::string run_folder = "mlruns/1/0123abcd/";
  put(run_folder + "meta.yaml",
      "end_time: 1700000009000\nrun_id: 0123abcd\nrun_name: calm-dog\nstart_time: 1700000000000\n"
      "status: 4\n");
  put(run_folder + "params/lr", "0.1");
  put(run_folder + "params/optimizer", "adam");
  put(run_folder + "metrics/loss", "1700000001000 0.5 0\n1700000002000 nan 1\nnonsense\n");
  put(run_folder + "metrics/eval/acc", "1700000003000 0.75\n");
  put(run_folder + "tags/mlflow.note.content", "a note");
  put(run_folder + "tags/stage", "dev");
  put(run_folder + "artifacts/model.pkl", "x");
  const Recorded run = read(root_);
  EXPECT_EQ(error_, "");
  EXPECT_EQ(run.head.project, "my experiment");
  EXPECT_EQ(run.head.name, "calm-dog");
  EXPECT_EQ(run.head.notes, "a note");
  EXPECT_THAT(run.head.tags, ElementsAre("stage=dev"));
  EXPECT_EQ(run.fact_of("track_config"), R"({"set":{"lr":0.1,"optimizer":"adam"}})");
  ASSERT_EQ(run.all.size(), 3U);
  EXPECT_EQ(run.all[0].name, "eval/acc");
  EXPECT_EQ(run.all[0].step, std::nullopt);
  EXPECT_EQ(run.all[1].value, 0.5);
  EXPECT_TRUE(std::isnan(run.all[2].value));
  EXPECT_EQ(run.how, ImportedEnd::kFailed);
  EXPECT_EQ(run.end_ns, 1'700'000'009'000'000'000);
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("1 lines are not"), HasSubstr("1 artifacts")));
}

// As MLflow 3 makes it, with what is read of it.
constexpr const char* kMlflowTables =
    "CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE runs (run_uuid TEXT PRIMARY KEY, name TEXT, user_id TEXT, source_name TEXT,"
    " status TEXT, start_time BIGINT, end_time BIGINT, lifecycle_stage TEXT, artifact_uri TEXT,"
    " experiment_id INTEGER);"
    "CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT, step BIGINT,"
    " is_nan BOOLEAN);"
    "CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);"
    "CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT);";

void run_sql(const fs::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

TEST_F(Trackers, ARunInMlflowsDatabase) {
  fs::create_directories(root_);
  run_sql(root_ / "mlflow.db",
          std::string(kMlflowTables) +
              "INSERT INTO experiments VALUES (1, 'my experiment');"
              "INSERT INTO runs VALUES ('0123abcd', 'calm-dog', 'me', 'train.py', 'KILLED',"
              " 1700000000000, 1700000009000, 'active', '/nowhere', 1),"
              " ('gone', 'x', 'me', 'y', 'FINISHED', 1, 2, 'deleted', '', 1),"
              " ('../up', 'x', 'me', 'y', 'FINISHED', 1, 2, 'active', '', 1);"
              "INSERT INTO metrics VALUES ('loss', 0.5, 1700000001000, '0123abcd', 0, 0),"
              " ('loss', 0, 1700000002000, '0123abcd', 1, 1),"
              " ('loss', 1.7976931348623157e308, 1700000003000, '0123abcd', 2, 0),"
              " ('other', 1, 1, 'gone', 0, 0);"
              "INSERT INTO params VALUES ('lr', '0.1', '0123abcd'), ('opt', 'adam', '0123abcd');"
              "INSERT INTO tags VALUES ('mlflow.note.content', 'a note', '0123abcd'),"
              " ('stage', 'dev', '0123abcd');");
  const auto found = find_runs(root_);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ((*found)[0].path, root_ / "mlflow.db" / "0123abcd");
  const Recorded run = read(root_);
  EXPECT_EQ(error_, "");
  EXPECT_EQ(run.head.project, "my experiment");
  EXPECT_EQ(run.head.name, "calm-dog");
  EXPECT_EQ(run.head.notes, "a note");
  EXPECT_THAT(run.head.tags, ElementsAre("stage=dev"));
  EXPECT_EQ(run.fact_of("track_config"), R"({"set":{"lr":0.1,"opt":"adam"}})");
  ASSERT_EQ(run.all.size(), 3U);
  EXPECT_EQ(run.all[0].step, 0);
  EXPECT_TRUE(std::isnan(run.all[1].value));
  EXPECT_TRUE(std::isinf(run.all[2].value));
  EXPECT_EQ(run.how, ImportedEnd::kKilled);
  EXPECT_EQ(run.end_ns, 1'700'000'009'000'000'000);
}

TEST_F(Trackers, ADatabaseOfAnythingElse) {
  fs::create_directories(root_);
  run_sql(root_ / "notes.db", "CREATE TABLE runs (a); INSERT INTO runs VALUES (1);");
  // A view may be anything, also one that never ends.
  run_sql(root_ / "view.db",
          "CREATE TABLE experiments (a); CREATE TABLE metrics (a); CREATE TABLE params (a);"
          "CREATE TABLE tags (a); CREATE VIEW runs AS WITH RECURSIVE n(i) AS"
          " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS run_uuid, 'active' AS "
          "lifecycle_stage, 1 AS start_time FROM n;");
  EXPECT_THAT(find_runs(root_).error().message, HasSubstr("holds no run"));
  put("cut.db", "SQLite format 3");
  EXPECT_FALSE(find_runs(root_ / "cut.db"));
}

TEST_F(Trackers, ManyOfAllKindsInOneFolder) {
  put("tb/a/events.out.tfevents.1", kVersion);
  put("tb/a/events.out.tfevents.2", kVersion);
  put("tb/b/events.out.tfevents.1", kVersion);
  put("wandb/run-1/run-x.wandb", log_of({kRun}));
  put("mlruns/0/r/meta.yaml", "run_id: r\n");
  put("mlruns/0/r/metrics/loss", "1 1 1\n");
  fs::create_directory_symlink(root_ / "tb", root_ / "again");
  const auto found = find_runs(root_);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 4U);
  EXPECT_EQ((*found)[1].name, "tb/a");
  EXPECT_EQ((*found)[1].files.size(), 2U);
}

TEST_F(Trackers, APathWithoutAnySaysWhatWasLookedFor) {
  put("readme.txt", "x");
  EXPECT_THAT(find_runs(root_).error().message, HasSubstr("events.out.tfevents"));
  EXPECT_THAT(find_runs(root_ / "nothing").error().message, HasSubstr("is not there"));
}

// From the folder that it lies in.
TEST_F(Trackers, AFileNamedWithoutAFolder) {
  put("mlruns/1/meta.yaml", "name: x\n");
  put("run-1.wandb", "x");
  put("events.out.tfevents.1.host", "x");
  const fs::path before = fs::current_path();
  fs::current_path(root_);
  for (const char* name : {"run-1.wandb", "events.out.tfevents.1.host"}) {
    const auto found = find_runs(name);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 1U);
    EXPECT_TRUE(fs::exists(found->front().path)) << found->front().path;
  }
  fs::current_path(before);
}

TEST_F(Trackers, APipeOrALinkIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((root_ / "events.out.tfevents.1").c_str(), 0600), 0);
  EXPECT_FALSE(find_runs(root_));
}

}  // namespace
}  // namespace flatout::trackers
