// The step waits for data that flatout's loading engine makes. What to do follows from where its
// threads spend their time; how much that gains nobody knows before it is done.
#include "advise/native_engine.h"

#include <algorithm>
#include <string>
#include <utility>

namespace flatout::advise {
namespace {

constexpr double kDominates = 0.5;
constexpr double kDear = 0.3;  // of the threads' time, to be worth an advice
constexpr int kMoreAhead = 4;  // times the batches that were asked for ahead
constexpr int kMostAhead = 64;

run::Advice sample_cost(const run::LoaderReport& loader, std::string how) {
  return by_hand("dataset.sample_cost", std::move(how), loader.built_at);
}

run::Advice more_ahead(const run::LoaderReport& loader) {
  const int now = loader.engine_work ? loader.engine_work->ahead.value_or(2) : 2;
  const int more = std::min(kMostAhead, std::max(1, now) * kMoreAhead);
  return by_hand(run::knob_id::kDataloaderPrefetchFactor,
                 "raise the prefetch depth: DataLoader(..., num_workers=1, prefetch_factor=" +
                     std::to_string(more) + "), of which no worker is started, or \"ahead\": " +
                     std::to_string(more) + " of flatout.data",
                 loader.built_at);
}

// Packed files are read by flatout.data alone, in whose terms the program's transforms and labels
// are to be written: work, and no line to paste.
std::string pack(const char* why) {
  return std::string(why) +
         ": `flatout pack FOLDER PACKED`, and this loader written anew over "
         "flatout.data.packed(PACKED), with its shuffling and transforms (docs/data.md)";
}

}  // namespace

Answer answer_native_loading(const Question& question, const run::LoaderReport& loader) {
  const auto detail = run::detail_of<run::InputDetail>(question.finding);
  const run::EngineShares shares = detail.engine.value_or(run::EngineShares());
  if (detail.engine_part && *detail.engine_part < kDominates) {
    const bool fetches = loader.fetched_batches.value_or(0) > 0;
    return {sample_cost(loader, fetches
                                    ? "fix or leave out the files that only Python can read: see "
                                      "the note on the first of them"
                                    : "the engine is fast enough: look at the sampler, and at "
                                      "what else runs in the loader's next()")};
  }
  if (shares.underrun >= kDominates) return {more_ahead(loader)};
  const auto slow = [&](run::EnginePart part) {
    return shares.slowest == part && shares.slowest_share >= kDear;
  };
  Answer answer;
  if (shares.files >= kDear) {
    answer.push_back(sample_cost(loader, pack("read fewer, larger files")));
    answer.push_back(sample_cost(
        loader,
        "or a nearer disk, a copy in memory (/dev/shm); with flatout.data also more threads: "
        "batch(..., threads=N)"));
  }
  if (slow(run::EnginePart::kDecode)) {
    answer.push_back(sample_cost(loader, pack("decode smaller pictures, or with --kind raw none")));
  }
  if (slow(run::EnginePart::kTransform)) {
    answer.push_back(sample_cost(
        loader,
        "make transforms cheaper: a smaller crop, fewer that change whole pictures (blur, "
        "ColorJitter, RandAugment)"));
  }
  if (slow(run::EnginePart::kMix))
    answer.push_back(sample_cost(loader, "mix on the device instead: MixUp and CutMix there"));
  if (answer.empty()) {
    answer.push_back(sample_cost(loader, pack("make samples cheaper")));
  }
  return answer;
}

}  // namespace flatout::advise
