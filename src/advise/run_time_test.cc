// Advice about the time that is not the steps': evaluation, start-up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advise_fixture.h"

namespace flatout::advise {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

TEST(EvalShare, WhatItsTimeGoesToIsChangedFirst) {
  Report report = report_with("eval_share", 0.6);
  report.findings[0].at = "/src/train.py:60";
  report.findings[0].detail =
      run::EvalDetail{.waits = true, .gradients = true, .workers = 0, .batch_size = 16};
  auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(3));
  EXPECT_EQ(advice[0].knob, "eval.inference_mode");
  EXPECT_EQ(advice[1].knob, "eval.num_workers");
  EXPECT_EQ(advice[1].at, "/src/train.py:60");
  EXPECT_EQ(advice[2].knob, "eval.interval");
  EXPECT_NE(how_text(advice[2]).find("saves 30 %"), std::string::npos);
  report.findings[0].detail = run::EvalDetail{.workers = 0, .batch_size = 16};
  advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(2));
  EXPECT_EQ(advice[0].knob, "eval.interval");
  EXPECT_EQ(advice[1].knob, "eval.batch_size");
  for (const Advice& one : advice) EXPECT_FALSE(one.predicted) << "of the steps, not of the run";
}

Advice of_startup(const run::StartupDetail& detail) {
  Report report = report_with("startup", 0.4);
  report.findings[0].detail = detail;
  const auto advice = ask(report, silent());
  EXPECT_THAT(advice, SizeIs(1));
  return advice.empty() ? Advice() : advice[0];
}

TEST(Startup, WhatHalfOfItWentToIsChanged) {
  EXPECT_EQ(of_startup({.mostly = run::StartupPart::kImports}).knob, "startup.imports");
  EXPECT_EQ(of_startup({.mostly = run::StartupPart::kPasses, .imports_timed = true}).knob,
            "startup.passes");
}

TEST(Startup, OfATraceLaterStepsSayMore) {
  Report report = report_with("startup", 0.4);
  report.run.trace_file = "trace.json";
  const auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].knob, "startup.trace_later");
}

TEST(Startup, TheRestIsWorkByHand) {
  const Advice known = of_startup({.imports_timed = true});
  EXPECT_EQ(known.knob, "startup.cost");
  EXPECT_THAT(how_text(known), Not(HasSubstr("import"))) << "that is not where the time goes";
  const Advice unknown = of_startup({});
  EXPECT_EQ(unknown.knob, "startup.cost");
  EXPECT_THAT(how_text(unknown), HasSubstr("import less"));
}

}  // namespace
}  // namespace flatout::advise
