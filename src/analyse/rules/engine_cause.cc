#include "analyse/rules/engine_cause.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analyse/engine_work.h"
#include "analyse/rules/judgement.h"

namespace flatout::analyse {
namespace {

constexpr double kCoreWaitShows = 0.1;

std::string place(const LoaderStats& loader) {
  return loader.built_at.empty() ? "" : " (" + loader.built_at + ")";
}

std::string part_takes(run::EnginePart part) {
  switch (part) {
    case run::EnginePart::kRead:
      return "reading takes ";
    case run::EnginePart::kDecode:
      return "decoding takes ";
    case run::EnginePart::kTransform:
      return "transforms take ";
    case run::EnginePart::kMix:
      break;
  }
  return "mixing batches takes ";
}

}  // namespace

// Of the time that the training waits for data, the part in which it waits for the engine; absent
// where that was not told, and at least what it was: the figures begin before the steady steps and
// end behind them.
std::optional<double> engine_part(const Analysis& analysis) {
  const auto& work = analysis.loader->engine_work;
  const auto waited =
      static_cast<double>(analysis.steady_phases[static_cast<std::size_t>(run::Phase::kDataWait)]);
  if (!work || !work->consumer_wait_s || waited <= 0) return std::nullopt;
  return std::min(1.0, *work->consumer_wait_s * 1e9 / waited);
}

namespace {

std::string of_their_time(const run::EngineShares& shares) {
  std::string text;
  if (shares.files > kDominates) {
    text = "they wait for files " + percent(shares.files) + " of their time";
  } else if (shares.slowest) {
    text = part_takes(*shares.slowest) + percent(shares.slowest_share) + " of their time";
  }
  if (!text.empty() && shares.cores >= kCoreWaitShows)
    text += ", and for " + percent(shares.cores) + " they have no core";
  return text;
}

}  // namespace

InputCause engine_cause(const Analysis& analysis) {
  const LoaderStats& loader = *analysis.loader;
  const std::string where = place(loader);
  InputCause out = {run::Cause::kNativeLoading,
                    "the native engine's threads cannot keep up" + where, 1};
  const auto shares = loader.engine_work ? shares_of(*loader.engine_work) : std::nullopt;
  if (!shares) return out;
  const double waits_for_it = engine_part(analysis).value_or(1);
  if (waits_for_it < kDominates) {
    out.because = "batches wait for the program's own code around the native engine" + where +
                  ": only " + percent(waits_for_it) + " of that time it waits for the engine";
  } else if (shares->underrun > kDominates) {
    out.because = "the prefetch depth of the native engine is too small" + where +
                  ": its threads are idle " + percent(shares->underrun) +
                  " of their time while the training waits";
  } else if (const std::string spent = of_their_time(*shares); !spent.empty()) {
    out.because += ": " + spent;
  }
  return out;
}

void add_engine_evidence(const Analysis& analysis, std::vector<run::Evidence>& evidence) {
  if (!analysis.loader->engine_work) return;
  const run::EngineWork& work = *analysis.loader->engine_work;
  const auto shares = shares_of(work);
  if (!shares) return;
  const auto add = [&](const std::string& metric, double value, const char* unit,
                       std::optional<double> threshold = std::nullopt) {
    evidence.push_back(steady_evidence(analysis, metric, value, unit));
    evidence.back().threshold = threshold;
  };
  if (work.threads) add("loader.engine.threads", *work.threads, "count");
  if (const auto part = engine_part(analysis))
    add("loader.engine.part_of_wait", *part, "ratio", kDominates);
  add("loader.engine.starved", shares->underrun, "ratio", kDominates);
  add("loader.engine.files_wait", shares->files, "ratio", kDominates);
  add("loader.engine.core_wait", shares->cores, "ratio", kCoreWaitShows);
  if (shares->slowest) {
    add("loader.engine." + std::string(run::engine_part_name(*shares->slowest)),
        shares->slowest_share, "ratio");
  }
}

}  // namespace flatout::analyse
