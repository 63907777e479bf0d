// The readings of one device that lie in the steady steps. Internal to analyse.
#pragma once

#include <optional>
#include <vector>

#include "analyse/device/device_stats.h"

namespace flatout::analyse {

class DeviceSeries {
 public:
  DeviceSeries(const run::Timeline& timeline, int index, const SteadyTime& steady)
      : timeline_(timeline), index_(index), steady_(steady) {}

  // Finite readings in order of time. A reading stands for the time since the one before it: one of
  // which more than a tenth lies outside of the steps is left out, unless fewer than five remain.
  std::vector<run::Point> steady(run::Metric metric) const;
  std::optional<double> mean(run::Metric metric) const;
  // Of what the driver says once a second: by the readings that stand for steps alone, however few,
  // if there is any.
  std::optional<double> mean_of_slow(run::Metric metric) const;
  // By such readings alone, if they stand for five steps or more together.
  std::optional<double> mean_of_few(run::Metric metric) const;
  std::optional<double> max(run::Metric metric) const;
  std::optional<double> run_max(run::Metric metric) const;  // of the whole run
  // Nothing computed in the whole run, by five readings or more of the driver, else of GPM.
  bool idle_throughout() const;

 private:
  std::vector<run::Point> readings(run::Metric metric) const;
  struct Readings {
    std::vector<run::Point> of_steps, ends_in_steps;
    std::int64_t covered_ns = 0;  // for which `of_steps` stand
  };
  Readings in_steps(run::Metric metric) const;

  const run::Timeline& timeline_;
  int index_;
  const SteadyTime& steady_;
};

// Use of the device: the driver's readings, else GPM's. Absent with fewer than
// five of either. A pattern needs a period of four sampling windows. NVML's
// window is the spacing of its buffered samples; where the spacing is that of
// polling, a reading may stand for up to a second (NVML, amdgpu). Where a step
// is shorter than four windows, what oscillates more slowly may be its alias:
// then only a swing of at least 0.5 counts.
std::optional<run::Utilization> device_utilization(const DeviceSeries& series,
                                                   std::string_view driver, double rate_hz,
                                                   double median_step_ns);

}  // namespace flatout::analyse
