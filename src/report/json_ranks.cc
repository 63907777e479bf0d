// Traces of several ranks, as JSON.
#include <cmath>

#include "report/json_parts.h"

namespace flatout::report {
namespace {

const char* from_name(run::RanksFrom from) {
  switch (from) {
    case run::RanksFrom::kTrace:
      return "trace";
    case run::RanksFrom::kFileName:
      return "file_name";
    case run::RanksFrom::kOrder:
      break;
  }
  return "order";
}

Json rank_json(const run::ComparedRank& rank) {
  Json out = Json::object();
  out["rank"] = rank.rank;
  put(out, "file", rank.file);
  put(out, "step_ms", rank.step_ms);
  put(out, "busy", rank.busy);
  put(out, "comm_exposed", rank.comm_exposed);
  put(out, "idle", rank.idle);
  put(out, "window_ms", rank.window_ms);
  put(out, "clock_ahead_ms", rank.clock_ahead_ms);
  out["last"] = rank.last;
  put(out, "held_ms", rank.held_ms);
  put(out, "waited_ms", rank.waited_ms);
  return out;
}

Json straggler_json(const run::Straggler& straggler) {
  Json out = Json::object();
  out["rank"] = straggler.rank;
  put(out, "cause", std::string(run::cause_name(straggler.cause)));
  out["last"] = straggler.last;
  put(out, "held_ms", straggler.held_ms);
  put(out, "exposed_ms", straggler.exposed_ms);
  put(out, "share", straggler.share);
  Json phases = Json::object();
  for (const auto& [phase, ms] : straggler.phases) put(phases, phase.c_str(), ms);
  out["phases_ms"] = std::move(phases);
  return out;
}

}  // namespace

Json ranks_json(const run::RankComparison& ranks) {
  Json out = Json::object();
  out["numbered_by"] = from_name(ranks.from);
  put(out, "world_size", ranks.world_size);
  out["collectives"] = ranks.collectives;
  if (ranks.collectives > 0) out["matched_by"] = ranks.numbered ? "number" : "order";
  out["list"] = list(ranks.ranks, rank_json);
  if (ranks.straggler) out["straggler"] = straggler_json(*ranks.straggler);
  return out;
}

}  // namespace flatout::report
