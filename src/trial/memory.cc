#include "trial/memory.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/memory_room.h"
#include "host/paths.h"
#include "run/metric.h"

namespace flatout::trial {
namespace {

constexpr std::size_t kMostUnread = 16;  // hooks/trial/loss.py: copies on their way
constexpr std::int64_t kMost = std::int64_t{1} << 60;

// Each worker's own peak; they need not have been at the same time.
std::int64_t worker_bytes(const run::Timeline& timeline) {
  double sum = 0;
  for (const auto& [key, points] : timeline.series) {
    if (key.metric != run::Metric::kProcessMemoryRss) continue;
    const auto process = timeline.processes.find(key.source);
    const bool worker =
        process != timeline.processes.end() && process->second.proc.role == run::ProcRole::kWorker;
    if (!worker) continue;
    double most = 0;
    for (const run::Point& point : points) most = std::max(most, point.value);
    sum += most;
  }
  return static_cast<std::int64_t>(std::min(sum, static_cast<double>(kMost)));
}

constexpr std::string_view kErrors[] = {
    "OutOfMemoryError",        // torch.OutOfMemoryError, also of CUDA
    "MemoryError",             // Python's, NumPy's
    "DefaultCPUAllocator",     // torch's RuntimeError on the host
    "CUDA out of memory",      // older releases
    "Cannot allocate memory",  // ENOMEM
    "std::bad_alloc",
};

// What the recorder said, before the trial and after it.
std::vector<run::HostMemoryFact> host_memory(const run::Timeline& timeline) {
  std::vector<run::HostMemoryFact> out;
  for (const auto& [pid, process] : timeline.processes) {
    const auto& said = process.facts.observed().host_memories;
    out.insert(out.end(), said.begin(), said.end());
  }
  return out;
}

// The last that a process said of its own memory: peaks only grow.
apply::TrialMemory memory_of(const run::Observed& said) {
  const run::MemoryFact* last = run::latest_of(said.memories);
  if (last == nullptr) return {};
  apply::TrialMemory out;
  out.device_peak_bytes = last->device_peak_bytes;
  out.device_reserved_peak_bytes = last->device_reserved_peak_bytes;
  out.device_limit_bytes = last->device_limit_bytes;
  out.host_peak_bytes = last->host_peak_bytes;
  out.host_data_bytes = last->host_data_bytes;
  return out;
}

}  // namespace

// Ranks share the machine; each has a device of its own, as a rule.
apply::TrialMemory trial_memory(const run::Timeline& timeline) {
  apply::TrialMemory out;
  std::int64_t all_ranks = 0;
  for (const auto& [pid, process] : timeline.processes) {
    const apply::TrialMemory rank = memory_of(process.facts.observed());
    if (!rank.host_peak_bytes && !rank.device_peak_bytes) continue;
    all_ranks += rank.host_peak_bytes.value_or(0);
    const bool first = !out.host_peak_bytes && !out.device_peak_bytes;
    if (first || rank.device_peak_bytes > out.device_peak_bytes) out = rank;
  }
  if (out.host_peak_bytes) out.host_peak_bytes = all_ranks + worker_bytes(timeline);
  const auto said = host_memory(timeline);
  if (!said.empty()) out.host_limit_bytes = said.front().room_bytes;
  return out;
}

std::vector<double> loss_samples(const analyse::Analysis& analysis, std::size_t losses) {
  const auto& steps = analysis.cut.steps;
  if (steps.empty() || losses == 0) return {};
  const std::size_t each = std::max<std::size_t>(1, (losses + steps.size() / 2) / steps.size());
  // The trial may end within a step, whose backwards are counted and the step is not;
  // of a device, the last losses are not waited for.
  const std::size_t expected = each * steps.size();
  if (losses > expected + each || losses + kMostUnread < expected) return {};
  std::vector<double> out;
  for (const auto& step : steps) {
    if (!step.samples || !(*step.samples > 0)) return {};
    out.insert(out.end(), each, *step.samples / static_cast<double>(each));
  }
  out.resize(losses, out.back());
  return out;
}

bool ran_out_of_memory(const std::string& failure, const run::Timeline& timeline) {
  if (failure.empty()) return false;
  const bool named = std::ranges::any_of(
      kErrors, [&](std::string_view error) { return failure.find(error) != std::string::npos; });
  if (named) return true;
  const auto said = host_memory(timeline);
  if (said.size() >= 2 && said.front().oom_kills && said.back().oom_kills) {
    return *said.back().oom_kills > *said.front().oom_kills;
  }
  return timeline.end && timeline.end->signal == SIGKILL;
}

std::string host_memory_now() {
  host::Paths paths;
  const char* folder = std::getenv("FLATOUT_HOST_FILES");
  if (folder != nullptr && *folder != '\0') {
    const std::filesystem::path root = folder;
    paths = {.proc = root / "proc", .root = root};
  }
  nlohmann::json said = nlohmann::json::object();
  if (const auto room = host::memory_room_bytes(paths)) said["room_bytes"] = *room;
  if (const auto kills = host::oom_kills(paths)) said["oom_kills"] = *kills;
  return said.dump();
}

}  // namespace flatout::trial
