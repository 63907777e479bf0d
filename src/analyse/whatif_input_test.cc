#include "analyse/whatif_input.h"

#include <gtest/gtest.h>

#include <array>

namespace flatout::analyse {
namespace {

using run::Phase;

Analysis two_steps() {
  Analysis analysis;
  analysis.cpus = 2;
  analysis.compute_cores = 1.5;
  for (int i = 0; i < 3; ++i) {
    Step step;
    step.own_ns = 100;
    step.draws = 2;
    step.phases[static_cast<std::size_t>(Phase::kDataWait)] = 60;
    step.phases[static_cast<std::size_t>(Phase::kForward)] = 10;
    step.phases[static_cast<std::size_t>(Phase::kBackward)] = 15;
    step.phases[static_cast<std::size_t>(Phase::kOptimizer)] = 5;
    step.phases[static_cast<std::size_t>(Phase::kOther)] = 10;
    analysis.cut.steps.push_back(step);
  }
  analysis.warm_up.dropped = 1;
  analysis.steady_own_ns = 200;
  return analysis;
}

TEST(WhatIfInput, StepsAreSteadyAndWhole) {
  const WhatIfInput input = what_if_input(two_steps());
  ASSERT_EQ(input.steps.size(), 2U);
  EXPECT_EQ(input.steps[0].data_wait_ns, 60);
  EXPECT_EQ(input.steps[0].compute_ns, 30);
  EXPECT_EQ(input.steps[0].host_ns, 10);
  EXPECT_EQ(input.steps[0].device_ns, 0);
  EXPECT_EQ(input.steps[0].draws, 2);
  EXPECT_EQ(input.cores, 2);
  EXPECT_EQ(input.compute_cores, 1.5);
  EXPECT_FALSE(input.present);
}

TEST(WhatIfInput, DeviceTimeIsSpreadOverTheSteps) {
  Analysis analysis = two_steps();
  analysis.cuda = true;
  analysis.device_phases = {{Phase::kForward, 0.2}, {Phase::kBackward, 0.3}};
  EXPECT_EQ(what_if_input(analysis).steps[0].device_ns, 50);
}

TEST(WhatIfInput, ADeviceThatWaitsHasNothingToDo) {
  Analysis analysis = two_steps();
  analysis.cuda = true;
  analysis.device_phases = {{Phase::kDataWait, 0.4},
                            {Phase::kForward, 0.2},
                            {Phase::kBackward, 0.3},
                            {Phase::kOther, 0.1}};
  EXPECT_EQ(what_if_input(analysis).steps[0].device_ns, 50);
  analysis.steady_phases[static_cast<std::size_t>(Phase::kH2d)] = 20;  // of 200
  EXPECT_EQ(what_if_input(analysis).steps[0].device_ns, 60);
}

TEST(WhatIfInput, Loader) {
  Analysis analysis = two_steps();
  analysis.loader.emplace();
  EXPECT_FALSE(what_if_input(analysis).present);  // it never said how many workers
  LoaderStats& loader = *analysis.loader;
  loader.num_workers = 2;
  loader.dataset_len = 100;
  loader.batch_size = 32;
  BatchCost batch;
  batch.begin_ns = 5;
  batch.end_ns = 25;
  batch.cpu_ns = 8;
  loader.batches.assign(3, batch);
  // Four draws found their batch ready: too few for a median.
  Delivery ready;
  ready.wait_ns = ready.ready_wait_ns = 7;
  Delivery waited;
  waited.wait_ns = 50;
  waited.ready_wait_ns = 3;
  loader.deliveries.assign(4, ready);
  loader.deliveries.push_back(waited);
  WhatIfInput input = what_if_input(analysis);
  ASSERT_TRUE(input.present);
  EXPECT_EQ(input.present->workers, 2);
  EXPECT_EQ(input.present->prefetch_factor, 2);
  ASSERT_EQ(input.fetches.size(), 3U);
  EXPECT_EQ(input.fetches[0].wall_ns, 20);
  EXPECT_EQ(input.fetches[0].cpu_ns, 8);
  EXPECT_EQ(input.epoch_draws, 4);
  EXPECT_FALSE(input.handover_ns);
  loader.deliveries.push_back(ready);
  input = what_if_input(analysis);
  EXPECT_EQ(input.handover_ns, 7);
  EXPECT_FALSE(input.held_handover_ns);
  // Draws whose worker was at its next batch stand apart.
  Delivery held;
  held.wait_ns = held.ready_wait_ns = 40;
  held.worker_fetching = true;
  loader.deliveries.insert(loader.deliveries.end(), 5, held);
  input = what_if_input(analysis);
  EXPECT_EQ(input.handover_ns, 7);
  EXPECT_EQ(input.held_handover_ns, 40);
}

TEST(WhatIfInput, OthersWantWhatTheyUsedOverTheShareThatEachTaskGot) {
  Analysis analysis = two_steps();
  analysis.cpus = 2;
  analysis.compute_cores = 1;
  analysis.contention.run_cores = analysis.contention.step_cores = 0.5;
  analysis.contention.other_cores_here = 1.5;
  analysis.contention.run_delay = 0.5;
  WhatIfInput input = what_if_input(analysis);
  EXPECT_NEAR(input.others_cores, 3, 1e-9);
  EXPECT_EQ(input.others_used, 1.5);
  EXPECT_EQ(input.compute_cores, 0.5);
  // They hardly kept the step thread from a core; and then the run's own threads did.
  analysis.contention.run_delay = 0.05;
  input = what_if_input(analysis);
  EXPECT_EQ(input.others_cores, 0);
  EXPECT_EQ(input.compute_cores, 1);
  analysis.contention.run_delay = 0.5;
  analysis.contention.run_cores = 2;
  analysis.contention.other_cores_here = 0;
  EXPECT_EQ(what_if_input(analysis).others_cores, 0);
}

TEST(WhatIfInput, AnEpochIsAsLongAsWhatARankDraws) {
  Analysis analysis = two_steps();
  EXPECT_EQ(epoch_draws(analysis), 0) << "no loader";
  LoaderStats& loader = analysis.loader.emplace();
  loader.num_workers = 2;
  loader.batch_size = 32;
  EXPECT_EQ(epoch_draws(analysis), 0) << "no length";
  loader.dataset_len = 1000;
  EXPECT_EQ(epoch_draws(analysis), 32);
  analysis.world_size = 4;  // ranks share the dataset out
  EXPECT_EQ(epoch_draws(analysis), 8);
  EXPECT_EQ(what_if_input(analysis).epoch_draws, 8);
  EXPECT_EQ(what_if_input(analysis).epoch.steps, 4) << "of two draws each";
  loader.epoch_samples = 320;  // a sampler has its own length, of this rank
  EXPECT_EQ(epoch_draws(analysis), 10);
  loader.dataset_len.reset();
  EXPECT_EQ(epoch_draws(analysis), 10);
}

TEST(WhatIfInput, WhatTheFirstFetchOfAProcessCostsMore) {
  Analysis analysis = two_steps();
  LoaderStats& loader = analysis.loader.emplace();
  loader.num_workers = 0;
  loader.in_step_thread = true;
  loader.first_fetch_cpu_ns = 50;
  EXPECT_EQ(what_if_input(analysis).first_fetch_ns, 0) << "no other fetch to hold it against";
  loader.batches.resize(3);
  for (std::size_t i = 0; i < 3; ++i) loader.batches[i].cpu_ns = std::array{20, 22, 90}[i];
  EXPECT_EQ(what_if_input(analysis).first_fetch_ns, 28);
  loader.first_fetch_cpu_ns = 10;
  EXPECT_EQ(what_if_input(analysis).first_fetch_ns, 0);
  loader.first_fetch_cpu_ns.reset();
  EXPECT_EQ(what_if_input(analysis).first_fetch_ns, 0);
  EXPECT_FALSE(what_if_input(analysis).persistent_workers);
  loader.persistent_workers = true;
  EXPECT_TRUE(what_if_input(analysis).persistent_workers);
}

}  // namespace
}  // namespace flatout::analyse
