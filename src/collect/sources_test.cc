// All samplers together, on a machine that gives nothing and on this one.
#include "collect/sources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

TEST(Sources, AMachineThatTellsNothingIsSilent) {
  FakeHost host;
  ProcessTree tree(host.paths(), {.recorder = 10});
  for (const auto& source : make_sources(host.paths(), tree)) {
    Samples out;
    for (int tick = 0; tick < 20; ++tick) {
      // Only the cgroup source says that there is none.
      const auto done = source->sample(tick * base::kSecond, out);
      EXPECT_TRUE(done || source->name() == "cgroup");
    }
    EXPECT_TRUE(out.all.empty()) << source->name();
    EXPECT_TRUE(source->take_notes().empty()) << source->name();
  }
}

// Every figure that a source gives on the machine of the test is one that can be.
TEST(Sources, FiguresOfThisMachineAreSound) {
  ProcessTree tree({}, {.recorder = ::getpid()});
  const auto sources = make_sources({}, tree);
  const base::SystemClock clock;
  Samples out;
  for (int round = 0; round < 2; ++round) {
    const base::TimeNs now = clock.monotonic() + round * base::kSecond;
    tree.update(now, true);
    for (const auto& source : sources) (void)source->sample(now, out);
  }
  EXPECT_TRUE(out.has(run::Metric::kHostMemoryTotal));
  EXPECT_GT(out.value(run::Metric::kHostMemoryTotal), out.value(run::Metric::kHostMemoryPageCache));
  for (const run::Sample& one : out.all) {
    const auto info = run::metric_info(one.metric);
    ASSERT_TRUE(info);
    EXPECT_GE(one.value, 0) << info->name;
    EXPECT_LE(one.value, info->unit == "ratio" ? 1 : 1e18) << info->name;
  }
}

}  // namespace
}  // namespace flatout::collect
