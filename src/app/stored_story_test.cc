#include "app/stored_story.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "report/search_json.h"
#include "report/tune_json.h"
#include "store/run_family.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

class StoredStory : public testing::Test {
 protected:
  StoredStory() {
    std::string pattern = testing::TempDir() + "story-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~StoredStory() override { fs::remove_all(folder); }
  void write(std::string_view name, const std::string& text) const {
    EXPECT_TRUE(base::write_file_atomic(folder / name, text));
  }
  fs::path folder;
};

run::TuneReport some_tune() {
  run::TuneReport tuned;
  tuned.id = "k7f2";
  tuned.budget_ended = true;
  tuned.baseline = {.samples_per_s = 412,
                    .lo = 400,
                    .hi = 424,
                    .device_busy = 0.31,
                    .runs = {"k7f2", "abcd"},
                    .noise = 0.009};
  run::TuneTrial kept;
  kept.knob = "dataloader.num_workers";
  kept.from = "0";
  kept.to = "6";
  kept.predicted = run::Speedup{.ratio = 2.4, .lo = 2, .hi = 2.9};
  kept.speedup = run::Speedup{.ratio = 2.46, .lo = 2.41, .hi = 2.5};
  kept.samples_per_s = 1012;
  kept.loss_gate = run::LossGate::kPassed;
  kept.kept = true;
  kept.runs = {"efgh"};
  run::TuneTrial failed;
  failed.knob = "program.mode";
  failed.to = "\"fast\"";
  failed.reason = "failed: exit status 1";
  failed.loss_gate = run::LossGate::kInconclusive;
  tuned.trials = {kept, failed};
  run::TuneTrial skipped;
  skipped.knob = "precision.tf32";
  skipped.reason = "no GPU";
  tuned.skipped = {skipped};

  tuned.final.emplace();
  tuned.final->samples_per_s = 1010;
  tuned.final->confirmed = true;
  tuned.final->runs = {"ijkl"};
  tuned.final->speedup = run::Speedup{.ratio = 2.45, .lo = 2.4, .hi = 2.5};
  tuned.final->loss_gate = run::LossGate::kPassed;
  tuned.prediction_error_median = 0.02;
  tuned.seconds = 61.5;
  tuned.ended_ns = 1'763'690'570'123'000'000;
  tuned.steps = 40;
  tuned.interrupted = true;
  tuned.notes = {"a note"};
  tuned.file_cache = run::TuneFileCache{.cold = true, .files = 7, .set_bytes = 100};
  tuned.wrote_outside = {"/var/x"};
  run::PlanEntry entry;
  entry.setting.knob = kept.knob;
  entry.setting.value = "6";
  tuned.plan.entries = {entry};
  return tuned;
}

TEST_F(StoredStory, OfATuneIsReadAsItWasWritten) {
  const std::string text = report::tune_to_json(some_tune(), "flatout.toml");
  write(store::kTuneReportName, text);
  const auto stored = read_tune_report(folder);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(report::tune_to_json(stored->tuned, stored->plan_file), text);
}

TEST_F(StoredStory, OfASearchIsReadAsItWasWritten) {
  run::SearchReport found;
  found.id = "k7f2";
  found.objective = {
      .kind = run::SearchObjective::Kind::kLogged, .logged = "loss", .maximise = false};
  found.steps = {20, 60};
  found.seed = 7;
  found.slots = 2;
  found.launcher = "local";
  found.baseline = {
      .rung = 1, .steps = 60, .value = 0.5, .failure = {}, .run = "k7f2", .seconds = 3};
  run::SearchPointReport point;
  point.number = 1;
  using Kind = run::SearchSetting::Kind;
  point.settings = {{.kind = Kind::kArgument, .name = "--lr", .value = "0.01"},
                    {.kind = Kind::kEnvironment, .name = "OMP_NUM_THREADS", .value = "2"},
                    {.kind = Kind::kKnob, .name = "dataloader.num_workers", .value = "4"}};
  point.results = {
      {.rung = 0, .steps = 20, .value = 0.7, .failure = {}, .run = "abcd", .seconds = 1},
      {.rung = 1, .steps = 60, .value = {}, .failure = "hung", .run = {}, .seconds = 9}};
  found.points = {point};

  found.final.emplace();
  found.final->number = 1;
  found.final->steps = 60;
  found.final->values = {0.4};
  found.final->baseline_values = {0.5};
  found.final->difference = run::SearchDifference{.mean = -0.1, .lo = -0.2, .hi = -0.05};
  found.final->confirmed = true;
  found.out_of_time = true;
  found.seconds = 20;
  found.notes = {"a note"};
  const std::string text = report::search_to_json(found, "./train --lr=0.01", "");
  write(store::kSearchReportName, text);
  const auto stored = read_search_report(folder);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(report::search_to_json(stored->found, stored->command, ""), text);
}

TEST_F(StoredStory, OfWhatIsNotThereOrNoSuchDocumentIsAnError) {
  EXPECT_EQ(read_tune_report(folder).error().code, base::ErrorCode::kNotFound);
  for (
      const std::string& bad :
      {std::string(), std::string("[]"), std::string(100'000, '['),
       std::string(R"({"schema":"flatout.tune/2"})"),
       std::string(
           R"({"schema":"flatout.tune/1","steps":1e300,"baseline":{},"trials":[],"skipped":[],"knobs":{}})"),
       std::string(
           R"({"schema":"flatout.tune/1","steps":-1,"baseline":{},"trials":[],"skipped":[],"knobs":{}})"),
       std::string(
           R"({"schema":"flatout.tune/1","interrupted":1,"baseline":{},"trials":[],"skipped":[],"knobs":{}})"),
       std::string(
           R"({"schema":"flatout.tune/1","notes":"n","baseline":{},"trials":[],"skipped":[],"knobs":{}})"),
       std::string(R"({"schema":"flatout.tune/1"})"),
       std::string(
           R"({"schema":"flatout.tune/1","baseline":{},"trials":[3],"skipped":[],"knobs":{}})"),
       std::string(
           R"({"schema":"flatout.tune/1","baseline":{},"trials":{},"skipped":[],"knobs":{}})"),
       std::string(
           R"({"schema":"flatout.tune/1","baseline":{"interval":[1]},"trials":[],"skipped":[],"knobs":{}})")}) {
    write(store::kTuneReportName, bad);
    const auto stored = read_tune_report(folder);
    ASSERT_FALSE(stored) << bad.substr(0, 80);
    EXPECT_EQ(stored.error().code, base::ErrorCode::kCorrupt);
    EXPECT_NE(stored.error().message.find("tune.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace flatout::app
