#include "apply/arms.h"

#include <algorithm>
#include <cmath>
#include <span>

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

void widen(std::vector<TrialRate>& rates, const std::vector<double>& slowdowns, double usual) {
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i].variance += (slowdowns[i] - usual) * (slowdowns[i] - usual);
  }
}

double mean_log(const std::vector<TrialRate>& rates) {
  double sum = 0;
  for (const TrialRate& rate : rates) sum += rate.log_rate;
  return sum / static_cast<double>(rates.size());
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

bool Arms::add(const Stack& stack, const TrialResult& trial, std::string& reason) {
  Arm& arm = arms_[key_of(stack)];
  arm.runs.push_back(trial.run);
  reason = trial.failure;
  if (!reason.empty()) return false;
  const auto throughput = steady_throughput(trial.steps, trial.workers);
  if (!throughput) {
    reason = "too few steady steps to measure: " + std::to_string(trial.steps.size()) + " in all";
    return false;
  }
  arm.rates.push_back(rate_of(*throughput));
  arm.slowdowns.push_back(log_slowdown(trial.outside));
  arm.evidence.push_back(trial.evidence);
  arm.start_ups.push_back(start_up_of(trial.steps, *throughput));
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
  NoiseModel noise;
  for (const auto& [key, arm] : arms_) {
    if (&arm != a && &arm != b) noise.learn(arm.rates);
  }
  auto rates_a = newest(a->rates, last);
  auto rates_b = newest(b->rates, last);
  const auto slow_a = newest(a->slowdowns, last);
  const auto slow_b = newest(b->slowdowns, last);
  if (slow_a.empty() || slow_b.empty()) return std::nullopt;
  const double usual =
      std::min(*std::ranges::min_element(slow_a), *std::ranges::min_element(slow_b));
  widen(rates_a, slow_a, usual);
  widen(rates_b, slow_b, usual);
  return apply::compare(rates_a, rates_b, noise);
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
