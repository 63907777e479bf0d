#include "data/open/figures.h"

#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "data/open/open_loader.h"

namespace flatout::data {
namespace {

const char* word(tune::Phase phase) {
  switch (phase) {
    case tune::Phase::kSeeding:
      return "measuring";
    case tune::Phase::kClimbing:
      return "trying";
    case tune::Phase::kResting:
      return "resting";
  }
  return "";
}

nlohmann::ordered_json tuning_json(const Loader& loader) {
  const tune::Tuner* tuner = loader.tuner();
  if (tuner == nullptr) return nullptr;
  auto changes = nlohmann::ordered_json::array();
  for (const tune::Change& one : tuner->changes()) {
    changes.push_back({{"at_s", static_cast<double>(one.at - loader.opened()) / base::kSecond},
                       {"threads", {one.from.threads, one.to.threads}},
                       {"ahead", {one.from.ahead, one.to.ahead}},
                       {"why", one.why},
                       {"after", one.looking}});
  }
  return {{"threads", tuner->bounds().tune_threads},
          {"ahead", tuner->bounds().tune_ahead},
          {"phase", word(tuner->phase())},
          {"changes", tuner->changes_made()},
          {"last_changes", std::move(changes)}};
}

// null where nothing is kept.
nlohmann::ordered_json cache_json(const cache::SampleCaches& caches) {
  if (!caches.memory && !caches.disk) return nullptr;
  nlohmann::ordered_json out{{"memory", nullptr}, {"disk", nullptr}};
  if (caches.memory) {
    const cache::MemoryStats stats = caches.memory->stats();
    out["memory"] = {{"keeps", caches.decoded ? "decoded" : "encoded"},
                     {"budget_bytes", caches.memory->budget_bytes()},
                     {"bytes", stats.bytes},
                     {"samples", stats.samples},
                     {"hits", stats.hits},
                     {"misses", stats.misses},
                     {"denied", stats.denied},
                     {"short_of_memory", stats.short_of_memory},
                     {"given_back_bytes", stats.given_back_bytes}};
  }
  if (caches.disk) {
    const cache::DiskStats stats = caches.disk->stats();
    out["disk"] = {{"hits", stats.hits},
                   {"misses", stats.misses},
                   {"stored", stats.stored},
                   {"stored_bytes", stats.stored_bytes},
                   {"denied", stats.denied},
                   {"damaged", stats.damaged},
                   {"removed_segments", stats.removed_segments},
                   {"can_write", stats.can_write}};
  }
  return out;
}

nlohmann::ordered_json device_json(const LoaderDevice& to) {
  const device::RingStats stats = to.ring->stats();
  nlohmann::ordered_json out{{"device", to.context->name()}, {"gpu", to.context->gpu()},
                             {"batches", stats.batches},     {"bytes", stats.bytes},
                             {"timed_batches", stats.timed}, {"waits", stats.waits},
                             {"wait_ns", stats.waited},      {"normalized", to.makes_numbers}};
  if (stats.timed > 0) out["copy_ns"] = stats.copy;
  if (!to.why_not.empty()) out["why_not_normalized"] = to.why_not;
  return out;
}

// How a stage's time divides; nothing where that was not looked at.
void add_stage(nlohmann::ordered_json& out, const std::string& name, const StageTimes& times,
               Stage stage) {
  const auto busy = times.busy(stage);
  if (!busy) return;
  out[name + "_busy_ns"] = *busy;
  out[name + "_blocked_ns"] = times.*stage - *busy;
}

}  // namespace

nlohmann::ordered_json figures_json(OpenLoader& open) {
  const EngineStats stats = open.loader.engine().stats();
  nlohmann::ordered_json out{{"threads", stats.threads},
                             {"ahead", open.loader.ahead()},
                             {"samples", stats.samples},
                             {"bad_samples", stats.bad_samples},
                             {"skipped_samples", open.loader.skipped()},
                             {"batches", stats.batches},
                             {"read_ns", stats.busy.read},
                             {"decode_ns", stats.busy.decode},
                             {"transform_ns", stats.busy.transform},
                             {"mix_ns", stats.busy.mix}};
  add_stage(out, "read", stats.busy, &StageSums::read);
  add_stage(out, "decode", stats.busy, &StageSums::decode);
  add_stage(out, "transform", stats.busy, &StageSums::transform);
  add_stage(out, "mix", stats.busy, &StageSums::mix);
  out["cpu_ns"] = stats.thread_times.cpu;
  out["thread_idle_ns"] = stats.thread_idle.total();
  out["idle_full_ns"] = stats.thread_idle.full;
  out["idle_starved_ns"] = stats.thread_idle.starved;
  out["idle_unasked_ns"] = stats.thread_idle.unasked;
  out["consumer_wait_ns"] = stats.consumer_wait;
  return out;
}

std::string stats_json(OpenLoader& open) {
  const bool here = open.owner == ::getpid();  // a child of fork() may not take the caches' locks
  nlohmann::ordered_json out = figures_json(open);
  out["tuning"] = tuning_json(open.loader);
  out["cache"] = here ? cache_json(open.caches) : nullptr;
  if (open.device != nullptr) out["h2d"] = device_json(*open.device);
  return out.dump();
}

}  // namespace flatout::data
