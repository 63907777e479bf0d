#include "analyse/stragglers/rank_trace.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "analyse/kernels/kernel_class.h"
#include "analyse/kernels/name_cache.h"
#include "analyse/kernels/traced_device.h"
#include "analyse/stats.h"
#include "analyse/stragglers/device_pieces.h"
#include "base/ascii.h"

namespace flatout::analyse {
namespace {

void set_figures(const Analysis& analysis, RankTrace& rank) {
  double steps_ns = 0;
  for (const Step& step : analysis.steady()) steps_ns += static_cast<double>(step.own_ns);
  if (!analysis.steady().empty()) {
    rank.step_ms = steps_ns / 1e6 / static_cast<double>(analysis.steady().size());
  }
  const run::KernelTraceReport* const trace = analysis.kernel_trace();
  if (trace == nullptr) return;
  rank.busy = trace->busy;
  rank.comm_exposed = trace->comm_exposed;
  rank.idle = trace->idle;
  rank.window_ms = trace->window_ms;
}

// What a trace says of a kernel's collective; null = nothing.
const run::CollectiveFact* fact_of(const std::vector<run::CollectiveFact>& facts,
                                   const run::DeviceActivity& kernel) {
  auto fact = std::ranges::lower_bound(facts, kernel.begin_ns, {}, &run::CollectiveFact::begin_ns);
  for (; fact != facts.end() && fact->begin_ns == kernel.begin_ns; ++fact) {
    if (fact->stream == kernel.stream && fact->device == kernel.device) return &*fact;
  }
  return nullptr;
}

// "stream 1": the numbers of streams may differ between ranks, their order does not.
std::string stream_lane(const std::set<std::uint32_t>& streams, std::uint32_t stream) {
  return "stream " + std::to_string(std::distance(streams.begin(), streams.find(stream)) + 1);
}

class Collectives {
 public:
  Collectives(const run::ProcessTrack& process, const run::NameTable& names, std::uint16_t device)
      : process_(process),
        names_(names),
        device_(device),
        classes_(names, kernel_class),
        kinds_(names, collective_kind) {
    for (const run::CollectiveFact& fact : process.collectives) facts_.push_back(fact);
    for (const run::DeviceActivity& activity : process.activities) {
      if (is_one(activity)) streams_.insert(activity.stream);
    }
  }

  void read(RankTrace& rank) {
    std::size_t count = 0;
    for (const run::DeviceActivity& activity : process_.activities) {
      if (!is_one(activity)) continue;
      const run::CollectiveFact* const fact = fact_of(facts_, activity);
      RankCollective collective;
      collective.kind = kinds_.of(fact != nullptr ? fact->operation : activity.name);
      if (collective.kind == CollectiveKind::kOneSided) continue;
      if (++count > RankTrace::kMostCollectives) {
        rank.left_out = true;
        return;
      }
      collective.begin_ns = activity.begin_ns;
      collective.end_ns = std::max(activity.begin_ns, activity.end_ns);
      if (fact != nullptr) {
        collective.sequence = fact->sequence;
        collective.elements = fact->elements;
      }
      const bool named = fact != nullptr && fact->group != 0;
      rank.lanes[named ? "group " + std::string(names_.at(fact->group))
                       : stream_lane(streams_, activity.stream)]
          .push_back(collective);
    }
  }

 private:
  bool is_one(const run::DeviceActivity& activity) {
    return activity.device == device_ && activity.kind == run::ActivityKind::kKernel &&
           classes_.of(activity.name) == KernelClass::kCollective;
  }

  const run::ProcessTrack& process_;
  const run::NameTable& names_;
  std::uint16_t device_;
  std::vector<run::CollectiveFact> facts_;
  NameCache<decltype(&kernel_class)> classes_;
  NameCache<decltype(&collective_kind)> kinds_;
  std::set<std::uint32_t> streams_;
};

void add_before(const DevicePieces& pieces, std::vector<RankCollective>& lane) {
  for (std::size_t i = 0; i < lane.size(); ++i) {
    RankCollective& at = lane[i];
    at.exposed_ns = at.end_ns - at.begin_ns - pieces.computed(at.begin_ns, at.end_ns);
    if (i == 0) continue;
    at.follows = true;
    const PhaseSums sums = pieces.between(lane[i - 1].end_ns, at.begin_ns);
    for (std::size_t phase = 0; phase < run::kPhaseCount; ++phase) {
      at.before[phase] = static_cast<float>(sums.all[phase]);
    }
    at.idle_before_ns = static_cast<float>(sums.idle);
  }
}

}  // namespace

CollectiveKind collective_kind(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    text += base::lower(c);
  }
  const auto holds = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (holds("allreduce") || holds("crossdevicereduce") || holds("barrier")) {
    return CollectiveKind::kAllReduce;
  }
  if (holds("reducescatter")) return CollectiveKind::kReduceScatter;
  if (holds("allgather")) return CollectiveKind::kAllGather;
  // NCCL makes an all-to-all of sends and receives; PyTorch names those of programs as what they
  // are.
  if (holds("alltoall") || holds("ncclkernelsendrecv") || holds("nccldevkernelsendrecv") ||
      holds("ncclsendrecv")) {
    return CollectiveKind::kAllToAll;
  }
  if (holds("broadcast") || holds("reduce") || holds("send") || holds("recv") || holds("gather") ||
      holds("scatter")) {
    return CollectiveKind::kOneSided;
  }
  return CollectiveKind::kUnknown;
}

RankTrace rank_trace_of(const run::Timeline& timeline, const Analysis& analysis) {
  RankTrace rank;
  rank.file = timeline.info.trace_file;
  rank.base_ns = timeline.info.started_wall_ns;
  set_figures(analysis, rank);
  const TracedDevice owner = traced_device(timeline, analysis);
  for (const auto& [pid, process] : timeline.processes) {
    if (process.proc.rank >= 0) rank.rank = process.proc.rank;
    if (process.world_size) rank.world_size = process.world_size;
  }
  if (owner.process == nullptr || !timeline.names) return rank;
  Collectives(*owner.process, *timeline.names, owner.device).read(rank);
  const bool steps = analysis.pid == owner.process->proc.pid && !analysis.phases_seen.empty();
  const PhaseTimeline phases =
      steps ? PhaseTimeline(*owner.process, analysis.lane) : PhaseTimeline();
  const DevicePieces pieces(*owner.process, *timeline.names, owner.device, phases);
  for (auto& [name, lane] : rank.lanes) {
    add_before(pieces, lane);
    // As on a stream, unless the file is damaged.
    std::ranges::stable_sort(lane, {}, &RankCollective::end_ns);
  }
  return rank;
}

}  // namespace flatout::analyse
