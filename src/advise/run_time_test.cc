// Advice about the time that is not the steps': evaluation, start-up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/advise_fixture.h"

namespace flatout::advise {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

run::Evidence evidence(const char* metric, double value, const char* unit) {
  run::Evidence out;
  out.metric = metric;
  out.value = value;
  out.unit = unit;
  return out;
}

TEST(EvalShare, WhatItsTimeGoesToIsChangedFirst) {
  Report report = report_with("eval_share", 0.6);
  report.findings[0].at = "/src/train.py:60";
  report.findings[0].evidence = {
      evidence("eval.data_wait", 0.7, "ratio"), evidence("eval.with_gradients", 1, "ratio"),
      evidence("eval.loader.workers", 0, "count"), evidence("eval.loader.batch_size", 16, "count")};
  auto advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(3));
  EXPECT_EQ(advice[0].knob, "eval.inference_mode");
  EXPECT_EQ(advice[1].knob, "eval.num_workers");
  EXPECT_EQ(advice[1].at, "/src/train.py:60");
  EXPECT_EQ(advice[2].knob, "eval.interval");
  EXPECT_NE(advice[2].how.find("saves 30 %"), std::string::npos);
  report.findings[0].evidence[0].value = 0.1;
  report.findings[0].evidence[1].value = 0;
  advice = ask(report, silent());
  ASSERT_THAT(advice, SizeIs(2));
  EXPECT_EQ(advice[0].knob, "eval.interval");
  EXPECT_EQ(advice[1].knob, "eval.batch_size");
  for (const Advice& one : advice) EXPECT_FALSE(one.predicted) << "of the steps, not of the run";
}

Advice of_startup(std::vector<run::Evidence> parts) {
  Report report = report_with("startup", 0.4);
  parts.push_back(evidence("account.startup_s", 20, "s"));
  report.findings[0].evidence = std::move(parts);
  const auto advice = ask(report, silent());
  EXPECT_THAT(advice, SizeIs(1));
  return advice.empty() ? Advice() : advice[0];
}

TEST(Startup, WhatHalfOfItWentToIsChanged) {
  EXPECT_EQ(of_startup({evidence("startup.import_s", 10, "s")}).knob, "startup.imports");
  EXPECT_EQ(of_startup({evidence("startup.passes_s", 11, "s")}).knob, "startup.passes");
  EXPECT_EQ(
      of_startup({evidence("startup.import_s", 3, "s"), evidence("startup.passes_s", 11, "s")})
          .knob,
      "startup.passes");
}

TEST(Startup, TheRestIsWorkByHand) {
  const Advice known = of_startup({evidence("startup.import_s", 9, "s")});
  EXPECT_EQ(known.knob, "startup.cost");
  EXPECT_THAT(known.how, Not(HasSubstr("import"))) << "that is not where the time goes";
  const Advice unknown = of_startup({});
  EXPECT_EQ(unknown.knob, "startup.cost");
  EXPECT_THAT(unknown.how, HasSubstr("import less"));
}

}  // namespace
}  // namespace flatout::advise
