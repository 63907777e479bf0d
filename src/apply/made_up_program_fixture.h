// A program that is made up: a rate for each setting, noise of known size, losses
// that follow the seed, and a clock that moves by what a trial takes.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "apply/trial.h"
#include "apply/tuner.h"
#include "base/time.h"

namespace flatout::apply {

// Hears what a tune says, and keeps none of it.
class Silent final : public TuneListener {
 public:
  void trial_begins(const std::string&, const std::optional<run::Speedup>&,
                    std::optional<base::DurationNs>) override {}
  void planned(const TunePlan&) override {}
  void baseline(const run::TuneReport&) override {}
  void decided(const run::TuneTrial&) override {}
};

inline int number(const std::vector<run::KnobSetting>& knobs, const std::string& knob,
                  int otherwise) {
  for (const auto& setting : knobs) {
    if (setting.knob == knob) return std::stoi(setting.value);
  }
  return otherwise;
}

// What it does under some knobs.
struct Behaviour {
  double samples_per_s = 100;
  std::string failure = {};
  std::string not_applied = {};
  std::optional<std::int64_t> most = {};  // said with it
  double loss = 1;                        // at which training ends up
  double grad_norm = 3;
};

class MadeUpProgram final : public TrialRunner {
 public:
  using Advice = std::vector<run::Advice>;
  MadeUpProgram(base::FakeClock& clock, std::function<Behaviour(int workers, int prefetch)> behave)
      : clock_(clock), behave_(std::move(behave)) {}

  base::Result<TrialResult> run(const TrialSpec& spec) override {
    specs.push_back(spec);
    const int workers = number(spec.knobs, "dataloader.num_workers", start_workers);
    const int prefetch = number(spec.knobs, "dataloader.prefetch_factor", 2);
    const Behaviour behaviour = behave_(workers, prefetch);
    TrialResult out;
    out.run = "run" + std::to_string(specs.size());
    out.workers = workers;
    out.failure = behaviour.failure;
    const double share = outside ? outside() : 0;
    if (outside_seen) out.outside.cpu_share = share;
    const double left = std::max(0.02, speed_left ? speed_left() : 1 - share);
    const double between = std::exp(noise * normal_(random_)) / left;
    std::int64_t t_ns = 0;
    for (std::uint64_t i = 0; i < spec.steps; ++i) {
      const double seconds =
          32 / behaviour.samples_per_s * between * std::exp(0.03 * normal_(random_));
      t_ns += static_cast<std::int64_t>(seconds * 1e9);
      out.steps.push_back(
          {.end_ns = t_ns, .own_ns = static_cast<std::int64_t>(seconds * 1e9), .samples = 32});
    }
    out.wall_ns = t_ns + start_up_ns;
    out.data_files = data_files;
    out.evidence = evidence(spec, behaviour, workers);
    clock_.advance(out.wall_ns);
    out.predictor = predictor;
    out.report.loader.emplace();
    out.report.loader->workers = workers;
    out.report.loader->iterable = stream;
    out.report.loader->prefetch_factor = prefetch;
    if (advise) {
      run::Finding finding;
      finding.id = "input_bound";
      finding.confidence = 0.9;
      finding.advice = advise(workers, prefetch);
      out.report.findings.push_back(std::move(finding));
    }
    for (const auto& setting : spec.knobs) {
      out.outcomes.push_back(
          {.asked = setting,
           .from = "0",
           .applied = behaviour.not_applied.empty(),
           .reason = behaviour.not_applied,
           .most = behaviour.not_applied.empty() ? std::nullopt : behaviour.most});
    }
    if (specs.size() == interrupt_after) interrupted_ = true;
    return out;
  }
  bool interrupted() const override { return interrupted_; }
  void draw_anew(unsigned seed) { random_.seed(seed); }

  // The same losses again for the same seed and the same way of drawing.
  LossEvidence evidence(const TrialSpec& spec, const Behaviour& behaviour, int workers) const {
    LossEvidence out;
    if (!shows_losses) return out;
    std::mt19937 random(static_cast<unsigned>(spec.seed_shift * 100) +
                        static_cast<unsigned>(fetch_draws || stream ? workers : 0));
    std::normal_distribution<double> normal(0, 0.05);
    for (std::uint64_t i = 0; i < spec.steps; ++i) {
      out.losses.push_back(behaviour.loss + std::exp(-static_cast<double>(i) / 30) +
                           normal(random));
    }
    for (int update = 0; update < 8; ++update) {
      out.grad_norms[update] = behaviour.grad_norm * std::exp(normal(random));
    }
    if (!stream) out.sample_orders[1][8] = "a1";
    if (workers == 0) out.fetch_draws = fetch_draws;
    return out;
  }

  void wait_for_quiet(base::DurationNs at_most) override {
    waited_ns += at_most;
    clock_.advance(at_most);
  }

  std::function<Advice(int workers, int prefetch)> advise;
  std::function<double()> outside;  // the share of the machine that others take from a trial
  bool outside_seen = true;
  // The speed that they leave it, asked after `outside`; none = all but that share.
  std::function<double()> speed_left;
  base::DurationNs waited_ns = 0;
  base::DurationNs start_up_ns = base::kSecond;
  std::optional<DataFiles> data_files;  // that each trial says it read
  std::shared_ptr<const run::Predictor> predictor;
  bool shows_losses = true;
  bool fetch_draws = true;
  bool stream = false;  // whose samples come in an order of their own for each number of workers
  double noise = 0.005;
  int start_workers = 0;
  std::size_t interrupt_after = 0;  // trials; 0 = never
  std::vector<TrialSpec> specs;

 private:
  base::FakeClock& clock_;
  std::function<Behaviour(int, int)> behave_;
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_{0, 1};
  bool interrupted_ = false;
};

inline run::Advice advice(const std::string& knob, const std::string& from, const std::string& to,
                          double ratio) {
  run::Advice out;
  out.knob = knob;
  out.from = from;
  out.to = to;
  out.predicted = run::Speedup{ratio, ratio * 0.95, ratio * 1.05};
  return out;
}

inline run::Advice workers_advice(int from, int to, double ratio) {
  return advice("dataloader.num_workers", std::to_string(from), std::to_string(to), ratio);
}

}  // namespace flatout::apply
