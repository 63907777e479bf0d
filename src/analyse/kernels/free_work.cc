#include "analyse/kernels/free_work.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analyse/kernels/step_replay.h"

namespace flatout::analyse {
namespace {

struct Piece {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
};

// From the first launch to the end of the last activity.
Piece whole_trace(const run::ProcessTrack& process, const HostTimeline& host) {
  Piece piece;
  for (const run::DeviceActivity& activity : process.activities) {
    if (const auto launch = host.launch(activity.correlation)) {
      piece.begin_ns = std::min(piece.begin_ns, launch->begin_ns);
      piece.end_ns = std::max(piece.end_ns, std::max(activity.begin_ns, activity.end_ns));
    }
  }
  return piece;
}

// Collectives have a name of their own, as in the rest of the report.
std::vector<std::pair<std::string, FreeWork>> kinds_of(const StepReplay& replay) {
  std::vector<std::pair<std::string, FreeWork>> kinds = {
      {"data", kFreeData}, {"launch", kFreeLaunches}, {"sync", kFreeSyncs}, {"copy", kFreeCopies}};
  for (unsigned number = 0; number < 16; ++number) {
    const auto kind = static_cast<KernelClass>(number);
    if ((replay.classes() & free_class(kind)) == 0) continue;
    kinds.emplace_back(kind == KernelClass::kCollective ? "comm" : kernel_class_name(kind),
                       free_class(kind));
  }
  return kinds;
}

}  // namespace

std::optional<run::FreeWorkReport> measure_free_work(const run::ProcessTrack& process,
                                                     const run::NameTable& names,
                                                     const HostTimeline& host,
                                                     std::span<const Step> steps) {
  const Piece piece = steps.empty() ? whole_trace(process, host)
                                    : Piece{steps.front().begin_ns, steps.back().end_ns};
  if (piece.begin_ns >= piece.end_ns) return std::nullopt;
  const StepReplay replay(process, names, host, piece.begin_ns, piece.end_ns);
  const auto all = static_cast<double>(replay.length_ns(0));
  if (!(all > 0)) return std::nullopt;
  run::FreeWorkReport report;
  report.of_ms = all / 1e6;
  for (const auto& [name, work] : kinds_of(replay)) {
    report.saves.emplace_back(name, 1 - static_cast<double>(replay.length_ns(work)) / all);
  }
  return report;
}

}  // namespace flatout::analyse
