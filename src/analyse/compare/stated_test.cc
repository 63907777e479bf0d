#include "analyse/compare/stated.h"

#include <gtest/gtest.h>

#include "analyse/loop_fixture.h"

namespace flatout::analyse {
namespace {

TEST(Stated, ConfigIsFlatAndOfTheTrainingProcess) {
  TimelineBuilder run = run_of({.workers = 2, .wait = 1});
  run.fact(TimelineBuilder::kPid, run::facts::kOptimizer,
           R"({"class":"SGD","built_at":"/src/train.py:50","fused":false})");
  run.fact(TimelineBuilder::kPid, run::facts::kModel,
           R"({"class":"Net","parameters":7,"dtypes":{"float32":7}})");
  const Stated config = config_of(run.timeline(), measure(run.timeline()));
  ASSERT_TRUE(config.contains("loader.workers")) << testing::PrintToString(config);
  EXPECT_EQ(config.at("loader.workers"), "2");
  EXPECT_EQ(config.at("optimizer.class"), R"("SGD")");
  EXPECT_EQ(config.at("optimizer.fused"), "false");
  EXPECT_EQ(config.at("model.dtypes.float32"), "7");
  EXPECT_EQ(config.at("torch.device"), R"("cpu")");
  EXPECT_EQ(config.at("command"), R"(["python","train.py"])");
  EXPECT_FALSE(config.contains("loader.loader")) << "an id means nothing between runs";
  EXPECT_FALSE(config.contains("loader.built_at"));
  const Stated places = places_of(run.timeline(), measure(run.timeline()));
  EXPECT_EQ(places.at("loader.built_at"), R"("/src/train.py:41")");
  EXPECT_EQ(places.at("optimizer.built_at"), R"("/src/train.py:50")");
}

TEST(Stated, TheLastWordOnPrecisionCounts) {
  TimelineBuilder run = run_of({.wait = 1});
  run.fact(TimelineBuilder::kPid, run::facts::kPrecision, R"({"autocast":"off"})");
  run.fact(TimelineBuilder::kPid, run::facts::kPrecision, R"({"autocast":"bfloat16"})");
  EXPECT_EQ(config_of(run.timeline(), measure(run.timeline())).at("precision.autocast"),
            R"("bfloat16")");
}

TEST(Stated, EnvironmentHoldsMachineVersionsAndDevices) {
  TimelineBuilder run = run_of({.wait = 1});
  run.timeline().info.host = "node1";
  run.timeline().devices[0] = {.index = 0,
                               .vendor = "nvidia",
                               .name = "A100",
                               .uuid = "GPU-1",
                               .pci_bus = "",
                               .driver = "550.54",
                               .visible_index = {},
                               .mig = {},
                               .capability = {},
                               .memory_total_bytes = 40'000,
                               .power_limit_w = {},
                               .temperature_slowdown_c = {},
                               .temperature_shutdown_c = {},
                               .temperature_max_operating_c = {},
                               .sm_clock_max_mhz = {},
                               .memory_clock_max_mhz = {},
                               .pcie_generation_max = {},
                               .pcie_width_max = {},
                               .nvlinks = {},
                               .unavailable = {}};
  const Stated environment = environment_of(run.timeline(), measure(run.timeline()));
  EXPECT_EQ(environment.at("machine.host"), R"("node1")");
  EXPECT_EQ(environment.at("machine.cpus"), "4");
  EXPECT_EQ(environment.at("versions.torch"), R"("2.13.0")");
  EXPECT_EQ(environment.at("versions.nvidia_driver"), R"("550.54")");
  EXPECT_EQ(environment.at("devices.0.name"), R"("A100")");
  EXPECT_FALSE(environment.contains("machine.memory_bytes")) << "not known is absent";
}

TEST(Stated, WithoutStepsTheProcessThatSpokeCounts) {
  TimelineBuilder run;
  run.fact(TimelineBuilder::kPid, run::facts::kModel, R"({"class":"Net"})");
  EXPECT_EQ(config_of(run.timeline(), measure(run.timeline())).at("model.class"), R"("Net")");
  const run::Timeline nothing;
  EXPECT_EQ(config_of(nothing, measure(nothing)).size(), 1U);
  EXPECT_TRUE(environment_of(nothing, measure(nothing)).empty());
}

TEST(Stated, BrokenFactsAreSkipped) {
  TimelineBuilder run = run_of({.wait = 1});
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += R"({"a":)";
  deep += "1" + std::string(2000, '}');
  for (const char* text :
       {"", "{", "[1]", "null", "7", "{\"class\":null}", "{\"\\u0000\":1}", deep.c_str()}) {
    for (auto key : {run::facts::kModel, run::facts::kOptimizer, run::facts::kPrecision,
                     run::facts::kDevices, run::facts::kEnvironment, run::facts::kLoader}) {
      run.fact(TimelineBuilder::kPid, key, text);
    }
  }
  const Analysis analysis = measure(run.timeline());
  (void)config_of(run.timeline(), analysis);
  (void)environment_of(run.timeline(), analysis);
  (void)places_of(run.timeline(), analysis);
}

}  // namespace
}  // namespace flatout::analyse
