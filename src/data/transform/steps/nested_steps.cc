#include "data/transform/steps/nested_steps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "data/transform/steps/bounds.h"
#include "data/transform/steps/steps.h"

namespace flatout::data::transform {
namespace {

constexpr std::size_t kMostNested = 64;  // lists, and steps in one
constexpr int kMostChoices = 64;

using Steps = std::vector<Step>;

std::unexpected<base::Error> unfit(std::string message) {
  return base::fail(base::ErrorCode::kInvalid, std::move(message));
}

base::Result<void> check_steps_within(const Steps& steps) {
  for (const Step& step : steps) {
    if (std::holds_alternative<RandomErasing>(step))
      return unfit("RandomErasing, which stands last, cannot be within another step");
    if (auto checked = check_step(step); !checked)
      return base::fail(checked.error().code,
                        std::string(name_of(step)) + " within it: " + checked.error().message);
  }
  return {};
}

bool several_within(const std::shared_ptr<const StepLists>& of);

// Of choices of several within each other a short text could make millions of steps.
bool draws_several(const Step& step) {
  if (const auto* choice = std::get_if<RandomChoice>(&step))
    return choice->count > 1 || several_within(choice->of);
  if (const auto* chance = std::get_if<RandomApply>(&step)) return several_within(chance->of);
  const auto* order = std::get_if<RandomOrder>(&step);
  return order != nullptr && several_within(order->of);
}

bool several_within(const std::shared_ptr<const StepLists>& of) {
  return std::ranges::any_of(
      of->lists, [](const Steps& list) { return std::ranges::any_of(list, draws_several); });
}

base::Result<void> check_lists(const std::shared_ptr<const StepLists>& of) {
  if (of == nullptr || of->lists.empty()) return unfit("there are no steps within it");
  const bool fits =
      of->lists.size() <= kMostNested &&
      std::ranges::all_of(of->lists, [](const Steps& list) { return list.size() <= kMostNested; });
  if (!fits)
    return unfit("there are more than " + std::to_string(kMostNested) + " steps within it");
  for (const Steps& list : of->lists) {
    if (auto checked = check_steps_within(list); !checked) return checked;
  }
  return {};
}

base::Result<void> check_weights(const std::vector<double>& weights, std::size_t lists) {
  if (weights.empty()) return {};
  if (weights.size() != lists)
    return unfit("there are " + std::to_string(weights.size()) + " weights for " +
                 std::to_string(lists) + " lists of steps");
  const bool fit =
      std::ranges::all_of(weights, [](double one) { return one >= 0 && std::isfinite(one); });
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (fit && sum > 0 && std::isfinite(sum)) return {};
  return unfit("the weights are not numbers from 0 on, of which one is above it");
}

// Each step draws from a stream of its own, whose key is drawn.
base::Result<void> apply_list(const Steps& steps, DrawStream& stream, Picture& picture) {
  for (const Step& step : steps) {
    const std::uint32_t low = stream.bits(), high = stream.bits();
    if (auto applied = apply_step(step, DrawStream({low, high}, {}), picture); !applied)
      return applied;
  }
  return {};
}

std::size_t drawn_place(const std::vector<double>& weights, DrawStream& stream) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double left = stream.uniform() * sum;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return last;  // what rounding left of the sum
}

std::optional<Size> size_of_list(const Steps& steps, std::optional<Size> before) {
  for (const Step& step : steps) before = size_after(step, before);
  return before;
}

}  // namespace

base::Result<void> check(const RandomApply& step) {
  if (auto lists = check_lists(step.of); !lists) return lists;
  return probability_within(step.probability);
}

base::Result<void> check(const RandomChoice& step) {
  if (auto lists = check_lists(step.of); !lists) return lists;
  if (auto weights = check_weights(step.weights, step.of->lists.size()); !weights) return weights;
  if (step.count > 1 && several_within(step.of))
    return unfit("a choice of several is within a choice of several");
  const auto possible =
      step.weights.empty()
          ? static_cast<std::ptrdiff_t>(step.of->lists.size())
          : std::ranges::count_if(step.weights, [](double one) { return one > 0; });
  const std::int64_t most =
      step.distinct ? std::min<std::int64_t>(possible, kMostChoices) : kMostChoices;
  if (step.count >= 0 && step.count <= most) return {};
  return unfit("the count is " + std::to_string(step.count) + "; it must be 0 to " +
               std::to_string(most));
}

base::Result<void> check(const RandomOrder& step) { return check_lists(step.of); }

base::Result<void> apply(const RandomApply& step, DrawStream stream, Picture& picture) {
  if (stream.uniform() >= step.probability) return {};
  return apply_list(step.of->lists.front(), stream, picture);
}

base::Result<void> apply(const RandomChoice& step, DrawStream stream, Picture& picture) {
  std::vector<double> weights = step.weights;
  if (weights.empty()) weights.assign(step.of->lists.size(), 1.0);
  for (int turn = 0; turn < step.count; ++turn) {
    const std::size_t place = drawn_place(weights, stream);
    if (step.distinct) weights[place] = 0;
    if (auto applied = apply_list(step.of->lists[place], stream, picture); !applied) return applied;
  }
  return {};
}

base::Result<void> apply(const RandomOrder& step, DrawStream stream, Picture& picture) {
  std::vector<std::size_t> order(step.of->lists.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t last = order.size() - 1; last > 0; --last)
    std::swap(order[last], order[stream.below(static_cast<std::uint32_t>(last + 1))]);
  for (const std::size_t place : order) {
    if (auto applied = apply_list(step.of->lists[place], stream, picture); !applied) return applied;
  }
  return {};
}

std::optional<Size> nested_size(const RandomApply& step, std::optional<Size> before) {
  const auto after = size_of_list(step.of->lists.front(), before);
  return after == before ? before : std::nullopt;
}

std::optional<Size> nested_size(const RandomChoice& step, std::optional<Size> before) {
  if (step.count == 0) return before;
  const auto after = size_of_list(step.of->lists.front(), before);
  for (const Steps& list : step.of->lists) {
    if (size_of_list(list, before) != after) return std::nullopt;
    if (step.count > 1 && size_of_list(list, after) != after) return std::nullopt;
  }
  return after;
}

std::optional<Size> nested_size(const RandomOrder& step, std::optional<Size> before) {
  for (const Steps& list : step.of->lists) {
    if (size_of_list(list, before) != before) return std::nullopt;
  }
  return before;
}

}  // namespace flatout::data::transform
