#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "apply/knobs/knob.h"
#include "apply/knobs/knobs_fixture.h"
#include "apply/proposals.h"

namespace flatout::apply {
namespace {

// Whatever is asked, the same answer, or one that grows with the workers.
class Oracle final : public run::Predictor {
 public:
  explicit Oracle(double ratio) : ratio_(ratio) {}
  std::optional<run::Speedup> loader(const run::LoaderSetting& to) const override {
    asked.push_back(to.workers);
    return run::Speedup{ratio_, ratio_ - 0.005, ratio_ + 0.005};
  }
  std::optional<run::Speedup> remove_share(double) const override { return std::nullopt; }
  std::optional<run::Speedup> engine(const run::EngineSpeed&) const override {
    return run::Speedup{ratio_, ratio_ * 0.9, ratio_ * 1.1};
  }
  mutable std::vector<int> asked;

 private:
  double ratio_;
};

void advise(run::Report& report, const std::string& knob, const std::string& to) {
  run::Finding finding;
  finding.id = "some";
  finding.confidence = 0.9;
  run::Advice advice;
  advice.knob = knob;
  advice.from = "0";
  advice.to = to;
  advice.predicted = run::Speedup{2, 1.9, 2.1};
  finding.advice.push_back(advice);
  report.findings.push_back(finding);
}

TEST(Knobs, HaveOneNameEachAndAReasonWhereTheyProposeNothing) {
  std::set<std::string_view> names;
  const run::Report empty;
  for (const Knob* knob : all_knobs()) {
    EXPECT_TRUE(names.insert(knob->id).second) << knob->id;
    const bool whole = knob->short_name == knob->id;
    EXPECT_TRUE(whole || names.insert(knob->short_name).second) << knob->short_name;
    EXPECT_TRUE(knob->id.ends_with(knob->short_name)) << knob->id;
    EXPECT_FALSE(knob->grid.empty()) << knob->id;
    EXPECT_EQ(find_knob(knob->id), knob);
    const Proposal none = knob->propose({.report = empty});
    EXPECT_TRUE(none.candidates.empty()) << knob->id;
    EXPECT_NE(none.why_not, "") << knob->id;
  }
  EXPECT_EQ(find_knob("no.such"), nullptr);
}

TEST(Knobs, AreWrittenByHandAsPythonWantsThem) {
  EXPECT_EQ(dataloader_pin_memory().by_hand("true").script, "DataLoader(..., pin_memory=True)");
  EXPECT_EQ(dataloader_pin_memory().by_hand("true").hf, "dataloader_pin_memory=True");
  EXPECT_EQ(optimizer_fused().by_hand("false").script, "torch.optim.AdamW(..., fused=False)");
  EXPECT_EQ(cuda_cudnn_benchmark().by_hand("true").lightning, "benchmark=True");
  EXPECT_EQ(precision_tf32().by_hand("true").hf, "tf32=True");
  EXPECT_EQ(dataloader_num_workers().by_hand("6").hf, "dataloader_num_workers=6");
  EXPECT_EQ(precision_bf16().by_hand("true").hf, "bf16=True");
  EXPECT_EQ(precision_bf16().by_hand("true").lightning, "precision=\"bf16-mixed\"");
  EXPECT_EQ(compile_mode().by_hand(R"("default")").script, "model.compile(mode=\"default\")");
  EXPECT_EQ(batch_size().by_hand("256").hf, "per_device_train_batch_size=256");
  EXPECT_EQ(batch_size().along("64", "256"),
            "learning rate x4 with SGD, by a ramp over 5 epochs; x2 with Adam, AdamW, NAdam, "
            "RAdam, RMSprop");
  EXPECT_EQ(batch_size().along("64", "16").substr(0, 28), "learning rate x0.25 with SGD");
  EXPECT_NE(batch_size().along("", "256"), "");
  for (const Knob* knob : all_knobs()) {
    EXPECT_NE(knob->by_hand(std::string(knob->grid.front())).script, "") << knob->id;
  }
}

TEST(Knobs, BatchesAreJoinedWhereAFrameworkAccumulatesThem) {
  run::Report report;
  const Knob& knob = batch_accumulate();
  EXPECT_TRUE(knob.propose({.report = report}).candidates.empty());
  report.model.emplace();
  const auto values = [&](int accumulated) {
    report.model->accumulated = accumulated;
    std::vector<std::string> out;
    for (const auto& candidate : knob.propose({.report = report}).candidates) {
      out.push_back(candidate.value);
      EXPECT_EQ(candidate.from, "1");
    }
    return out;
  };
  EXPECT_THAT(values(1), testing::IsEmpty());
  EXPECT_THAT(values(2), testing::ElementsAre(R"("1/2")"));
  EXPECT_THAT(values(3), testing::ElementsAre(R"("1/3")"));
  EXPECT_THAT(values(8), testing::ElementsAre(R"("1/8")", R"("1/2")"));
  EXPECT_EQ(knob.by_hand("2").hf,
            "gradient_accumulation_steps times 2, per_device_train_batch_size divided by 2");
  EXPECT_EQ(knob.by_hand(R"("1/4")").lightning,
            "accumulate_grad_batches divided by 4, and batch_size of the DataLoader times 4");
}

TEST(Knobs, WhatAFindingAdvisesComesFirst) {
  for (const Knob* knob : {&dataloader_num_workers(), &dataloader_prefetch_factor(),
                           &dataloader_persistent_workers()}) {
    run::Report report = with_loader(2);
    advise(report, std::string(knob->id), "4");
    const Oracle oracle(1);
    const Proposal proposal = knob->propose({.report = report, .predictor = &oracle});
    ASSERT_EQ(proposal.candidates.size(), 1U) << knob->id;
    EXPECT_EQ(proposal.candidates[0].value, "4");
    EXPECT_EQ(proposal.candidates[0].confidence, 0.9);
  }
}

TEST(Knobs, WorkersClimbOnlyWhereTheBestCaseIsWorthIt) {
  const run::Report report = with_loader(4);
  const Oracle flat(1);
  const Proposal none = dataloader_num_workers().propose({.report = report, .predictor = &flat});
  EXPECT_EQ(none.why_not, "its best case is under 1 %");
  EXPECT_THAT(flat.asked, testing::UnorderedElementsAre(2, 3, 5, 6));
  const Oracle rising(1.2);
  const Proposal some = dataloader_num_workers().propose({.report = report, .predictor = &rising});
  EXPECT_EQ(some.candidates.size(), 4U);
  EXPECT_EQ(some.why_not, "");
}

// Of samples that sleep beside a busy core, the model said that workers alone do not hide it:
// 4 workers hid it all.
TEST(Knobs, NoModelRulesOutWorkersWhereTheStepsAreSeenToWait) {
  struct Row {
    std::string what;
    int workers;
    double wait, cpu_share;
    std::vector<std::string> tried;
  };
  const std::vector<Row> rows = {
      {"none, and 3 of 4 ms go by waiting", 0, 0.75, 0.02, {"3", "1"}},
      {"two, which fetch half as fast as the step", 2, 0.5, 0.02, {"4", "3"}},
      {"all cores are busy with samples already", 4, 0.5, 1.0, {}},
      {"one more burning worker than now has a core", 3, 0.5, 1.0, {"4"}},
      {"nearly never waits", 0, 0.03, 0.02, {}},
      {"a healthy loader with workers", 2, 0.05, 0.02, {}},
  };
  const Oracle worse(0.6);
  for (const Row& row : rows) {
    run::Report report = with_loader(row.workers);
    report.steps.emplace();
    report.steps->phases["data_wait"] = row.wait;
    report.loader->sample_cpu_share = row.cpu_share;
    for (const run::Predictor* predictor : {static_cast<const run::Predictor*>(&worse),
                                            static_cast<const run::Predictor*>(nullptr)}) {
      std::vector<std::string> tried;
      Tried done;
      std::vector<run::TuneTrial> skipped;
      const ProposalLimits limits = {.knobs = {}, .most_risk = run::Risk::kSameMaths};
      while (const auto next =
                 next_proposal({.report = report, .predictor = predictor}, limits, done, skipped)) {
        done.insert({std::string(next->knob->id), next->candidate.value});
        if (next->knob->id != "dataloader.num_workers") continue;
        tried.push_back(next->candidate.value);
        EXPECT_EQ(next->candidate.predicted.has_value(), predictor != nullptr) << row.what;
      }
      EXPECT_THAT(tried, testing::ElementsAreArray(row.tried)) << row.what;
    }
  }
}

TEST(Knobs, PrefetchNeedsWorkersAndIsBounded) {
  const Oracle rising(1.2);
  const run::Report alone = with_loader(0);
  EXPECT_TRUE(dataloader_prefetch_factor()
                  .propose({.report = alone, .predictor = &rising})
                  .candidates.empty());
  const run::Report some = with_loader(4);
  const Proposal proposal =
      dataloader_prefetch_factor().propose({.report = some, .predictor = &rising});
  ASSERT_EQ(proposal.candidates.size(), 1U);
  EXPECT_EQ(proposal.candidates[0].value, "4");
  const run::Report many = with_loader(32);
  EXPECT_THAT(dataloader_prefetch_factor().propose({.report = many, .predictor = &rising}).why_not,
              testing::HasSubstr("64 batches prefetched"));
}

TEST(Knobs, ThreadsMakeRoomForWorkers) {
  run::Report report = with_loader(3);
  report.host.intraop_threads = 4;
  const Proposal proposal = env_intraop_threads().propose({.report = report});
  ASSERT_EQ(proposal.candidates.size(), 1U);
  EXPECT_EQ(proposal.candidates[0].value, "1");
  report.host.intraop_threads = 1;
  EXPECT_TRUE(env_intraop_threads().propose({.report = report}).candidates.empty());
}

TEST(Knobs, TheNativeEngineWhereSamplesLackAndItCouldMakeThem) {
  run::Report report = with_loader(0);
  const auto propose = [&] { return dataloader_engine().propose({.report = report}); };
  EXPECT_TRUE(propose().impossible) << "nobody looked whether it could";
  report.loader->native_refusal = "torchvision.transforms.Lambda has no native form";
  EXPECT_EQ(propose().why_not, *report.loader->native_refusal);
  EXPECT_TRUE(propose().impossible);
  report.loader->native_refusal = "";
  EXPECT_FALSE(propose().impossible);
  EXPECT_EQ(propose().why_not, "no finding asks for it");
  report.findings.emplace_back().id = "input_bound";
  ASSERT_EQ(propose().candidates.size(), 1U);
  EXPECT_EQ(propose().candidates[0].value, "\"native\"");
  EXPECT_FALSE(propose().candidates[0].predicted) << "nobody can";
  EXPECT_DOUBLE_EQ(propose().candidates[0].supposed_gain, 3);
  report.loader->engine = "native";
  EXPECT_EQ(propose().why_not, "it is native already");
}

TEST(Knobs, OfTheNativeEngineTheMeasuredSpeedSaysMoreThanASupposition) {
  run::Report report = with_loader(0);
  report.loader->native_refusal = "";
  report.loader->engine_measured = run::EngineMeasurement{
      .speed = run::EngineSpeed{.samples_per_s = 900, .cpu_ms = 2, .threads = 2}};
  report.findings.emplace_back().id = "input_bound";
  const auto propose = [&](const run::Predictor* predictor) {
    const Proposal proposal =
        dataloader_engine().propose({.report = report, .predictor = predictor});
    EXPECT_EQ(proposal.candidates.size(), 1U) << "a prediction does not rule the trial out";
    return proposal.candidates.at(0);
  };
  const Oracle much(2.5);
  ASSERT_TRUE(propose(&much).predicted);
  EXPECT_DOUBLE_EQ(propose(&much).predicted->ratio, 2.5);
  const Oracle nothing(0.8);
  EXPECT_FALSE(propose(&nothing).predicted);
  EXPECT_DOUBLE_EQ(propose(&nothing).supposed_gain, 0);
  report.loader->engine_measured = run::EngineMeasurement{.skipped = "its files are gone"};
  EXPECT_DOUBLE_EQ(propose(&much).supposed_gain, 3);
}

TEST(Knobs, TheNativeEngineIsTriedBeforeWorkersThatItWouldMakeNeedless) {
  run::Report report = with_loader(0);
  report.loader->native_refusal = "";
  advise(report, "dataloader.num_workers", "4");  // x2 promised, with more confidence
  report.findings.emplace_back().id = "input_bound";
  report.findings.back().confidence = 0.7;
  std::vector<run::TuneTrial> skipped;
  const auto first = next_proposal({.report = report}, {}, {}, skipped);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->knob->id, "dataloader.engine");
  const auto then =
      next_proposal({.report = report}, {}, {{"dataloader.engine", "\"native\""}}, skipped);
  ASSERT_TRUE(then);
  EXPECT_EQ(then->knob->id, "dataloader.num_workers");
}

TEST(Knobs, ACacheWhereTheEngineIsTooSlowAndSamplesComeAgain) {
  run::Report report = with_loader(0);
  const auto values = [&] {
    std::vector<std::string> out;
    for (const auto& one : dataloader_cache().propose({.report = report}).candidates)
      out.push_back(one.value);
    return out;
  };
  const auto why_not = [&] { return dataloader_cache().propose({.report = report}).why_not; };
  EXPECT_EQ(why_not(), "the native engine does not make the batches");
  report.loader->engine = "native";
  EXPECT_EQ(why_not(), "no finding asks for it");
  report.findings.emplace_back().id = "input_bound";
  EXPECT_THAT(why_not(), testing::HasSubstr("does not tell"));
  run::EngineWork work;
  work.threads = 2;
  work.stages = {{run::EnginePart::kRead, 0.5, 0.5},
                 {run::EnginePart::kDecode, 6, 0},
                 {run::EnginePart::kTransform, 3, 0}};
  report.loader->engine_work = work;
  EXPECT_THAT(why_not(), testing::HasSubstr("3 epochs")) << "in two, most samples are new";
  report.loader->epochs = 2;
  EXPECT_THAT(values(), testing::IsEmpty());
  report.loader->epochs = 3;
  EXPECT_THAT(values(), testing::ElementsAre(R"("decoded")"));
  report.loader->engine_work->stages = {{run::EnginePart::kRead, 1, 8},
                                        {run::EnginePart::kDecode, 5, 0},
                                        {run::EnginePart::kTransform, 1, 0}};
  EXPECT_THAT(values(), testing::ElementsAre(R"("encoded")", R"("decoded")"));
  report.loader->engine_work->stages = {{run::EnginePart::kRead, 1, 0},
                                        {run::EnginePart::kDecode, 1, 0},
                                        {run::EnginePart::kTransform, 9, 0}};
  EXPECT_THAT(why_not(), testing::HasSubstr("reading and decoding"));
  report.loader->cache = "decoded";
  EXPECT_EQ(why_not(), "it keeps decoded samples already");
}

TEST(Knobs, FusedUpdatesWhereUpdatesTakeTime) {
  run::Report report;
  report.steps.emplace();
  report.steps->phases["optimizer"] = 0.1;
  EXPECT_EQ(optimizer_fused().propose({.report = report}).candidates.size(), 1U);
  report.steps->phases["optimizer"] = 0.001;
  EXPECT_TRUE(optimizer_fused().propose({.report = report}).candidates.empty());
}

TEST(Knobs, OfCudaNeedItsDevice) {
  run::Report report = with_loader(2);
  run::DeviceReport device;
  device.kind = "cuda";
  report.devices.push_back(device);
  EXPECT_EQ(cuda_cudnn_benchmark().propose({.report = report}).candidates.size(), 1U);
  advise(report, "dataloader.pin_memory", "true");
  EXPECT_EQ(dataloader_pin_memory().propose({.report = report}).candidates.size(), 1U);
  report.devices[0].kind = "cpu";
  EXPECT_TRUE(cuda_cudnn_benchmark().propose({.report = report}).candidates.empty());
  EXPECT_TRUE(dataloader_pin_memory().propose({.report = report}).candidates.empty());
}

TEST(Knobs, AskedForIsTriedOnceWhereItCanBeApplied) {
  const run::Report report = with_model(false);
  std::vector<run::TuneTrial> skipped;
  const auto next = [&](std::vector<std::string> names, const Tried& tried, run::Risk most) {
    return next_proposal({.report = report}, {.knobs = std::move(names), .most_risk = most}, tried,
                         skipped);
  };
  const auto bf16 = next({"precision.bf16"}, {}, run::Risk::kRounding);
  ASSERT_TRUE(bf16);
  EXPECT_EQ(bf16->candidate.value, "true");
  EXPECT_FALSE(bf16->candidate.predicted);
  EXPECT_FALSE(next({"bf16"}, {{"precision.bf16", "true"}}, run::Risk::kRounding));
  EXPECT_FALSE(next({"bf16"}, {}, run::Risk::kSameMaths)) << "the risk still holds";
  EXPECT_FALSE(next({}, {}, run::Risk::kRounding)) << "nothing asks for anything";
  // No CUDA device: not even where it is asked for, and with the reason.
  EXPECT_FALSE(next({"fp16"}, {}, run::Risk::kRounding));
  const auto reason = std::ranges::find(skipped, "precision.fp16", &run::TuneTrial::knob);
  ASSERT_NE(reason, skipped.end());
  EXPECT_EQ(reason->reason, "there is no CUDA device");
  // The first value of the grid that the program does not have already.
  const auto workers = next({"num_workers"}, {}, run::Risk::kRounding);
  ASSERT_TRUE(workers);
  EXPECT_EQ(workers->candidate.value, "2");
  EXPECT_EQ(workers->candidate.from, "0");
}

TEST(CompileMode, GoesFromFusedToGraphsWhereLaunchingStillHoldsItUp) {
  run::Report report = with_model(true);
  run::Finding launches;
  launches.id = "launch_bound";
  report.findings.push_back(launches);
  const auto values = [&] {
    std::vector<std::string> found;
    for (const auto& one : compile_mode().propose({.report = report}).candidates) {
      found.push_back(one.from + " -> " + one.value);
    }
    return found;
  };
  EXPECT_THAT(values(),
              testing::ElementsAre(R"(null -> "default")", R"(null -> "reduce-overhead")"));
  report.model->compiled = true;
  EXPECT_TRUE(compile_mode().propose({.report = report}).impossible) << "by the program";
  report.knobs.push_back({.asked = {"compile.mode", R"("default")", ""},
                          .from = "null",
                          .applied = true,
                          .reason = ""});
  EXPECT_THAT(values(), testing::ElementsAre(R"("default" -> "reduce-overhead")"));
  report.knobs.back().asked.value = R"("reduce-overhead")";
  EXPECT_THAT(values(), testing::IsEmpty());
}

}  // namespace
}  // namespace flatout::apply
