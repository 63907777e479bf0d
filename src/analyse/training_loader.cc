#include "analyse/training_loader.h"

#include <algorithm>
#include <map>

namespace flatout::analyse {

TrainingLoader training_loader(const run::ProcessTrack& process, const StepCut& cut) {
  TrainingLoader source;
  const std::vector<run::IteratorFact>& iterators = process.facts.observed().iterators;
  std::map<std::uint32_t, std::int64_t> draws;  // loader -> ns
  for (const Draw& draw : cut.draws) {
    if (!cut.training_iterators.contains(draw.iterator)) continue;
    const auto it = std::ranges::find(iterators, draw.iterator, &run::IteratorFact::iterator);
    if (it != iterators.end()) draws[it->loader] += draw.end_ns - draw.begin_ns;
  }
  const auto most = std::ranges::max_element(draws, {}, [](const auto& e) { return e.second; });
  const std::vector<run::LoaderFact>& loaders = process.facts.observed().loaders;
  if (most == draws.end()) {
    // No fact ties draws to a loader. With a single loader there is no doubt.
    if (loaders.size() == 1) source.fact = loaders.front();
    return source;
  }
  source.fact.loader = most->first;
  const auto it = std::ranges::find(loaders, most->first, &run::LoaderFact::loader);
  if (it != loaders.end()) source.fact = *it;
  for (const run::LoaderFact& later : loaders) {  // what has been counted and found out since
    if (later.loader != most->first) continue;
    if (later.dataset_len) source.fact.dataset_len = later.dataset_len;
    if (!later.fetched_batches) continue;
    source.fact.fetched_batches = later.fetched_batches;
    source.fact.fetched_reason = later.fetched_reason;
  }
  for (const run::IteratorFact& iterator : iterators) {
    if (iterator.loader == most->first) source.iterators.push_back(iterator);
  }
  return source;
}

std::set<std::uint32_t> training_iterators(const run::ProcessTrack& process, const StepCut& cut) {
  std::set<std::uint32_t> out;
  for (const run::IteratorFact& one : training_loader(process, cut).iterators) {
    if (cut.training_iterators.contains(one.iterator)) out.insert(one.iterator);
  }
  return out.empty() ? cut.training_iterators : out;
}

}  // namespace flatout::analyse
