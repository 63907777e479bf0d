// Advice of findings about kernels and their launches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "advise/advise_fixture.h"
#include "run/knob_ids.h"

namespace flatout::advise {
namespace {

// A test that reads an absent figure must fail, and does.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Finding kernel_finding(const std::string& id, double share, run::Severity severity) {
  Finding finding;
  finding.id = id;
  finding.share = share;
  finding.severity = severity;
  return finding;
}

TEST(KernelAdvice, ConvolutionsWantChannelsLast) {
  const auto advice =
      ask(report_with("layout_transposes", 0.2, run::Cause::kConvolutionLayout), silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, run::knob_id::kLayoutChannelsLast);
  EXPECT_EQ(advice[0].to, "true");
  EXPECT_EQ(advice[0].risk, run::Risk::kRounding);
  EXPECT_NEAR(advice[0].predicted->ratio, 1.25, 1e-9);
  EXPECT_THAT(advice[0].how, HasSubstr("at most this"));
}

TEST(KernelAdvice, NothingAtStakeIsAdvisedWithoutANumber) {
  Report report = report_with("layout_transposes", 0, run::Cause::kConvolutionLayout);
  report.findings.front().severity = run::Severity::kInfo;
  const auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_FALSE(advice[0].predicted);
}

TEST(KernelAdvice, ChainsAndStridedCopiesAreCompiledOnce) {
  Report report = report_with("unfused_elementwise", 0.3);
  report.findings.push_back(kernel_finding("layout_transposes", 0.1, run::Severity::kWarn));
  report.findings.back().cause = run::Cause::kStridedCopies;
  advise(report, silent());
  ASSERT_THAT(report.findings[0].advice, SizeIs(1));
  EXPECT_EQ(report.findings[0].advice[0].knob, run::knob_id::kCompileMode);
  EXPECT_EQ(report.findings[0].advice[0].to, R"("default")");
  EXPECT_THAT(report.findings[1].advice, IsEmpty());
}

TEST(KernelAdvice, OneFindingAdvisesToCompileForLaunches) {
  Report report = report_with("launch_bound", 0.5, run::Cause::kSmallKernels);
  report.findings.push_back(kernel_finding("graph_candidate", 0.5, run::Severity::kInfo));
  report.findings.push_back(kernel_finding("unfused_elementwise", 0.3, run::Severity::kWarn));
  advise(report, silent());
  ASSERT_THAT(report.findings[0].advice, SizeIs(2));
  EXPECT_NEAR(report.findings[0].advice[0].predicted->ratio, 2, 1e-9);  // no idle time for launches
  EXPECT_THAT(report.findings[1].advice, IsEmpty());
  EXPECT_THAT(report.findings[2].advice, IsEmpty());
  // Without a graph that could hold the step, nobody knows.
  EXPECT_FALSE(ask(report_with("launch_bound", 0.5), silent())[0].predicted);
}

TEST(KernelAdvice, AGraphCandidateAloneAdvisesGraphs) {
  Report report = report_with("graph_candidate", 0.1);
  report.findings.front().severity = run::Severity::kInfo;
  const auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].to, R"("reduce-overhead")");
  EXPECT_NEAR(advice[0].predicted->ratio, 1 / 0.9, 1e-9);
}

TEST(KernelAdvice, SmallMessagesAreSentInFewer) {
  const auto advice = ask(report_with("comm_bound", 0.2, run::Cause::kSmallMessages), silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "loop.comm_size");
  EXPECT_EQ(ask(report_with("comm_bound", 0.2), silent())[0].knob, "loop.comm_overlap");
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace
}  // namespace flatout::advise
