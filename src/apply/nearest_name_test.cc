#include "apply/nearest_name.h"

#include <gtest/gtest.h>

namespace flatout::apply {
namespace {

TEST(NearestName, FindsWhatWasMeant) {
  const std::string_view known[] = {"default", "reduce-overhead", "native", "torch"};
  EXPECT_EQ(nearest_name("defualt", known), "default") << "two letters swapped";
  EXPECT_EQ(nearest_name("natve", known), "native") << "one left out";
  EXPECT_EQ(nearest_name("torchh", known), "torch") << "one too many";
  EXPECT_EQ(nearest_name("reduce_overhead", known), "reduce-overhead") << "another one";
  EXPECT_EQ(nearest_name("reduce_ovrehaed", known), "reduce-overhead") << "three of fifteen";
  EXPECT_EQ(nearest_name("max-autotune", known), "") << "too far from all";
  EXPECT_EQ(nearest_name("native", known), "") << "it is known";
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'n'), known), "") << "nobody waits for that";
}

TEST(NearestName, OfKnobsAlsoByTheEndOfTheirNames) {
  EXPECT_EQ(nearest_knob("dataloader.num_worker"), "dataloader.num_workers");
  EXPECT_EQ(nearest_knob("num_workers"), "dataloader.num_workers");
  EXPECT_EQ(nearest_knob("loader.pin_memory"), "dataloader.pin_memory");
  EXPECT_EQ(nearest_knob("precison.bf16"), "precision.bf16");
  EXPECT_EQ(nearest_knob("dataloader.num_workers"), "");
  EXPECT_EQ(nearest_knob("no.such"), "");
}

}  // namespace
}  // namespace flatout::apply
