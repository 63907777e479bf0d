#include "data/open/run_report.h"

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "data/feed/thread_times.h"
#include "data/open/figures.h"
#include "data/open/open_loader.h"
#include "inject/emit.h"
#include "inject/process_state.h"
#include "run/phase.h"
#include "wire/record.h"

namespace flatout::data {
namespace {

using run::Phase;

bool observed = false;  // set when the library is loaded

__attribute__((constructor)) void read_environment() {
  const char* ring_dir = ::secure_getenv("FLATOUT_RING_DIR");
  if (ring_dir == nullptr || *ring_dir == '\0') return;
  const bool quiet = ::secure_getenv("FLATOUT_QUIET") != nullptr;
  inject::configure(ring_dir, quiet, {.identify = nullptr, .opened = nullptr, .await = true});
  observed = true;
}

// Far from the numbers that the hooks give to DataLoaders and their iterators in this process.
constexpr std::uint32_t kFirstNumber = 1U << 16;
std::atomic<std::uint32_t> next_number = kFirstNumber;

void say(std::string_view key, const nlohmann::ordered_json& json) {
  const std::string text = json.dump();
  inject::emit_fact(key.data(), static_cast<std::uint32_t>(key.size()), text.data(),
                    static_cast<std::uint32_t>(text.size()));
}

}  // namespace

std::unique_ptr<RunReport> RunReport::of(const spec::LoaderSpec& spec) {
  if (!observed || !spec.tell_run) return nullptr;
  return std::unique_ptr<RunReport>(new RunReport(spec));
}

RunReport::RunReport(const spec::LoaderSpec& spec)
    : process_(inject::generation()),
      number_(next_number.fetch_add(1, std::memory_order_relaxed)),
      batch_size_(spec.loader.batch_size),
      drop_last_(spec.loader.drop_last),
      schedule_(now()) {}

bool RunReport::here() const { return process_ == inject::generation(); }

// One iterator for all epochs: nothing is built anew for the next.
void RunReport::introduce(const OpenLoader& open) {
  introduced_ = true;
  say("loader", {{"loader", number_},
                 {"workers", 0},
                 {"batch_size", batch_size_},
                 {"drop_last", drop_last_},
                 {"dataset", "flatout.data"},
                 {"dataset_len", open.samples->size()},
                 {"engine", "native"}});
  say("iterator", {{"iterator", number_},
                   {"loader", number_},
                   {"worker_pids", nlohmann::ordered_json::array()}});
}

void RunReport::begin(const OpenLoader& open) {
  if (!here()) return;
  if (!introduced_) introduce(open);
  open_phase_ = inject::begin_phase(Phase::kIterBuild, 0, 0, 0);
}

void RunReport::begun() {
  if (open_phase_) inject::end_phase(Phase::kIterBuild, 0, number_, 0);
  open_phase_ = false;
}

// Whether gradients are on nobody knows here; what follows on the draw says whether it trains.
void RunReport::ask() {
  if (open_phase_) inject::end_phase(Phase::kDataWait, wire::kSkipped, number_, 0);  // it threw
  if (here()) open_phase_ = inject::begin_phase(Phase::kDataWait, wire::kGradEnabled, number_, 0);
}

void RunReport::given(OpenLoader& open, Drawn what, std::size_t samples) {
  if (!here()) return;
  const std::uint32_t flags = what == Drawn::kBatch ? 0
                              : what == Drawn::kEnd ? wire::kExhausted
                                                    : wire::kRaised;
  if (open_phase_) inject::end_phase(Phase::kDataWait, flags, number_, samples);
  open_phase_ = false;
  const base::TimeNs at = now();
  if (what == Drawn::kEnd ? schedule_.due_at_epoch_end(at) : schedule_.due(at)) report(open);
}

void RunReport::closing(OpenLoader& open) {
  if (here() && introduced_) report(open);
}

void RunReport::report(OpenLoader& open) {
  nlohmann::ordered_json figures = figures_json(open);
  figures["loader"] = number_;
  say("engine", figures);
  schedule_.reported(now());
}

}  // namespace flatout::data
