// How often the main thread of each process of the run was switched out: because
// it waited (voluntary), or because its core was taken away (forced). From
// /proc/<pid>/status, which costs more than stat: a source of its own, so that
// it slows down alone.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "collect/process_tree.h"
#include "collect/rate.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

struct Switches {
  std::optional<std::uint64_t> voluntary;
  std::optional<std::uint64_t> forced;
};
Switches parse_switches(std::string_view status);

class SwitchesSource final : public run::Source {
 public:
  // `tree` must outlive it.
  SwitchesSource(host::Paths paths, const ProcessTree& tree)
      : paths_(std::move(paths)), tree_(tree) {}
  std::string_view name() const override { return "context switch"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;

 private:
  struct Last {
    std::uint64_t start_ticks = 0;
    Counter voluntary = {};
    Counter forced = {};
  };

  host::Paths paths_;
  const ProcessTree& tree_;
  std::map<pid_t, Last> last_;
};

}  // namespace flatout::collect
