// Steps that hold steps: which of them happen how often, and what size is known behind them.
#include "data/transform/steps/nested_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "data/transform/steps/applied_for_test.h"

namespace flatout::data::transform {
namespace {

constexpr int kTurns = 10'000;

// Lists of one step, which shows in the picture as the bits that it keeps.
std::shared_ptr<const StepLists> bits_of(std::initializer_list<int> bits) {
  auto out = std::make_shared<StepLists>();
  for (const int one : bits) out->lists.push_back({RandomPosterize{one, 1}});
  return out;
}

std::shared_ptr<const StepLists> one_list(std::vector<Step> steps) {
  return std::make_shared<StepLists>(StepLists{{std::move(steps)}});
}

std::string bits_kept(const Picture& picture) {
  std::string out;
  for (const Change& change : picture.changes)
    out += std::to_string(static_cast<int>(std::get<ColourChange>(change).factor));
  return out;
}

template <class S>
std::map<std::string, int> drawn_lists(const S& step) {
  EXPECT_TRUE(check(step));
  std::map<std::string, int> out;
  for (std::uint64_t sample = 0; sample < kTurns; ++sample)
    ++out[bits_kept(applied_to(step, sample))];
  return out;
}

void expect_share(int count, double share) {
  EXPECT_NEAR(count, kTurns * share, 5 * std::sqrt(kTurns * share * (1 - share)) + 1e-9);
}

TEST(NestedSteps, AllOrNothingHappensAsOftenAsAsked) {
  auto seen =
      drawn_lists(RandomApply{one_list({RandomPosterize{3, 1}, RandomPosterize{4, 1}}), 0.3});
  EXPECT_EQ(seen.size(), 2U);
  expect_share(seen["34"], 0.3);
}

TEST(NestedSteps, AChoiceFollowsItsWeights) {
  auto seen = drawn_lists(RandomChoice{.of = bits_of({1, 2, 3}), .weights = {1, 0, 3}});
  EXPECT_EQ(seen.size(), 2U);
  expect_share(seen["1"], 0.25);
  for (const auto& [_, count] : drawn_lists(RandomChoice{.of = bits_of({1, 2, 3, 4})}))
    expect_share(count, 0.25);
}

TEST(NestedSteps, OfSeveralChoicesNoneComesTwiceWhereTheyAreDistinct) {
  auto free = drawn_lists(RandomChoice{.of = bits_of({1, 2}), .count = 2});
  for (const char* both : {"11", "12", "21", "22"}) expect_share(free[both], 0.25);
  auto distinct = drawn_lists(
      RandomChoice{.of = bits_of({1, 2, 3}), .weights = {1, 1, 2}, .count = 2, .distinct = true});
  EXPECT_EQ(distinct.size(), 6U);
  expect_share(distinct["12"], 1.0 / 4 * 1 / 3);
  expect_share(distinct["31"], 1.0 / 2 * 1 / 2);
}

TEST(NestedSteps, EveryOrderIsEquallyLikely) {
  const auto seen = drawn_lists(RandomOrder{bits_of({1, 2, 3})});
  EXPECT_EQ(seen.size(), 6U);
  for (const auto& [_, count] : seen) expect_share(count, 1.0 / 6);
}

TEST(NestedSteps, TwoAlikeDrawForThemselves) {
  const Step half = RandomPosterize{5, 0.5};
  auto seen = drawn_lists(RandomApply{one_list({half, half}), 1});
  expect_share(seen[""], 0.25);
  expect_share(seen["55"], 0.25);
}

TEST(NestedSteps, ASizeIsKnownWhereAllThatMayHappenGivesIt) {
  const Size known{9, 9};
  const auto both = [](Step first, Step second) {
    return std::make_shared<StepLists>(StepLists{{{std::move(first)}, {std::move(second)}}});
  };
  EXPECT_EQ(size_after(RandomApply{one_list({Resize{{5, 5}}})}, known), std::nullopt);
  EXPECT_EQ(size_after(RandomApply{one_list({Grayscale{}})}, known), known);
  EXPECT_EQ(size_after(RandomChoice{both(Resize{known}, RandomResizedCrop{known})}, std::nullopt),
            known);
  EXPECT_EQ(size_after(RandomChoice{both(Resize{known}, Grayscale{})}, std::nullopt), std::nullopt);
  EXPECT_EQ(size_after(RandomOrder{both(Grayscale{}, Resize{known})}, Size{3, 3}), std::nullopt);
}

TEST(NestedSteps, RefuseWhatCannotBe) {
  EXPECT_FALSE(check(RandomApply{one_list({RandomErasing{}}), 1}));
  EXPECT_FALSE(check(RandomApply{one_list({}), 2}));
  EXPECT_FALSE(check(RandomOrder{std::make_shared<StepLists>()}));
  EXPECT_FALSE(check(RandomChoice{.of = bits_of({1, 2}), .weights = {1}}));
  EXPECT_FALSE(check(RandomChoice{.of = bits_of({1, 2}), .weights = {0, 0}}));
  EXPECT_FALSE(check(RandomChoice{.of = bits_of({1, 2}), .weights = {1, NAN}}));
  EXPECT_FALSE(
      check(RandomChoice{.of = bits_of({1, 2}), .weights = {1, 0}, .count = 2, .distinct = true}));
  const Step several = RandomChoice{.of = bits_of({1, 2}), .count = 2};
  EXPECT_TRUE(check(RandomChoice{.of = one_list({several})}));
  EXPECT_FALSE(check(RandomChoice{.of = one_list({RandomApply{one_list({several})}}), .count = 2}));
  EXPECT_EQ(check(RandomApply{one_list({RandomPosterize{9, 1}}), 1}).error().message,
            "RandomPosterize within it: the number of bits is 9.000000; it must be 1.000000 to "
            "8.000000");
}

}  // namespace
}  // namespace flatout::data::transform
