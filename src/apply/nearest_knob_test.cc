#include "apply/nearest_knob.h"

#include <gtest/gtest.h>

namespace flatout::apply {
namespace {

TEST(NearestKnob, AlsoByTheEndOfTheirNames) {
  EXPECT_EQ(nearest_knob("dataloader.num_worker"), "dataloader.num_workers");
  EXPECT_EQ(nearest_knob("num_workers"), "dataloader.num_workers");
  EXPECT_EQ(nearest_knob("loader.pin_memory"), "dataloader.pin_memory");
  EXPECT_EQ(nearest_knob("precison.bf16"), "precision.bf16");
  EXPECT_EQ(nearest_knob("dataloader.num_workers"), "");
  EXPECT_EQ(nearest_knob("no.such"), "");
}

}  // namespace
}  // namespace flatout::apply
