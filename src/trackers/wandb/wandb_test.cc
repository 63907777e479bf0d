// Offline logs of wandb, written here by hand, through their reader.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "trackers/tracker_files.h"
#include "trackers/tracker_fixture.h"

namespace flatout::trackers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Trackers, ARunOfWandb) {
  put("wandb/offline-run-1/run-3k2f9x1c.wandb",
      log_of(
          {text(21, ""), kRun,
           text(5, text(1, text(2, "model") + text(2, "depth") + text(16, "18"))),
           history(0, 1001, {item("loss", "0.5"), item("eval", R"({"acc":0.25,"top5":NaN})")}),
           history(1, 1002, {item("loss", "Infinity"), item("note", "\"warm\"")}),
           text(12, text(2, "eval.*") + text(4, "epoch") + text(6, number(1, 1)) +
                        text(7, number(1, 1) + number(3, 1)) + number(8, 1)),
           text(3, text(1, item("best", "0.9")) + text(1, item("eval", R"({"acc":{"min":0.2}})"))),
           text(10, text(1, "Low") + text(2, "below") + text(3, "WARN")),
           text(7, text(2, number(1, 1003)) + text(3, item("gpu.0.gpu", "97"))),
           text(18, number(1, 3))}));
  const Recorded run = read(root_);
  EXPECT_EQ(error_, "");
  EXPECT_EQ(run.head.id, "3k2f9x1c");
  EXPECT_EQ(run.head.name, "brisk-wave");
  EXPECT_EQ(run.head.project, "mnist");
  EXPECT_THAT(run.head.tags, ElementsAre("base", "gpu"));
  EXPECT_EQ(run.head.started_wall_ns, 1'000'000'000'000);
  std::map<std::string, double> last;
  for (const ImportedValue& value : run.all) last[value.name] = value.value;
  EXPECT_EQ(last["eval.acc"], 0.25);
  EXPECT_TRUE(std::isnan(last["eval.top5"]));
  EXPECT_TRUE(std::isinf(last["loss"]));
  EXPECT_EQ(last["system/gpu.0.gpu"], 97);
  EXPECT_EQ(run.all[0].step, 0);
  EXPECT_EQ(run.all[0].wall_ns, 1'001'000'000'000);
  EXPECT_EQ(run.fact_of("track_row"), R"({"step":1,"data":{"note":"warm"}})");
  EXPECT_EQ(run.facts[0].second, R"({"name":"system/*","hidden":true,"summary":"none"})");
  EXPECT_EQ(run.facts[1].second, R"({"set":{"lr":0.1}})");
  EXPECT_EQ(run.facts[2].second, R"({"set":{"model":{"depth":18}}})");
  EXPECT_EQ(run.fact_of("track_metric"),
            R"({"name":"eval.*","step_metric":"epoch","step_sync":true,"goal":"minimize",)"
            R"("summary":"min,mean"})");
  EXPECT_EQ(run.fact_of("track_summary"), R"({"set":{"best":0.9,"eval.acc.min":0.2}})");
  EXPECT_EQ(run.fact_of("track_alert"), R"({"title":"Low","text":"below","level":"WARN"})");
  EXPECT_EQ(run.how, ImportedEnd::kFailed);
  EXPECT_EQ(run.exit_code, 3);
}

// As current versions log what is nested: each leaf with its path.
TEST_F(Trackers, PicturesThatWandbNamesLeafByLeaf) {
  const auto leaf = [](const std::string& key, const std::string& json) {
    return text(2, "img") + text(2, key) + text(16, json);
  };
  put("files/media/images/a.png", "picture");
  put("run-a.wandb",
      log_of({kRun, history(0, 1001,
                            {leaf("_type", "\"image-file\""),
                             leaf("path", "\"media/images/a.png\""), leaf("width", "8")})}));
  const Recorded run = read(root_);
  EXPECT_THAT(run.files, ElementsAre("picture"));
  EXPECT_TRUE(run.all.empty());
  EXPECT_EQ(run.fact_of("track_row"),
            R"({"step":0,"data":{"img":{"_type":"image","path":"media/images/a.png","width":8,)"
            R"("file":"kept.png"}}})");
}

// define_metric("*", step_metric="train/global_step", step_sync=True), as transformers writes it.
TEST_F(Trackers, ValuesOfWandbStandWhereTheirStepMetricSays) {
  const auto defined = [](std::uint32_t field, const std::string& name, const std::string& metric,
                          int sync) {
    return text(
        12, text(field, name) + (metric.empty() ? "" : text(4, metric)) + text(6, number(1, sync)));
  };
  put("run-a.wandb",
      log_of({kRun, history(0, 1001, {item("loss", "8")}), defined(1, "count", "", 0),
              defined(2, "*", "count", 1), defined(1, "eval\\.x", "epoch", 0),
              defined(1, "free", "", 0), history(1, 1002, {item("loss", "4")}),
              history(2, 1003, {item("loss", "2"), item("count", "10"), item("free", "1")}),
              history(3, 1004, {item("acc", "1"), item("note", "\"warm\""), item("eval.x", "3")}),
              history(4, 1005, {item("acc", "2"), item("count", "20.5")}),
              history(5, 1006, {item("eval", R"({"x":5})"), item("epoch", "7")})}));
  std::map<std::string, std::vector<std::int64_t>> steps;
  const Recorded run = read(root_);
  for (const ImportedValue& value : run.all) steps[value.name].push_back(value.step.value_or(-1));
  EXPECT_THAT(steps["loss"], ElementsAre(0, 1, 10));
  EXPECT_THAT(steps["count"], ElementsAre(10, 4));
  EXPECT_THAT(steps["free"], ElementsAre(2));
  EXPECT_THAT(steps["acc"], ElementsAre(10, 4));
  EXPECT_THAT(steps["eval.x"], ElementsAre(3, 7)) << "not synchronised, then in the same row";
  EXPECT_EQ(run.fact_of("track_row"), R"({"step":10,"data":{"note":"warm"}})");
}

TEST_F(Trackers, RecordsThatAreCutIntoPieces) {
  const std::string large(100'000, 'x');
  put("run-a.wandb", log_of({kRun, history(0, 1001, {item("text", "\"" + large + "\"")}),
                             history(1, 1002, {item("loss", "1")})}));
  const Recorded run = read(root_);
  EXPECT_THAT(run.fact_of("track_row"), HasSubstr(large));
  ASSERT_EQ(run.all.size(), 1U);
  EXPECT_EQ(run.all[0].step, 1);
  EXPECT_EQ(run.how, ImportedEnd::kNotSaid);
}

TEST_F(Trackers, DamageInTheMiddleLosesItsBlockAlone) {
  std::vector<std::string> records = {kRun};
  for (int step = 0; step < 3000; ++step)
    records.push_back(history(step, 1001, {item("loss", "1")}));
  std::string bytes = log_of(records);
  bytes[40'000] ^= 1;
  put("run-a.wandb", bytes);
  const Recorded run = read(root_);
  EXPECT_LT(run.all.size(), 3000U);
  EXPECT_GT(run.all.size(), 2000U);
  EXPECT_THAT(run.notes, testing::Contains(HasSubstr("damaged")));
  EXPECT_EQ(run.all.back().step, 2999);
}

TEST_F(Trackers, EveryLogThatIsCutShortEnds) {
  const std::string bytes = log_of({kRun, history(0, 1001, {item("loss", "0.5")}), text(18, "")});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    put("run-a.wandb", bytes.substr(0, length));
    error_.clear();
    const Recorded run = read(root_);
    EXPECT_TRUE(run.begun == 1 || !error_.empty()) << length;
    EXPECT_EQ(run.exit_code, std::nullopt);
  }
}

TEST_F(Trackers, AFileOutsideOfTheLogsFolderIsNotRead) {
  put("secret.png", "secret");
  put("a/run-a.wandb",
      log_of({kRun, history(0, 1001,
                            {item("img", R"({"_type":"image-file","path":"../../secret.png"})"),
                             item("abs", R"({"_type":"image-file","path":"/etc/hostname"})")})}));
  const Recorded run = read(root_ / "a");
  EXPECT_TRUE(run.files.empty());
  EXPECT_THAT(run.notes, testing::Contains(HasSubstr("2 files of a log()")));
}

}  // namespace
}  // namespace flatout::trackers
