// Folders of runs of other trackers: MLflow's, and several kinds in one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
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

TEST_F(Trackers, APipeOrALinkIsNotWaitedFor) {
  ASSERT_EQ(::mkfifo((root_ / "events.out.tfevents.1").c_str(), 0600), 0);
  EXPECT_FALSE(find_runs(root_));
}

}  // namespace
}  // namespace flatout::trackers
