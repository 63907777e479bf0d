// dataloader.cache: what the native engine keeps of its samples in memory. The same samples to the
// last bit.
#include <algorithm>
#include <utility>

#include "apply/knobs/knob.h"

namespace flatout::apply {
namespace {

// In the last of three the samples come for the third time: in fewer, most of a trial fills the
// cache, and what that costs is all that it shows.
constexpr std::int64_t kFewestEpochs = 3;
constexpr double kWorthKeeping = 0.3;  // of the time that threads work

double seconds_in(const run::EngineWork& work, std::optional<run::EnginePart> stage = {}) {
  double seconds = 0;
  for (const run::EngineStage& one : work.stages)
    if (!stage || one.part == *stage) seconds += one.busy_s + one.blocked_s;
  return seconds;
}

Proposal propose_cache(const Situation& now) {
  const auto& loader = now.report.loader;
  if (!loader || loader->engine != "native")
    return {.why_not = "the native engine does not make the batches", .impossible = true};
  if (!loader->cache.empty()) return {.why_not = "it keeps " + loader->cache + " samples already"};
  if (!has_finding(now.report, "input_bound")) return {.why_not = "no finding asks for it"};
  if (!loader->engine_work) return {.why_not = "the engine does not tell what its threads do"};
  if (loader->epochs.value_or(0) < kFewestEpochs) {
    return {.why_not = "too few samples come again in a trial: it needs " +
                       std::to_string(kFewestEpochs) + " epochs"};
  }
  const double all = seconds_in(*loader->engine_work);
  const double read = seconds_in(*loader->engine_work, run::EnginePart::kRead);
  const double decode = seconds_in(*loader->engine_work, run::EnginePart::kDecode);
  std::vector<std::pair<double, std::string>> found;
  if (read > kWorthKeeping * all) found.emplace_back(read, "\"encoded\"");
  if (decode > kWorthKeeping * all) found.emplace_back(decode, "\"decoded\"");
  std::ranges::sort(found, std::greater());
  Proposal out;
  for (auto& [seconds, value] : found) {
    Proposal one = proposed_for_finding(now.report, "input_bound", std::move(value), "\"none\"");
    out.candidates.push_back(std::move(one.candidates.front()));
  }
  if (found.empty()) out.why_not = "reading and decoding are little of what its threads do";
  return out;
}

std::string present_cache(const run::Report& report) {
  if (!report.loader) return "";
  return report.loader->cache.empty() ? "\"none\"" : "\"" + report.loader->cache + "\"";
}

}  // namespace

const Knob& dataloader_cache() {
  static const Knob knob = declared(run::knob_id::kDataloaderCache,
                                    {.propose = propose_cache, .present = present_cache});
  return knob;
}

}  // namespace flatout::apply
