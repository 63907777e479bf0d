// Which value of a knob is worth a comparison, where nothing predicts any: one
// trial a value, then the best of them goes into statistics/sequential.h against
// fresh trials of what stands. The trials of a screen decide nothing and are
// no part of that comparison, so that a knob costs one share of the error rate
// however many values it has. Pure but for what `try_value` does; one thread.
//
// Few values (kFewValues) and texts are tried one by one. Many numbers are
// climbed from the present one: up by doubling until it gets worse, down by halving
// where up brought nothing, then between the best and its neighbours. That finds
// the best of what rises to one top and falls; of several tops, one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace flatout::apply {

constexpr std::size_t kFewValues = 5;
constexpr double kWorse = 0.98;         // of the best rate so far: the climb ends
constexpr double kMoreByScreen = 1.01;  // a rate counts as better from here on
constexpr int kMostBetween = 4;         // trials between the best and its neighbours

struct ScreenTrial {
  std::string value;           // a JSON literal
  std::optional<double> rate;  // samples per second; absent where it failed
  std::string run;
  std::string failure;  // one clause; "" with a rate
};

// Runs one trial; nothing where there is no time for it, which ends the screen.
using TryValue = std::function<base::Result<std::optional<ScreenTrial>>(const std::string& value)>;

struct ScreenResult {
  std::vector<ScreenTrial> trials;  // in the order in which they ran
  // Index of the one to compare: of those within 1 % of the fastest the first that
  // ran, which is nearest to the present value. Absent where none is faster than
  // kMoreByScreen x `present_rate`.
  std::optional<std::size_t> best;
};

// About how many trials a screen of so many values takes.
int likely_screen_trials(std::size_t values);

// `values`: JSON literals without the present one. `present`: likewise, "" = not
// known: then a climb begins at the least value. Errors are those of `try_value`.
base::Result<ScreenResult> screen(const std::vector<std::string>& values,
                                  const std::string& present, double present_rate,
                                  const TryValue& try_value);

}  // namespace flatout::apply
