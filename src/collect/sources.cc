#include "collect/sources.h"

#include "collect/budget.h"
#include "collect/cgroup/cgroup_source.h"
#include "collect/procfs/host_source.h"
#include "collect/procfs/network_source.h"
#include "collect/procfs/paging_source.h"
#include "collect/procfs/pressure_source.h"
#include "collect/procfs/process_source.h"
#include "collect/procfs/pss_source.h"
#include "collect/procfs/shm_source.h"
#include "collect/procfs/switches_source.h"

namespace flatout::collect {
namespace {
// For what nobody needs ten times a second: the recorder has 1 % of a core in all.
constexpr base::DurationNs kSeldom = base::kSecond;
}  // namespace

std::vector<std::unique_ptr<run::Source>> make_sources(const host::Paths& paths,
                                                       const ProcessTree& tree,
                                                       const base::Clock* clock) {
  std::vector<std::unique_ptr<run::Source>> sources;
  const auto add = [&](std::unique_ptr<run::Source> source, base::DurationNs pause = 0) {
    sources.push_back(
        std::make_unique<BudgetedSource>(std::move(source), pause, thread_cpu_ns, clock));
  };
  add(std::make_unique<HostSource>(paths));
  add(std::make_unique<ProcessSource>(paths, tree));
  add(std::make_unique<CgroupSource>(paths));
  add(std::make_unique<PressureSource>(paths), kSeldom / 2);
  add(std::make_unique<PagingSource>(paths), kSeldom);
  add(std::make_unique<NetworkSource>(paths), kSeldom);
  add(std::make_unique<ShmSource>(paths), kSeldom);
  add(std::make_unique<SwitchesSource>(paths, tree), kSeldom);
  // Paces itself: a budget over 2 s cannot judge what happens every 10.
  sources.push_back(std::make_unique<PssSource>(paths, tree));
  return sources;
}

}  // namespace flatout::collect
