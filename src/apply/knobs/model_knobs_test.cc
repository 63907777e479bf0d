#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apply/knobs/knob.h"
#include "apply/knobs/knobs_fixture.h"

namespace flatout::apply {
namespace {

void raise_finding(run::Report& report, const std::string& id) {
  run::Finding finding;
  finding.id = id;
  finding.confidence = 0.8;
  report.findings.push_back(finding);
}

TEST(Knobs, BFloat16OnACpuThatMultipliesItAndComputes) {
  run::Report report = with_model(false);
  raise_finding(report, "compute_bound");
  EXPECT_THAT(precision_bf16().propose({.report = report}).why_not,
              testing::HasSubstr("no arithmetic"));
  report.run.cpu_bf16 = true;
  const Proposal some = precision_bf16().propose({.report = report});
  ASSERT_EQ(some.candidates.size(), 1U);
  EXPECT_FALSE(some.candidates[0].predicted);
  report.findings.clear();
  const Proposal waits = precision_bf16().propose({.report = report});
  EXPECT_TRUE(waits.candidates.empty() && !waits.impossible);
  report.model->autocast = "bfloat16";
  EXPECT_TRUE(precision_bf16().propose({.report = report}).impossible);
}

TEST(Knobs, BFloat16OnAGpuWhereItsTensorCoresAreIdle) {
  run::Report report = with_model(true);
  raise_finding(report, "compute_bound");
  EXPECT_TRUE(precision_bf16().propose({.report = report}).candidates.empty());
  raise_finding(report, "precision_unused");
  EXPECT_EQ(precision_bf16().propose({.report = report}).candidates.size(), 1U);
}

TEST(Knobs, ChannelsLastForConvolutionsThatCompute) {
  run::Report report = with_model(false);
  EXPECT_TRUE(layout_channels_last().propose({.report = report}).candidates.empty());
  raise_finding(report, "compute_bound");
  EXPECT_EQ(layout_channels_last().propose({.report = report}).candidates.size(), 1U);
  report.model->conv2d = false;
  EXPECT_TRUE(layout_channels_last().propose({.report = report}).impossible);
}

TEST(Knobs, KernelsThatChangeLayoutsOrCouldBeFewerAskForTheirKnobs) {
  run::Report report = with_model(true);
  raise_finding(report, "layout_transposes");
  EXPECT_EQ(layout_channels_last().propose({.report = report}).candidates.size(), 1U);
  EXPECT_TRUE(compile_mode().propose({.report = report}).candidates.empty());
  for (const char* id : {"graph_candidate", "unfused_elementwise"}) {
    run::Report other = with_model(true);
    raise_finding(other, id);
    EXPECT_EQ(compile_mode().propose({.report = other}).candidates.size(), 2U) << id;
    EXPECT_TRUE(layout_channels_last().propose({.report = other}).candidates.empty()) << id;
  }
}

TEST(Knobs, CompilingWhereTheHostHoldsTheStepsUp) {
  run::Report report = with_model(false);
  EXPECT_FALSE(compile_mode().propose({.report = report}).impossible);
  raise_finding(report, "host_bound");
  const Proposal one = compile_mode().propose({.report = report});
  ASSERT_EQ(one.candidates.size(), 1U);
  EXPECT_EQ(one.candidates[0].value, R"("default")");
  report.devices[0].kind = "cuda";
  EXPECT_EQ(compile_mode().propose({.report = report}).candidates.size(), 2U);
  report.model->compiled = true;
  EXPECT_TRUE(compile_mode().propose({.report = report}).impossible);
}

TEST(Knobs, OfTransformersNeedOneOfItsModels) {
  run::Report report = with_model(true);
  raise_finding(report, "compute_bound");
  EXPECT_TRUE(attention_sdpa().propose({.report = report}).impossible);
  EXPECT_TRUE(kernels_liger().propose({.report = report}).impossible);
  EXPECT_TRUE(kernels_hf().propose({.report = report}).impossible);
  report.model->attention = "eager";
  EXPECT_EQ(attention_sdpa().propose({.report = report}).candidates.size(), 1U);
  EXPECT_EQ(kernels_liger().propose({.report = report}).candidates.size(), 1U);
  EXPECT_EQ(kernels_hf().propose({.report = report}).candidates.size(), 1U);
  report.model->attention = "sdpa";
  EXPECT_TRUE(attention_sdpa().propose({.report = report}).impossible);
}

}  // namespace
}  // namespace flatout::apply
