// Trials as reality makes them, from a seed: of steps, and, where thousands are
// needed, of rates at once.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "apply/statistics/blocks.h"
#include "apply/statistics/noise.h"

namespace flatout::apply {

struct SimulatedProgram {
  int steps = 60;
  int workers = 1;
  double step_ms = 50;       // mean of a steady step, outliers not counted
  double variation = 0.05;   // of a step: standard deviation over mean
  double memory = 0.5;       // correlation of a step's deviation with the one before
  double alternation = 0;    // first step of a round: so much of the round's time extra
  int start_steps = 0;       // of the warm-up
  double start_factor = 1;   // its steps over the steady ones
  double outlier_share = 0;  // of the steps, that take ten times as long
};

class Simulator {
 public:
  explicit Simulator(unsigned seed) : random_(seed) {}

  double normal() { return normal_(random_); }
  double uniform() { return uniform_(random_); }

  std::vector<TimedStep> steps(const SimulatedProgram& program) {
    std::vector<TimedStep> steps;
    double deviation = normal();
    std::int64_t end_ns = 0;
    for (int i = 0; i < program.steps; ++i) {
      const double fresh = std::sqrt(1 - program.memory * program.memory);
      deviation = program.memory * deviation + fresh * normal();
      double ms = program.step_ms * std::exp(program.variation * deviation);
      ms *= turn_factor(program, i);
      if (i < program.start_steps) ms *= program.start_factor;
      if (uniform() < program.outlier_share) ms *= 10;
      const auto own_ns = static_cast<std::int64_t>(ms * 1e6);
      end_ns += own_ns;
      steps.push_back({.end_ns = end_ns, .own_ns = own_ns, .samples = 32});
    }
    return steps;
  }

 private:
  // Its mean over a round is 1.
  static double turn_factor(const SimulatedProgram& program, int step) {
    const int w = program.workers;
    if (w < 2 || program.alternation <= 0) return 1;
    const double fast = 1 - program.alternation;
    return step % w == 0 ? fast + w * program.alternation : fast;
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_{0, 1};
  std::uniform_real_distribution<double> uniform_{0, 1};
};

// A machine on which trials run one after the other. Its speed drifts slowly, for
// all settings alike.
class SimulatedMachine {
 public:
  SimulatedMachine(Simulator& chance, double within, double drift)
      : chance_(chance),
        within_(within),
        drift_(drift * chance.uniform()),
        period_(20 + 60 * chance.uniform()),
        phase_(2 * std::numbers::pi * chance.uniform()) {}

  // `within`: true standard error of a trial's log rate; each estimates it from 8 blocks.
  TrialRate trial(double log_rate, double between) {
    double chi_squared = 0;
    for (int i = 0; i < 7; ++i) chi_squared += std::pow(chance_.normal(), 2);
    const double drift = drift_ * std::sin(2 * std::numbers::pi * trials_++ / period_ + phase_);
    return {.log_rate = log_rate + between * chance_.normal() + within_ * chance_.normal() + drift,
            .variance = within_ * within_ * chi_squared / 7};
  }

 private:
  Simulator& chance_;
  double within_;
  double drift_;
  double period_;  // trials
  double phase_;
  int trials_ = 0;
};

}  // namespace flatout::apply
