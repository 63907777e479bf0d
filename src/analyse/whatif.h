// What-if over one run's own measured service times: implements run::Predictor
// by replaying them through the model of whatif_model.h at the present setting
// and at another one. A prediction is the ratio of the two; nothing else goes in.
//
// The present setting is simulated first and held against the measured steps.
// The miss (calibration error) widens every interval; above kLowCalibration
// confidence is low, above kMaxCalibration there is no prediction at all.
// Deterministic; immutable after construction, so any thread may ask.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyse/whatif_model.h"
#include "run/predictor.h"

namespace flatout::analyse {

// One steady training batch as it was recorded, in order of sequence.
struct MeasuredFetch {
  std::int64_t wall_ns = 0;   // of the fetch, collate included
  std::int64_t cpu_ns = 0;    // of the fetching thread
  std::int64_t delay_ns = 0;  // that it waited for a core; 0 where it is not known
};

// One steady training step as it was recorded, in order.
struct MeasuredStep {
  std::int64_t data_wait_ns = 0;
  std::int64_t compute_ns = 0;  // forward, backward, optimizer
  std::int64_t host_ns = 0;     // all other phases
  std::int64_t device_ns = 0;   // sum of the device's phases; 0: the CPU is the device
  int draws = 1;                // batches drawn from the training loader
};

// The cost of an epoch beside its steps, at the present setting. Zero where not known.
struct EpochCost {
  double steps = 0;          // of an epoch
  double gap_ns = 0;         // its iterator is built, the one before is ended
  double eval_ns = 0;        // between two epochs
  double first_wait_ns = 0;  // for the first batch, of epochs that began again
  int restarts = 0;          // epochs that were seen to begin again
  bool whole_run = false;    // the run ended by itself: it begins no further epoch
};

struct WhatIfInput {
  double cores = 1;                           // usable by the run: cgroup quota and affinity
  std::optional<run::LoaderSetting> present;  // of the training loader; absent: has none
  std::vector<MeasuredFetch> fetches;
  std::vector<MeasuredStep> steps;
  // Cores in use while the step computes. Absent: one is assumed and the
  // interval widened.
  std::optional<double> compute_cores;
  // That other programs wanted and used while the steps ran; 0 where they hardly kept the step
  // thread from a core.
  double others_cores = 0;
  double others_used = 0;
  // Median time of a draw whose batch was ready and whose worker fetched nothing meanwhile.
  // Absent: the constants measured by bench/ipc_cost.py.
  std::optional<double> handover_ns;
  // The same of draws whose worker fetched a later batch meanwhile. Absent: too few, and no
  // difference is assumed.
  std::optional<double> held_handover_ns;
  std::optional<double> batch_bytes;  // of one collated batch; absent: taken as 0
  std::optional<double> batch_samples;
  std::int64_t epoch_draws = 0;  // batches an epoch of that loader, 0 = not known
  EpochCost epoch = {};
  bool persistent_workers = false;
  // CPU time by which the first fetch of a process costs more (what it imports, what it
  // touches first), where none of these fetches is a first one.
  std::int64_t first_fetch_ns = 0;
};

constexpr double kLowCalibration = 0.15;  // beyond it: low confidence
constexpr double kMaxCalibration = 0.40;  // beyond it: no prediction
constexpr std::size_t kMinFetches = 5;    // fewer batches: nothing about the loader

// Of real loaders around the model: half a 95 % interval of the logarithm of a predicted ratio,
// over 0. From programs that the model was not fitted to:
// docs/decisions/0033-intervals-of-predictions.md, whatif_spread_test.cc.
double model_spread(double ratio);

// Of a batch of two tensors, by bench/ipc_cost.py; see the decision page.
extern const IpcCost kMeasuredIpc;
// Of a process that has imported PyTorch, by bench/worker_start.py; see the decision page.
extern const WorkerStart kMeasuredStart;

class WhatIf final : public run::Predictor {
 public:
  explicit WhatIf(const WhatIfInput& input, std::uint64_t seed = 1);

  // From workers to none is not predicted: no fetch inside the program was seen.
  std::optional<run::Speedup> loader(const run::LoaderSetting& to) const override;
  std::optional<run::Speedup> persistent_workers() const override;
  // ratio = hi = 1 / (1 - share): the bound. lo = 1: moved work may still be waited for.
  std::optional<run::Speedup> remove_share(double share) const override;
  // The engine's threads share the cores with the step (whatif_engine.cc).
  std::optional<run::Speedup> engine(const run::EngineSpeed& speed) const override;

  // Simulated over measured mean step time at the present setting, minus one.
  // Absent when there is too little to simulate.
  std::optional<double> calibration_error() const { return calibration_error_; }
  // False when the model misses the present by more than kLowCalibration.
  bool confident() const;

 private:
  void take_handover(const WhatIfInput& input);

  // One bootstrap resample, and its simulated step time at the present setting.
  struct Replica {
    std::vector<FetchCost> fetches;
    std::vector<StepCost> steps;
    double present_ns = 0;
  };
  // Of the simulated ratio `best`: the replicas' spread, the model's own, and further log ratios.
  struct Doubt {
    double below = 0, above = 0;
    Doubt and_also(Doubt other) const;
  };
  std::optional<run::Speedup> interval(double best, const std::vector<double>& ratios,
                                       Doubt more) const;
  void calibrate(const WhatIfInput& input, const run::LoaderSetting& present);
  void measure_epochs(const WhatIfInput& input);
  void resample(std::uint64_t seed);
  LoopModel at(const run::LoaderSetting& setting, double ipc_factor) const;
  // The cost of epochs beside their steps, spread over these, at `to`. `factor`: of what starting
  // and ending a worker costs, where none was seen to.
  double between_ns(const run::LoaderSetting& to, double factor) const;
  // The machine as it is where the scheduler shares cores out to groups of processes (sessions,
  // containers) and not to threads: the run has those that other programs left, however many tasks
  // it has.
  LoopModel beside_others(LoopModel model) const;
  // How far the ratio on that machine is from `best`. `then_ns`: a step there, by the clock.
  Doubt shared_out(double best, double then_ns) const;
  // Step time at the present setting over that at `to`, all measured steps, by the clock.
  double ratio(const run::LoaderSetting& to, double ipc_factor) const;

  std::optional<double> batch_samples_;
  LoopModel present_;  // with the IPC costs that any setting with workers pays
  bool enough_steps_ = false;
  bool compute_cores_known_ = false;
  std::vector<FetchCost> fetches_;
  std::vector<StepCost> steps_;
  std::vector<Replica> replicas_;
  double others_used_ = 0;
  double present_ns_ = 0;       // simulated step time, all steps in order
  double present_left_ns_ = 0;  // the same of beside_others()
  double busy_ns_ = 0;          // mean of what a step takes when it never waits for data
  EpochCost epoch_;
  bool persistent_ = false;
  double fetch_ns_ = 0;       // mean of a measured fetch
  double usual_wait_ns_ = 0;  // mean of a step's
  double clock_step_ns_ = 0;  // mean of a measured step, by the clock
  std::optional<double> calibration_error_;
};

}  // namespace flatout::analyse
