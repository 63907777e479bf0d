#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "apply/knobs/knob.h"

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
  mutable std::vector<int> asked;

 private:
  double ratio_;
};

run::Report with_loader(int workers) {
  run::Report report;
  report.loader.emplace();
  report.loader->workers = workers;
  report.loader->prefetch_factor = 2;
  report.host.cpus = 4;
  return report;
}

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
    EXPECT_TRUE(names.insert(knob->short_name).second) << knob->short_name;
    EXPECT_TRUE(knob->id.ends_with("." + std::string(knob->short_name))) << knob->id;
    EXPECT_EQ(find_knob(knob->id), knob);
    EXPECT_NE(knob->needs, "");
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
              testing::HasSubstr("64 batches ahead"));
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

}  // namespace
}  // namespace flatout::apply
