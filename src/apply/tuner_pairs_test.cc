// In which order the trials of a pair are made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "apply/made_up_program_fixture.h"
#include "apply/tuning_fixture.h"

namespace flatout::apply {
namespace {

TEST(TunerPairs, TheTwoTrialsTakeTurnsInGoingFirst) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [](int workers, int) {
    return Behaviour{.samples_per_s = workers > 0 ? 104.0 : 100.0};
  });
  program.noise = 0.02;  // so that one look does not decide
  program.advise = [](int workers, int) {
    return workers == 0 ? MadeUpProgram::Advice{workers_advice(0, 4, 1.05)}
                        : MadeUpProgram::Advice{};
  };
  (void)tuning.of(program);
  std::string order;
  for (const TrialSpec& spec : program.specs) {
    order += number(spec.knobs, "dataloader.num_workers", 0) > 0 ? 'B' : 'A';
  }
  EXPECT_THAT(order, testing::HasSubstr("BBAAB")) << "B beside the baselines, then B A, then A B";
}

}  // namespace
}  // namespace flatout::apply
