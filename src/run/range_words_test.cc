#include "run/range_words.h"

#include <gtest/gtest.h>

namespace flatout::run {
namespace {

TEST(RangeWords, SayWhatAStepIs) {
  for (const char* const name : {"step",
                                 "Step 12",
                                 "iter5",
                                 "iteration_3",
                                 "ITERATION",
                                 "batch",
                                 "mini-batch",
                                 "minibatch",
                                 "training_step",
                                 "trainStep",
                                 "TrainBatch",
                                 "trainstep 4",
                                 "Trainer::train_step(int)",
                                 "run_training_batch",
                                 "steps",
                                 "HTTPBatch",
                                 "optimizer_step",
                                 "retrieval_step",
                                 "latest batch",
                                 "load_batch"}) {
    EXPECT_EQ(range_name(name), RangeName::kStep) << name;
  }
}

TEST(RangeWords, SayWhatIsLessThanAStepOrSomethingElse) {
  for (const char* const name :
       {"", "17", "forward", "iterator", "timestep", "stepper", "batched_gemm", "batch_norm",
        "BatchNorm2d", "batchnorm", "time_step 3", "micro-batch", "microbatch", "sub step",
        "inner iteration", "trainer", "it 5", "footstep", "\xc3\xa9tape"}) {
    EXPECT_EQ(range_name(name), RangeName::kOther) << name;
  }
}

TEST(RangeWords, SayWhatIsNone) {
  for (const char* const name :
       {"epoch", "Epoch 3", "trainepoch", "eval_step", "EvaluationBatch", "validate", "val_batch",
        "valStep", "validation iter", "test", "testing step", "batch of test"}) {
    EXPECT_EQ(range_name(name), RangeName::kNone) << name;
  }
}

}  // namespace
}  // namespace flatout::run
