#include "trial/quiet_machine.h"

#include <unistd.h>

#include "base/file.h"
#include "collect/procfs/host_source.h"

namespace flatout::trial {
namespace {

constexpr base::DurationNs kWindow = base::kSecond;
constexpr double kQuietShare = 0.1;

}  // namespace

std::optional<std::int64_t> host_busy_ns() {
  const auto text = base::read_file("/proc/stat");
  const auto ticks = text ? collect::parse_cpu_ticks(*text) : std::nullopt;
  const long per_s = ::sysconf(_SC_CLK_TCK);
  if (!ticks || per_s <= 0) return std::nullopt;
  return static_cast<std::int64_t>(ticks->busy) * (base::kSecond / per_s);
}

bool wait_until_quiet(base::DurationNs at_most, int cpus, const BusyNs& busy,
                      const std::function<void(base::DurationNs)>& pause,
                      const std::function<bool()>& stop) {
  auto before = busy();
  for (base::DurationNs waited = 0; before && waited + kWindow <= at_most && !stop();
       waited += kWindow) {
    pause(kWindow);
    const auto after = busy();
    if (!after) return false;
    const auto used = static_cast<double>(*after - *before);
    if (used <= kQuietShare * cpus * static_cast<double>(kWindow)) return true;
    before = after;
  }
  return false;
}

}  // namespace flatout::trial
