// Pressure stall information (Documentation/accounting/psi.rst) of the machine
// and of the run's cgroup. The kernel's averages look back 10 s and more; its
// totals do not, so the share of time between two reads comes from those.
// Where the kernel keeps none (no CONFIG_PSI, psi=0, cgroup v1, no cgroup but
// the root), the source says nothing.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "collect/rate.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

struct StallTotals {
  std::optional<std::uint64_t> some_us;  // at least one task waited
  std::optional<std::uint64_t> full_us;  // all of them; absent for CPUs of old kernels
};
StallTotals parse_pressure(std::string_view text);

// Whether this kernel keeps pressure of the machine.
bool has_pressure(const host::Paths& paths);

class PressureSource final : public run::Source {
 public:
  explicit PressureSource(const host::Paths& paths);
  std::string_view name() const override { return "pressure"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;

 private:
  struct File {
    std::filesystem::path path;
    run::Metric some;
    std::optional<run::Metric> full = {};
    Counter some_us = {};
    Counter full_us = {};
  };
  void add(File file);

  std::vector<File> files_;  // those that could be read at the start
};

}  // namespace flatout::collect
