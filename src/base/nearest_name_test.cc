#include "base/nearest_name.h"

#include <gtest/gtest.h>

#include <string>

namespace flatout::base {
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

}  // namespace
}  // namespace flatout::base
