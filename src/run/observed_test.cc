// Facts as types: what the program wrote may be anything.
#include "run/observed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "run/fact_list.h"
#include "run/facts.h"

namespace flatout::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Decode, AFieldOfAnotherTypeIsAbsentAndTheRestStays) {
  const auto loader = decode<LoaderFact>(
      R"({"loader":3,"workers":"2","prefetch_factor":-1,"pin_memory":1,"batch_size":null,)"
      R"("dataset":7,"native_refusal":false,"built_at":"/a.py:4","what_is_new":[1]})");
  ASSERT_TRUE(loader);
  EXPECT_EQ(loader->loader, 3U);
  EXPECT_FALSE(loader->num_workers);
  EXPECT_FALSE(loader->prefetch_factor);
  EXPECT_FALSE(loader->pin_memory);
  EXPECT_FALSE(loader->batch_size);
  EXPECT_EQ(loader->dataset, "");
  EXPECT_FALSE(loader->native_refusal) << "an empty one means that there is none";
  EXPECT_EQ(loader->built_at, "/a.py:4");
}

TEST(Decode, WhatIsNoObjectSaysNothing) {
  for (const char* json : {"", "[]", "3", "null", "{", "{\"loader\":1", "\"x\"", "\xff"}) {
    EXPECT_FALSE(decode<LoaderFact>(json)) << json;
  }
  const std::string deep(100'000, '[');
  EXPECT_FALSE(decode<LoaderFact>(deep));
  const auto nested = decode<FrameworkFact>(R"({"args":)" + std::string(5000, '[') +
                                            std::string(5000, ']') + R"(,"steps":4})");
  ASSERT_TRUE(nested);
  EXPECT_EQ(nested->steps, 4);
}

TEST(Decode, ARequiredFieldIsThereOrNothingIs) {
  EXPECT_FALSE(decode<RankFact>(R"({"world_size":2})"));
  EXPECT_FALSE(decode<RankFact>(R"({"rank":-1,"world_size":2})"));
  EXPECT_EQ(decode<RankFact>(R"({"rank":0})")->world_size, 1) << "as a rule there is one";
  EXPECT_FALSE(decode<KnobFact>(R"({"applied":true})"));
  EXPECT_FALSE(decode<DdpFact>(R"({"iteration":1,"waited_ns":-1})"));
  EXPECT_FALSE(decode<DeclaredKnobFact>(R"({"name":"a","value":1,"least":0})"));
}

TEST(Decode, NumbersKeepTheirBounds) {
  const auto knob = decode<DeclaredKnobFact>(
      R"({"name":"a","value":-9223372036854775808,"least":-5,"most":9223372036854775807})");
  ASSERT_TRUE(knob);
  EXPECT_EQ(knob->value, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(knob->most, std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(
      decode<DeclaredKnobFact>(R"({"name":"a","value":18446744073709551615,"least":0,"most":1})"));
  EXPECT_FALSE(decode<LoaderFact>(R"({"workers":2147483648})")->num_workers);
  EXPECT_EQ(decode<LoaderFact>(R"({"workers":8.0})")->num_workers, 8);
  EXPECT_FALSE(decode<LoaderFact>(R"({"workers":1e300})")->num_workers);
  EXPECT_FALSE(decode<MemoryFact>(R"({"host_peak_bytes":1152921504606846976})")->host_peak_bytes);
  EXPECT_FALSE(decode<KnobFact>(R"({"knob":"a","most":1073741825})")->most);
}

TEST(Decode, AListIsWholeOrEmpty) {
  EXPECT_THAT(decode<IteratorFact>(R"({"worker_pids":[7,8]})")->worker_pids, ElementsAre(7, 8));
  EXPECT_THAT(decode<IteratorFact>(R"({"worker_pids":[7,null]})")->worker_pids, IsEmpty());
  EXPECT_THAT(decode<IteratorFact>(R"({"worker_pids":[7,-8]})")->worker_pids, IsEmpty());
  EXPECT_THAT(decode<IteratorFact>(R"({"worker_pids":7})")->worker_pids, IsEmpty());
  EXPECT_FALSE(decode<LoaderFilesFact>(R"({"loader":1,"files":["/a"],"places":[[0,1]]})"));
  EXPECT_TRUE(decode<LoaderFilesFact>(R"({"loader":1,"files":["/a"]})"));
  const auto devices =
      decode<DevicesFact>(R"({"devices":[{"index":1,"name":"A"},3,{"name":"B"}]})");
  ASSERT_EQ(devices->devices.size(), 2U);
  EXPECT_EQ(devices->devices[1].name, "B");
  EXPECT_EQ(devices->devices[1].index, 0);
}

TEST(Decode, WhatWasStatedIsKeptFlatWithWhatIsUnknownHere) {
  const auto framework = decode<FrameworkFact>(
      R"({"name":"é","args":{"gradient_accumulation_steps":4,"x":{"y":{"z":1}},"l":[1,2]},"n":null})");
  EXPECT_EQ(framework->gradient_accumulation_steps, 4);
  EXPECT_FALSE(framework->accumulate_grad_batches);
  EXPECT_THAT(framework->stated,
              testing::UnorderedElementsAre(StatedField{"name", "\"é\""},
                                            StatedField{"args.gradient_accumulation_steps", "4"},
                                            StatedField{"args.x.y", R"({"z":1})"},
                                            StatedField{"args.l", "[1,2]"}));
}

TEST(FactList, DecodesEachOnceAndInOrder) {
  FactList facts;
  facts.push_back({5, "loader", R"({"loader":1,"workers":0})"});
  facts.push_back({6, "of_a_later_version", R"({"loader":1})"});
  facts.push_back({7, "loader", R"({"loader":2,"workers":4})"});
  facts.push_back({8, "loader", "broken"});
  EXPECT_EQ(facts.size(), 4U) << "all stay as they were written";
  const auto& loaders = facts.observed().loaders;
  ASSERT_EQ(loaders.size(), 2U);
  EXPECT_EQ(first_of(loaders)->t_ns, 5);
  EXPECT_EQ(latest_of(loaders)->num_workers, 4);
  EXPECT_EQ(latest_of(facts.observed().models), nullptr);
  facts.erase_if([](const Fact& fact) { return fact.t_ns == 7; });
  EXPECT_EQ(facts.size(), 3U);
  EXPECT_EQ(facts.observed().loaders.size(), 1U);
  facts.clear();
  EXPECT_TRUE(facts.empty());
  EXPECT_EQ(facts.observed(), Observed());
}

}  // namespace
}  // namespace flatout::run
