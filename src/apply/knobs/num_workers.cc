// dataloader.num_workers: processes that fetch batches beside the training one.
// Same math, but a dataset that draws random numbers draws others in a worker.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "apply/knobs/knob.h"
#include "run/worker_room.h"

namespace flatout::apply {
namespace {

constexpr double kMostWorkers = 4096;  // far above what any machine is advised
constexpr double kUnasked = 0.5;       // confidence where no finding stands behind it

// One step of climbing either way from a number that has proved itself.
std::set<int> neighbours(int workers) {
  std::set<int> out = {workers + 1, (workers * 3 + 1) / 2};
  if (workers > 1) out.insert({workers - 1, workers * 2 / 3});
  out.erase(workers);
  out.erase(0);
  return out;
}

// `loader`: of the situation's report.
Candidate candidate_of(int workers, const run::LoaderReport& loader, const Situation& now,
                       double confidence) {
  Candidate out = {.value = std::to_string(workers),
                   .from = std::to_string(loader.workers),
                   .predicted = std::nullopt,
                   .confidence = confidence};
  if (now.predictor != nullptr) {
    out.predicted = now.predictor->loader(
        {.workers = workers, .prefetch_factor = loader.prefetch_factor.value_or(2)});
  }
  return out;
}

// A trial of more workers is cheap, so where the steps are seen to wait and nothing measured is
// against it, it is made whatever the model says.
void add_left_to_try(Proposal& proposal, const run::LoaderReport& loader, const Situation& now) {
  for (const int workers : run::workers_left_to_try(now.report)) {
    Candidate added = candidate_of(workers, loader, now, kUnasked);
    const auto& there = proposal.candidates;
    if (std::ranges::find(there, added.value, &Candidate::value) != there.end()) continue;
    added.spared = true;
    proposal.candidates.push_back(std::move(added));
  }
}

Proposal climb(const Situation& now) {
  const auto& loader = now.report.loader;
  if (!loader) return {.why_not = "no DataLoader was seen to feed the steps", .impossible = true};
  Proposal out;
  if (now.predictor != nullptr) {
    for (const int workers : neighbours(loader->workers)) {
      Candidate candidate = candidate_of(workers, *loader, now, kUnasked);
      const auto& predicted = candidate.predicted;
      if (!predicted || predicted->hi < kLeastBestCase || predicted->ratio < 1) continue;
      out.candidates.push_back(std::move(candidate));
    }
  }
  std::ranges::sort(out.candidates, {}, [](const Candidate& c) { return -c.predicted->ratio; });
  add_left_to_try(out, *loader, now);
  if (out.candidates.empty()) {
    out.why_not =
        now.predictor == nullptr ? "no finding asks for it" : "its best case is under 1 %";
  }
  return out;
}

// What was advised failed or hung: half of that, as long as it is more than now. The
// climb then finds what lies between.
std::optional<Candidate> half_of(double too_much, const Situation& now, double confidence) {
  const auto& loader = now.report.loader;
  const int half = static_cast<int>(std::min(too_much, kMostWorkers) / 2);
  if (!loader || half <= loader->workers) return std::nullopt;
  return candidate_of(half, *loader, now, confidence);
}

Proposal propose_num_workers(const Situation& now) {
  Proposal advised = proposed_by_advice(now.report, run::knob_id::kDataloaderNumWorkers);
  const double confidence =
      advised.candidates.empty() ? 0.5 : advised.candidates.front().confidence;
  if (now.too_much) {
    std::erase_if(advised.candidates, [&](const Candidate& candidate) {
      return std::strtod(candidate.value.c_str(), nullptr) >= *now.too_much;
    });
    auto half = half_of(*now.too_much, now, confidence);
    if (advised.candidates.empty() && half) return {.candidates = {*std::move(half)}};
  }
  if (advised.candidates.empty()) return climb(now);
  return advised;
}

std::string present_num_workers(const run::Report& report) {
  return report.loader ? std::to_string(report.loader->workers) : "";
}

}  // namespace

const Knob& dataloader_num_workers() {
  static const Knob knob =
      declared(run::knob_id::kDataloaderNumWorkers,
               {.propose = propose_num_workers, .present = present_num_workers});
  return knob;
}

}  // namespace flatout::apply
