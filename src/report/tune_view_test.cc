#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/golden_test.h"
#include "report/several_examples.h"
#include "report/tune_json.h"
#include "report/tune_text.h"

namespace flatout::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TuneText, LinesOfATable) {
  const auto report = tuned_example();
  EXPECT_EQ(tune_baseline_line(report),
            "baseline                    412 samples/s        busy 31 %  "
            "(2 runs of 40 steps, noise 0.9 %)");
  EXPECT_EQ(tune_trial_line(report.trials[0]),
            "+ num_workers 0 -> 6        1012 samples/s       x2.46 [2.41, 2.50]         "
            "predicted x2.40   kept  loss gate passed");
  EXPECT_EQ(tune_trial_line(report.trials[1]),
            "+ pin_memory true           1012 samples/s       x1.01 [0.99, 1.02]         "
            "                  reverted: below the noise");
}

TEST(TuneText, TheClosingSaysWhatToDoNext) {
  const std::string text = tune_closing(tuned_example(), "flatout.toml", {"python", "train.py"});
  EXPECT_THAT(text, HasSubstr("x3.83 [3.78, 3.88]"));
  EXPECT_THAT(text, HasSubstr("confirmed against the baseline"));
  EXPECT_THAT(text, HasSubstr("not tried: tf32: no GPU"));
  EXPECT_THAT(text, HasSubstr("off by 2.4 % (median)"));
  EXPECT_THAT(text, HasSubstr("flatout run --plan flatout.toml -- python train.py"));
  EXPECT_THAT(text, HasSubstr("flatout tune --explain flatout.toml"));
  EXPECT_THAT(tune_closing(tuned_example(), "p.toml", {"x"}, kTableStyle, "wandb"),
              HasSubstr("flatout run --plan p.toml --capture=wandb -- x"));
  run::TuneReport none;
  EXPECT_THAT(tune_closing(none, "", {"x"}), HasSubstr("no knob promises a gain"));
  none.budget_ended = true;
  EXPECT_THAT(tune_closing(none, "", {"x"}),
              HasSubstr("nothing was tried: the budget was used up"));
  EXPECT_THAT(tune_closing(none, "", {"x"}), HasSubstr("more time with --budget"));
  none.budget_ended = false;
  none.id = "k7f2";
  none.interrupted = true;
  EXPECT_THAT(tune_closing(none, "", {"x"}), HasSubstr("interrupted"));
  EXPECT_THAT(tune_closing(none, "", {"x"}), HasSubstr("nothing was kept so far"));
  EXPECT_THAT(tune_closing(none, "", {"x"}), testing::EndsWith("flatout tune --resume k7f2"));
  const std::string elsewhere = tune_closing(none, "", {"x"}, kTableStyle, "", "/my runs");
  EXPECT_THAT(elsewhere, HasSubstr("flatout ls --tree --home '/my runs'\n"));
  EXPECT_THAT(elsewhere, testing::EndsWith("flatout tune --resume k7f2 --home '/my runs'"));
  EXPECT_EQ(tune_closing(none, "", {"x"}).find("nan"), std::string::npos);
}

TEST(TuneText, WhatIsFasterButNotProvedIsNamedWithBothWaysOn) {
  run::TuneReport report;
  report.id = "k7f2";
  run::TuneTrial& row = report.trials.emplace_back();
  row.knob = "precision.bf16";
  row.to = "true";
  row.speedup = run::Speedup{1.63, 1.34, 1.98};
  row.loss_gate = run::LossGate::kInconclusive;
  row.unproved = true;
  row.proof_s = 40;
  row.reason = "faster for sure, the same training not yet proved: too few trials";
  report.plan.unproved.push_back({.setting = {row.knob, row.to, {}},
                                  .from = {},
                                  .predicted = {},
                                  .measured = row.speedup,
                                  .runs = {}});
  EXPECT_THAT(tune_trial_line(report.trials[0]), HasSubstr("faster for sure"));
  EXPECT_EQ(tune_trial_line(report.trials[0]).find("reverted"), std::string::npos);
  const std::string text = tune_closing(report, "p.toml", {"x"});
  EXPECT_THAT(text, HasSubstr("nothing is kept yet"));
  EXPECT_THAT(text, HasSubstr("flatout run --plan p.toml --accept-unproved -- x"));
  EXPECT_THAT(text, testing::EndsWith("flatout tune --resume k7f2"));
}

TEST(TuneText, CountsWhatIsOneAsOne) {
  run::TuneReport report = tuned_example();
  report.baseline.runs = {"k7f2"};
  report.steps = 1;
  EXPECT_THAT(tune_baseline_line(report), HasSubstr("(1 run of 1 step,"));
}

TEST(TuneText, ReadsAsItsGoldenPage) {
  expect_golden("tune", [](const Style& style) {
    run::TuneReport report = tuned_example();
    report.trials[1].speedup = run::Speedup{0.236, 0.2, 0.25};
    report.trials[1].reason = "slower than what was kept before it";
    report.notes = {"the trials wrote, and it was thrown away: checkpoints/last.pt"};
    std::string text = tune_baseline_line(report, style) + "\n";
    for (const auto& trial : report.trials) text += tune_trial_line(trial, style) + "\n";
    return text + tune_closing(report, "flatout.toml",
                               {"python", "train.py", "--name", "two words"}, style);
  });
}

TEST(TuneText, ALossOfSpeedIsSoManyTimesSlower) {
  run::TuneTrial trial = tuned_example().trials[1];
  trial.speedup = run::Speedup{0.236, 0.2, 0.25};
  EXPECT_THAT(tune_trial_line(trial), HasSubstr("4.24x slower [4.00, 5.00]"));
}

TEST(TuneText, ACommandIsQuotedForAShell) {
  EXPECT_THAT(tune_closing(tuned_example(), "my plan.toml", {"python", "a b.py"}),
              HasSubstr("flatout run --plan 'my plan.toml' -- python 'a b.py'"));
}

TEST(TuneText, WhatWasNotTriedIsFoldedOnceOthersWere) {
  run::TuneReport report = tuned_example();
  for (int i = 0; i < 6; ++i) {
    run::TuneTrial left;
    left.knob = "some.knob_" + std::to_string(i);
    left.reason =
        "a reason of its own, which takes a good part of a line, number " + std::to_string(i);
    report.skipped.push_back(left);
  }
  EXPECT_THAT(tune_closing(report, "", {"x"}),
              HasSubstr("not tried: tf32, knob_0, knob_1, knob_2, knob_3, knob_4, knob_5; --json "
                        "FILE has the reasons\n"));
  report.trials.clear();
  EXPECT_THAT(tune_closing(report, "", {"x"}), HasSubstr("number 5"))
      << "where nothing was tried, that is the answer";
}

TEST(TuneJson, HoldsTheContractsKeys) {
  const auto json = nlohmann::json::parse(tune_to_json(tuned_example(), "flatout.toml"));
  EXPECT_EQ(json["schema"], "flatout.tune/1");
  EXPECT_EQ(json["baseline"]["runs"], nlohmann::json({"k7f2", "m3qa"}));
  EXPECT_EQ(json["baseline"]["interval"], nlohmann::json({408, 416}));
  const auto& trial = json["trials"][0];
  EXPECT_EQ(trial["from"], 0);
  EXPECT_EQ(trial["to"], 6);
  EXPECT_EQ(trial["predicted_speedup"], 2.4);
  EXPECT_EQ(trial["speedup"], 2.46);
  EXPECT_EQ(trial["loss_gate"], "passed");
  EXPECT_EQ(trial["kept"], true);
  EXPECT_FALSE(json["trials"][1].contains("from"));
  EXPECT_EQ(json["trials"][1]["to"], true);
  EXPECT_FALSE(json["final"].contains("loss_gate"));
  EXPECT_EQ(json["final"]["interval"], nlohmann::json({3.78, 3.88}));
  EXPECT_EQ(json["knobs"], nlohmann::json({{"dataloader.num_workers", 6}}));
  EXPECT_EQ(json["plan"], "flatout.toml");
}

TEST(TuneViews, TheLossGateOfTheLastComparison) {
  auto report = tuned_example();
  report.final->loss_gate = run::LossGate::kFailed;
  report.final->confirmed = false;
  EXPECT_EQ(nlohmann::json::parse(tune_to_json(report, ""))["final"]["loss_gate"], "failed");
  EXPECT_THAT(tune_closing(report, "", {"x"}), HasSubstr("not confirmed  loss gate failed"));
}

TEST(TuneViews, AFinalComparisonThatOthersKeptFromTelling) {
  auto report = tuned_example();
  EXPECT_FALSE(nlohmann::json::parse(tune_to_json(report, ""))["final"].contains("too_noisy"));
  report.final->confirmed = false;
  report.final->too_noisy = true;
  report.final->speedup.reset();
  const auto final = nlohmann::json::parse(tune_to_json(report, ""))["final"];
  EXPECT_EQ(final["too_noisy"], true);
  EXPECT_EQ(final["confirmed"], false);
  EXPECT_THAT(tune_closing(report, "", {"x"}), HasSubstr("too noisy to confirm"));
}

TEST(TuneViews, AFinalComparisonThatTheBudgetCutShort) {
  auto report = tuned_example();
  EXPECT_FALSE(nlohmann::json::parse(tune_to_json(report, ""))["final"].contains("out_of_time"));
  report.final->confirmed = false;
  report.final->out_of_time = true;
  EXPECT_EQ(nlohmann::json::parse(tune_to_json(report, ""))["final"]["out_of_time"], true);
  EXPECT_THAT(tune_closing(report, "", {"x"}), HasSubstr("too few pairs to confirm"));
}

TEST(TuneViews, TrialsThatReadFromStorage) {
  auto report = tuned_example();
  EXPECT_FALSE(nlohmann::json::parse(tune_to_json(report, "")).contains("file_cache"));
  report.file_cache = run::TuneFileCache{.files = 42, .set_bytes = 5, .room_bytes = 9};
  EXPECT_THAT(tune_closing(report, "", {"x"}), Not(HasSubstr("storage")));
  report.file_cache = run::TuneFileCache{
      .cold = true, .files = 42, .set_bytes = 120'000'000'000, .room_bytes = 31'000'000'000};
  std::string text = tune_closing(report, "", {"x"});
  text.replace(text.find("\n      "), 7, " ");  // the note is wrapped
  EXPECT_THAT(
      text, HasSubstr("note: trials read their data from storage: the set (about 120 GB) does not "
                      "fit into the 31 GB of memory that were to be had, so the files of each "
                      "trial were dropped"));
  const auto json = nlohmann::json::parse(tune_to_json(report, ""));
  EXPECT_EQ(json["file_cache"]["state"], "cold");
  EXPECT_EQ(json["file_cache"]["files"], 42);
  report.file_cache->set_bytes.reset();  // as the user asked
  EXPECT_THAT(tune_closing(report, "", {"x"}), HasSubstr("from storage: the files of each trial"));
}

TEST(TuneJson, WhatWasNotMeasuredIsAbsent) {
  run::TuneReport empty;
  empty.trials.emplace_back();
  empty.trials[0].speedup = run::Speedup{std::nan(""), 1, 2};
  const auto json = nlohmann::json::parse(tune_to_json(empty, ""));
  for (const char* key : {"final", "plan", "prediction_error_median", "interrupted", "notes"}) {
    EXPECT_FALSE(json.contains(key)) << key;
  }
  EXPECT_FALSE(json["baseline"].contains("samples_per_s"));
  EXPECT_FALSE(json["trials"][0].contains("speedup"));
  EXPECT_FALSE(json["trials"][0].contains("interval"));
}

}  // namespace
}  // namespace flatout::report
