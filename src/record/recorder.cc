#include "record/recorder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "record/chunk_writer.h"
#include "record/json_string.h"
#include "run/facts.h"
#include "run/observed.h"

namespace flatout::record {
namespace {

struct Collected final : run::SampleSink {
  explicit Collected(std::vector<run::Sample>& into) : samples(into) {}
  void add(const run::Sample& sample) override { samples.push_back(sample); }
  std::vector<run::Sample>& samples;
};

// What a process that goes astray can make us copy.
constexpr std::size_t kMaxBranches = 1024;

template <typename T>
void move_until(std::int64_t t_ns, std::vector<T>& from, std::vector<T>& to) {
  const auto later =
      std::ranges::stable_partition(from, [t_ns](const T& one) { return one.t_ns <= t_ns; });
  to.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(later.begin()));
  from.erase(from.begin(), later.begin());
}

bool has_updates(const RingChunk& chunk) {
  return std::ranges::any_of(chunk.phases, [](const auto& event) {
    return event.phase == run::Phase::kOptimizer || event.phase == run::Phase::kStep ||
           event.phase == run::Phase::kReplay;
  });
}

}  // namespace

Recorder::Recorder(const base::Clock& clock, run::RunSink& sink, run::ProcessWatch& watch,
                   std::vector<std::unique_ptr<run::Source>> sources,
                   std::unique_ptr<RingDirReader> rings, RecorderOptions options)
    : clock_(clock),
      sink_(sink),
      watch_(watch),
      sources_(std::move(sources)),
      rings_(std::move(rings)),
      options_(std::move(options)),
      processes_(options_.root_pid) {}

base::Result<void> Recorder::begin(const run::RunInfo& info) { return sink_.begin(info); }

void Recorder::tick() { step(false); }

void Recorder::step(bool last) {
  const base::TimeNs now = clock_.monotonic();
  const std::int64_t cpu_ns = options_.cpu();  // at that time, however long the tick then takes
  drain_rings(now);
  follow_processes(now, last);
  sample_sources(now, last);
  sample_self(now, cpu_ns);
  write_processes();
  write_counts();
  collect_notes();
  check(sink_.flush());
  // Only now: what was drained is in the sink's hands.
  if (rings_) rings_->commit();
}

void Recorder::finish(run::RunEnd end) {
  step(true);
  if (end.survivors.empty()) {
    for (const pid_t pid : processes_.alive()) {
      if (pid != options_.root_pid) end.survivors.push_back(pid);
    }
  }
  if (rings_ && last_counts_.dropped > 0) {
    note(std::to_string(last_counts_.dropped) + " of " +
         std::to_string(last_counts_.events + last_counts_.dropped) +
         " events were dropped because a ring was full; figures of those moments lack them");
  }
  collect_notes();
  check(sink_.end(end));
  check(sink_.flush());
  if (rings_) rings_->unlink_all();
  // Here and not in the destructor, which a program's end may never reach: one of
  // them may have a thread in a driver's call.
  sources_.clear();
}

void Recorder::drain_rings(base::TimeNs now) {
  if (!rings_) return;
  rings_->drain(now, [this](const RingOwner& owner, RingChunk& chunk) { take(owner, chunk); });
  write_allocators();
  for (const auto& id : rings_->take_ended()) {
    processes_.ended(id, now);
    allocators_.ended(id.pid);
  }
}

void Recorder::write_allocators() {
  const std::vector<run::Sample> samples = allocators_.take();
  if (!samples.empty()) check(sink_.samples(samples));
}

void Recorder::drain(double least) {
  if (!rings_ || rings_->fullest() < least) return;
  rings_->drain_open([this](const RingOwner& owner, RingChunk& chunk) { take(owner, chunk); });
  write_allocators();
  check(sink_.flush());
  rings_->commit();
}

void Recorder::look_at_trackers(pid_t pid, const std::vector<run::Fact>& facts) {
  for (const run::Fact& fact : facts) {
    tracks_ = tracks_ || fact.key == run::facts::kTrackRun;
    if (fact.key != run::facts::kTrackClose || pid != options_.root_pid) continue;
    const auto said = run::decode<run::TrackCloseFact>(fact.json);
    closed_ = said ? static_cast<int>(said->exit_code) : 0;
  }
}

void Recorder::take(const RingOwner& owner, RingChunk& chunk) {
  processes_.ring(owner);
  look_at_trackers(owner.id.pid, chunk.facts);
  allocators_.facts(owner.id.pid, chunk.facts);
  allocators_.add(owner.id.pid, chunk.allocators);
  if (has_updates(chunk)) {
    processes_.trains(owner.id.pid);
    training_.insert(owner.id.pid);
    updates_[owner.id.pid].add(chunk.phases);
  }
  if (chunk.stop && std::ranges::find(stops_requested_, owner.id.pid) == stops_requested_.end()) {
    stops_requested_.push_back(owner.id.pid);
  }
  write_in_parts(owner.id.pid, chunk);
}

// In as many parts as there are tracked runs that begin with a history.
void Recorder::write_in_parts(pid_t pid, RingChunk& chunk) {
  for (std::size_t i = 0; options_.branched && i < chunk.facts.size(); ++i) {
    if (chunk.facts[i].key != run::facts::kTrackRun) continue;
    auto fact = run::decode<run::TrackRunFact>(chunk.facts[i].json);
    if (!fact || fact->branch.empty()) continue;
    if (branched_.size() >= kMaxBranches || !branched_.emplace(pid, fact->track).second) continue;
    fact->t_ns = chunk.facts[i].t_ns;
    RingChunk before;
    before.lanes.swap(chunk.lanes);
    move_until(fact->t_ns, chunk.facts, before.facts);
    move_until(fact->t_ns, chunk.values, before.values);
    write(pid, before);
    check(sink_.flush());
    options_.branched(pid, *fact);
    i = static_cast<std::size_t>(-1);  // what is left is looked at from its begin
  }
  write(pid, chunk);
}

std::uint64_t Recorder::updates() const {
  std::uint64_t most = 0;
  for (const auto& [pid, count] : updates_) most = std::max(most, count.steps());
  return most;
}

void Recorder::write(pid_t pid, const RingChunk& chunk) {
  for (const auto& lane : chunk.lanes) check(sink_.lane(pid, lane));
  for (const auto& fact : chunk.facts) {
    const bool masked = fact.key == run::facts::kFailure && options_.mask_failure;
    check(sink_.fact(pid, masked ? run::Fact{.t_ns = fact.t_ns,
                                             .key = fact.key,
                                             .json = options_.mask_failure(fact.json)}
                                 : fact));
  }
  write_records(chunk, pid, sink_, [this](const base::Result<void>& done) { check(done); });
}

void Recorder::follow_processes(base::TimeNs now, bool force) {
  processes_.apply(watch_.update(now, force), now);
}

void Recorder::sample_sources(base::TimeNs now, bool last) {
  Collected out(samples_);
  for (auto it = sources_.begin(); it != sources_.end();) {
    const auto done = last ? (*it)->last_sample(now, out) : (*it)->sample(now, out);
    for (const auto& device : (*it)->take_devices()) {
      allocators_.device(device);
      check(sink_.device(device));
    }
    if (done) {
      ++it;
      continue;
    }
    const std::string what = "no " + std::string((*it)->name()) + " metrics: ";
    if (done.error().code == base::ErrorCode::kUnavailable) {
      if (!done.error().message.empty()) note(what + done.error().message);
      it = sources_.erase(it);
      continue;
    }
    note(what + done.error().message + "; trying again at each tick");
    ++it;
  }
}

void Recorder::sample_self(base::TimeNs now, std::int64_t cpu_ns) {
  if (last_self_ns_ && now > *last_self_ns_) {
    // As collect/ makes its rates, which the store therefore keeps as whole nanoseconds.
    const double elapsed_s = static_cast<double>(now - *last_self_ns_) / 1e9;
    samples_.push_back({.t_ns = now,
                        .value = static_cast<double>(cpu_ns - last_self_cpu_ns_) / elapsed_s / 1e9,
                        .metric = run::Metric::kRecorderCpuCoresUsed});
  }
  last_self_ns_ = now;
  last_self_cpu_ns_ = cpu_ns;
  if (!samples_.empty()) check(sink_.samples(samples_));
  samples_.clear();
}

void Recorder::write_processes() {
  for (const auto& proc : processes_.take_changed()) check(sink_.proc(proc));
}

void Recorder::write_counts() {
  if (!rings_) return;
  const run::RingCounts counts = rings_->counts();
  if (counts == last_counts_) return;
  last_counts_ = counts;
  check(sink_.counts(counts));
}

void Recorder::collect_notes() {
  for (const auto& source : sources_) {
    for (auto& line : source->take_notes()) note(std::move(line));
  }
  for (auto& line : watch_.take_notes()) note(std::move(line));
  if (!rings_) return;
  for (auto& line : rings_->take_notes()) note(std::move(line));
}

void Recorder::check(const base::Result<void>& done) {
  if (done || sink_failed_) return;
  sink_failed_ = true;
  // Not through note(): the sink cannot take it.
  notes_.push_back("the recording is not whole: " + done.error().message);
}

void Recorder::note(std::string line) {
  if (!told_.insert(line).second) return;
  check(sink_.fact(options_.root_pid, {.t_ns = clock_.monotonic(),
                                       .key = std::string(run::facts::kProblem),
                                       .json = "{\"problem\":" + json_quote(line) + "}"}));
  notes_.push_back(std::move(line));
}

std::vector<std::string> Recorder::take_notes() { return std::exchange(notes_, {}); }

}  // namespace flatout::record
