#include "run/worker_room.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace flatout::run {
namespace {

constexpr int kWorkersPerCpu = 4;  // of workers that mostly wait
constexpr int kMaxWaiting = 32;
constexpr double kRounding = 1e-9;

int workers_that_fit(const HostReport& host) {
  constexpr int kAny = kMaxWaiting * kWorkersPerCpu;
  if (!host.memory_limit_bytes || !host.memory_peak_bytes || *host.memory_peak_bytes <= 0) {
    return kAny;
  }
  const std::int64_t more =
      (*host.memory_limit_bytes - *host.memory_peak_bytes) / *host.memory_peak_bytes;
  return static_cast<int>(std::clamp<std::int64_t>(more, 0, kAny));
}

// That fetch `share` of a step's time too little: the fetches that they make at once must take no
// longer than the rest of the step.
int workers_that_hide(int workers, double share, int most) {
  const double rest = 1 - share;
  if (!(rest > 0)) return most;
  const double needed = (workers == 0 ? share : workers) / rest;
  return static_cast<int>(std::ceil(std::min<double>(needed, most) - kRounding));
}

}  // namespace

int most_useful_workers(const LoaderReport& loader, const HostReport& host) {
  if (host.cpus <= 0) return 0;
  const int waiting = std::min(kMaxWaiting, kWorkersPerCpu * host.cpus);
  const int burning = host.cpus + 1;
  int most = burning;
  if (loader.sample_cpu_share && *loader.sample_cpu_share < 1) {
    const double share = std::max(*loader.sample_cpu_share, 0.01);
    const auto useful = static_cast<int>(std::ceil(host.cpus / share)) + 1;
    most = std::clamp(useful, burning, std::max(burning, waiting));
  }
  // What runs now was seen to fit.
  return std::min(most, std::max(loader.workers, workers_that_fit(host)));
}

std::vector<int> workers_left_to_try(const Report& report) {
  if (!report.loader || !report.steps || report.loader->engine == "native") return {};
  const LoaderReport& loader = *report.loader;
  const auto wait = report.steps->phases.find("data_wait");
  if (wait == report.steps->phases.end() || !(wait->second >= kNotableDataWait)) return {};
  int most = most_useful_workers(loader, report.host);
  if (loader.sample_cpu_share && *loader.sample_cpu_share > 0) {
    const double busy = report.host.cpus / std::min(*loader.sample_cpu_share, 1.0);
    most = static_cast<int>(std::min<double>(most, busy + kRounding));
  }
  if (most <= loader.workers) return {};
  const int hiding =
      std::clamp(workers_that_hide(loader.workers, wait->second, most), loader.workers + 1, most);
  std::vector<int> out = {hiding};
  if (hiding != loader.workers + 1) out.push_back(loader.workers + 1);
  return out;
}

}  // namespace flatout::run
