#include "apply/arms.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "apply/knobs/knob.h"
#include "apply/statistics/blocks.h"
#include "apply/statistics/student.h"

namespace flatout::apply {
namespace {

// The same knobs in another order are the same program.
std::string key_of(Stack stack) {
  std::ranges::sort(stack, {}, &run::KnobSetting::knob);
  std::string key;
  for (const auto& setting : stack) key += setting.knob + "=" + setting.value + "\n";
  return key;
}

template <typename T>
std::vector<T> newest(const std::vector<T>& of, std::size_t last) {
  return {of.end() - static_cast<std::ptrdiff_t>(std::min(last, of.size())), of.end()};
}

double mean_log(const std::vector<TrialRate>& rates) {
  double sum = 0;
  for (const TrialRate& rate : rates) sum += rate.log_rate;
  return sum / static_cast<double>(rates.size());
}

std::vector<double> slowdowns_of(const std::vector<OutsideLoad>& loads) {
  std::vector<double> out;
  for (const OutsideLoad& load : loads) out.push_back(log_slowdown(load));
  return out;
}

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number;
  return sum / static_cast<double>(numbers.size());
}

// The newest trials of one setting.
struct Newest {
  std::vector<TrialRate> rates;
  std::vector<double> slowdowns;
};

// Each trial's bound as an error of its own: a trial that was slowed more than the others may have
// been counts less. Best where others take much from a few trials.
std::optional<Estimate> with_bounds_as_errors(Newest a, Newest b, const NoiseModel& noise) {
  const double usual =
      std::min(*std::ranges::min_element(a.slowdowns), *std::ranges::min_element(b.slowdowns));
  for (Newest* arm : {&a, &b}) {
    for (std::size_t i = 0; i < arm->rates.size(); ++i) {
      const double more = arm->slowdowns[i] - usual;
      arm->rates[i].variance += more * more;
    }
  }
  return compare(a.rates, b.rates, noise);
}

// By how much of its bound a trial is slower, at most, as the trials of each setting show among
// themselves: where they agree although others took more from some than from others, the program
// hardly suffers. Squared; 1 where too few trials show it.
double suffering(const Newest& a, const Newest& b) {
  double rates = 0;
  double bounds = 0;
  int degrees = 0;
  for (const Newest* arm : {&a, &b}) {
    const double rate = mean_log(arm->rates);
    const double bound = mean(arm->slowdowns);
    for (std::size_t i = 0; i < arm->rates.size(); ++i) {
      rates += std::pow(arm->rates[i].log_rate - rate, 2);
      bounds += std::pow(arm->slowdowns[i] - bound, 2);
    }
    degrees += static_cast<int>(arm->rates.size()) - 1;
  }
  if (degrees < 1 || !(bounds > 0)) return 1;
  // Few that agree may do so by chance: as a mean over degrees is to its square at 5 %.
  const double reach = student_quantile(0.025, degrees);
  return std::min(1.0, reach * reach * rates / bounds);
}

// The load that the two settings met differently counts as one error of their difference; the rest
// of the load is in how the trials differ. Best where others take much from all trials alike.
std::optional<Estimate> with_difference_as_error(const Newest& a, const Newest& b,
                                                 const NoiseModel& noise) {
  auto estimate = compare(a.rates, b.rates, noise);
  if (!estimate) return std::nullopt;
  const double apart = mean(b.slowdowns) - mean(a.slowdowns);
  estimate->standard_error =
      std::sqrt(std::pow(estimate->standard_error, 2) + suffering(a, b) * apart * apart);
  return estimate;
}

}  // namespace

Stack with(Stack stack, const run::KnobSetting& setting) {
  const auto found = std::ranges::find(stack, setting.knob, &run::KnobSetting::knob);
  if (found == stack.end()) {
    stack.push_back(setting);
  } else {
    *found = setting;
  }
  return stack;
}

Stack without(Stack stack, const std::string& knob) {
  std::erase_if(stack, [&](const run::KnobSetting& setting) { return setting.knob == knob; });
  return stack;
}

bool can_be_switched(const run::KnobSetting& setting) {
  const Knob* knob = find_knob(setting.knob);
  return knob != nullptr && knob->switched != run::KnobSwitched::kRestart;
}

Stack switched_of(const Stack& stack) {
  Stack out;
  std::ranges::copy_if(stack, std::back_inserter(out), can_be_switched);
  return out;
}

void Arms::forget(const Stack& stack) { arms_.erase(key_of(stack)); }

bool Arms::add(const Stack& stack, const TrialResult& trial, std::string& reason) {
  Arm& arm = arms_[key_of(stack)];
  arm.runs.push_back(trial.run);
  reason = trial.failure;
  if (!reason.empty()) return false;
  const auto rate = rate_by_clock(trial);
  if (!rate) {
    reason = "too few steady steps to measure: " + std::to_string(trial.steps.size()) + " in all";
    return false;
  }
  arm.rates.push_back(rate_of(rate->throughput));
  arm.outside.push_back(trial.outside);
  arm.evidence.push_back(trial.evidence);
  arm.start_ups.push_back(start_up_of(trial.steps, rate->throughput));
  return true;
}

const Arms::Arm* Arms::find(const Stack& stack) const {
  const auto found = arms_.find(key_of(stack));
  return found == arms_.end() ? nullptr : &found->second;
}

std::optional<Estimate> Arms::compare(const Stack& present, const Stack& candidate,
                                      std::size_t last) const {
  const Arm* a = find(present);
  const Arm* b = find(candidate);
  if (a == nullptr || b == nullptr) return std::nullopt;
  if (a->rates.empty() || b->rates.empty()) return std::nullopt;
  const Newest newest_a{newest(a->rates, last), slowdowns_of(newest(a->outside, last))};
  const Newest newest_b{newest(b->rates, last), slowdowns_of(newest(b->outside, last))};
  NoiseModel noise(quiet(present) && quiet(candidate) ? kPriorSpread : kRestlessSpread);
  for (const auto& [key, arm] : arms_) {
    if (&arm != a && &arm != b) noise.learn(arm.rates);
  }
  if (earlier_ != nullptr) {
    for (const auto& [key, arm] : earlier_->arms_) noise.learn(arm.rates);
  }
  const auto one = with_bounds_as_errors(newest_a, newest_b, noise);
  const auto other = with_difference_as_error(newest_a, newest_b, noise);
  if (!one || !other) return std::nullopt;
  return one->standard_error < other->standard_error ? one : other;
}

bool Arms::quiet(const Stack& stack) const {
  const Arm* arm = find(stack);
  return arm != nullptr && std::ranges::all_of(arm->outside, apply::quiet);
}

std::size_t Arms::count(const Stack& stack) const {
  const Arm* arm = find(stack);
  return arm == nullptr ? 0 : arm->rates.size();
}

std::optional<double> Arms::samples_per_s(const Stack& stack) const {
  const Arm* arm = find(stack);
  if (arm == nullptr || arm->rates.empty()) return std::nullopt;
  return std::exp(mean_log(arm->rates));
}

std::optional<double> Arms::spread(const Stack& stack) const {
  const Arm* arm = find(stack);
  return arm == nullptr ? std::nullopt : spread_of(arm->rates);
}

std::optional<std::pair<double, double>> Arms::interval(const Stack& stack) const {
  const Arm* arm = find(stack);
  const auto spread = this->spread(stack);
  if (arm == nullptr || !spread || arm->rates.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(arm->rates.size());
  const double half =
      student_quantile(0.025, static_cast<int>(arm->rates.size()) - 1) * *spread / std::sqrt(n);
  const double log_rate = mean_log(arm->rates);
  return std::pair(std::exp(log_rate - half), std::exp(log_rate + half));
}

std::vector<LossEvidence> Arms::evidence(const Stack& stack) const {
  const Arm* arm = find(stack);
  return arm == nullptr ? std::vector<LossEvidence>{} : arm->evidence;
}

std::optional<StartUp> Arms::start_up(const Stack& stack) const {
  const Arm* arm = find(stack);
  if (arm == nullptr || arm->start_ups.empty()) return std::nullopt;
  return longest(arm->start_ups);
}

std::vector<std::string> Arms::runs(const Stack& stack) const {
  const Arm* arm = find(stack);
  return arm == nullptr ? std::vector<std::string>{} : arm->runs;
}

}  // namespace flatout::apply
