#include "data/feed/loader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace flatout::data {

using base::Result;

namespace {

tune::Work work_of(const EngineStats& stats) {
  return {.samples = stats.samples,
          .read = stats.busy.read,
          .compute = stats.busy.decode + stats.busy.transform,
          .cpu = stats.thread_times.cpu,
          .run_delay = stats.thread_times.run_delay,
          .squares_s2 = stats.busy_squares_s2};
}

}  // namespace

Loader::Loader(Engine engine, std::size_t sample_bytes, const LoaderOptions& options)
    : engine_(std::move(engine)), sample_bytes_(sample_bytes), options_(options), opened_(now()) {
  if (!options.tuning) return;
  const EngineStats stats = engine_.stats();
  tuner_.emplace(*options.tuning, tune::Setting{stats.threads, options.ahead}, opened_,
                 work_of(stats));
  const tune::Setting& first = tuner_->setting();
  if (first.threads != stats.threads) (void)engine_.set_threads(first.threads);
  engine_.set_ahead(first.ahead);
}

Result<void> Loader::set_threads(int threads) {
  if (threads == 0 && !options_.tuning)
    return base::fail(base::ErrorCode::kInvalid,
                      "threads: 0 hands them to the tuner, without which the loader was opened: "
                      "leave \"threads\" out there, or give \"tune\": true");
  if (threads != 0) {
    if (auto set = engine_.set_threads(threads); !set) return set;
  }
  if (!tuner_) return {};
  tune::Bounds bounds = tuner_->bounds();
  bounds.tune_threads = threads == 0;
  const EngineStats stats = engine_.stats();
  tuner_.emplace(bounds, tune::Setting{stats.threads, ahead()}, now(), work_of(stats));
  return {};
}

std::size_t Loader::ahead() const {
  return std::max<std::size_t>(tuner_ ? tuner_->setting().ahead : options_.ahead, 1);
}

void Loader::tune(base::TimeNs at, std::optional<base::TimeNs> waiting_since) {
  if (!tuner_->due(at)) return;
  const tune::Setting was = tuner_->setting();
  const tune::Setting wanted = tuner_->decide(at, work_of(engine_.stats()), waiting_since);
  // Threads that the system refuses are missing from then on, which the figures show.
  if (wanted.threads != was.threads) (void)engine_.set_threads(wanted.threads);
  if (wanted.ahead != was.ahead) engine_.set_ahead(wanted.ahead);
}

// The engine's next; where it is tuned, with a look at how long that took.
Result<Batch> Loader::next_batch() {
  if (!tuner_) return engine_.next();
  const base::TimeNs asked = now();
  if (!std::exchange(asked_, true)) tuner_->resumed(asked, work_of(engine_.stats()));
  while (!engine_.wait(tune::Tuner::kLookWhileWaiting)) {
    tune(now(), asked);
    if (auto done = submit_ahead(); !done) return std::unexpected(done.error());
  }
  const base::TimeNs given = now();
  auto batch = engine_.next();
  if (!batch) return batch;
  tuner_->delivered({asked, given, batch->making, batch->indices.size()});
  tune(given, std::nullopt);
  return batch;
}

Result<void> Loader::begin(std::uint32_t epoch, std::vector<std::int64_t> order,
                           std::vector<std::size_t> ends) {
  engine_.clear();
  epoch_ = epoch;
  order_ = std::move(order);
  ends_ = std::move(ends);
  begun_ = 0;
  if (options_.drop_last && ends_.empty())
    order_.resize(order_.size() / options_.batch_size * options_.batch_size);
  submitted_ = handed_over_ = 0;
  drawn_.clear();
  asked_ = false;
  return submit_ahead();
}

Result<void> Loader::submit_ahead() {
  while (submitted_ < order_.size() && engine_.pending() < ahead()) {
    const std::size_t count = begun_ < ends_.size()
                                  ? ends_[begun_] - submitted_
                                  : std::min(options_.batch_size, order_.size() - submitted_);
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(submitted_);
    auto done = submit({begin, begin + static_cast<std::ptrdiff_t>(count)});
    if (!done) return done;
    submitted_ += count;
    ++begun_;
  }
  return {};
}

Result<void> Loader::submit(std::vector<std::int64_t> indices) {
  std::vector<std::uint32_t> repeats;
  for (const std::int64_t index : indices) repeats.push_back(draw(index));
  const std::vector<std::int64_t> asked = indices;
  auto done = engine_.submit(std::move(indices), epoch_, std::move(repeats));
  if (!done) {
    for (const std::int64_t index : asked) --drawn_[static_cast<std::size_t>(index)];
  }
  return done;
}

// How often this epoch drew it before.
std::uint32_t Loader::draw(std::int64_t index) {
  const auto place = static_cast<std::size_t>(index);
  if (place >= drawn_.size()) drawn_.resize(std::max(place + 1, drawn_.size() * 2));
  return drawn_[place]++;
}

void Loader::count_as_drawn(const std::vector<std::int64_t>& indices) {
  for (const std::int64_t index : indices) draw(index);
}

Result<void> Loader::append(std::vector<std::int64_t> indices) {
  if (submitted_ != order_.size())
    return base::fail(
        base::ErrorCode::kInvalid,
        "the epoch has an order of its own; begin one with no samples to append to it");
  order_.insert(order_.end(), indices.begin(), indices.end());
  if (auto done = submit(std::move(indices)); !done) {
    order_.resize(submitted_);
    return done;
  }
  submitted_ = order_.size();
  return {};
}

Result<std::optional<Batch>> Loader::next() {
  // Also at an epoch's end: to a child of fork() that is none of its own.
  if (auto here = engine_.here(); !here) return std::unexpected(here.error());
  while (handed_over_ < order_.size()) {
    if (auto done = submit_ahead(); !done) return std::unexpected(done.error());
    auto batch = next_batch();
    if (!batch) return std::unexpected(batch.error());
    handed_over_ += batch->indices.size();
    // The consumer now computes, and the threads go on meanwhile.
    if (auto done = submit_ahead(); !done) return std::unexpected(done.error());
    if (batch->bad.empty() || options_.on_bad == OnBadSample::kMark) return batch;
    const auto raised = std::ranges::find_if(batch->bad, [&](const BadSample& bad) {
      return options_.on_bad == OnBadSample::kRaise ||
             bad.error.code == base::ErrorCode::kUnavailable;
    });
    if (raised != batch->bad.end()) return std::unexpected(std::move(raised->error));
    skipped_ += batch->bad.size();
    close_gaps(*batch);
    if (!batch->indices.empty()) return batch;
  }
  return std::nullopt;
}

bool Loader::ready() {
  return handed_over_ < order_.size() && engine_.pending() > 0 && engine_.wait(0);
}

// Moves the samples behind a bad one forward, so that the good ones lie together, in order: in each
// array of the batch, and the arrays after each other.
void Loader::close_gaps(Batch& batch) const {
  const std::size_t asked = batch.indices.size();
  const auto parts = options_.part_bytes ? options_.part_bytes(batch.indices.front())
                                         : std::vector<std::size_t>{sample_bytes_};
  std::vector<std::size_t> good;
  auto bad = batch.bad.begin();
  for (std::size_t place = 0; place < asked; ++place) {
    if (bad != batch.bad.end() && bad->place == place) {
      ++bad;
    } else {
      batch.indices[good.size()] = batch.indices[place];
      good.push_back(place);
    }
  }
  batch.indices.resize(good.size());
  std::size_t to = 0;
  std::size_t from = 0;
  for (const std::size_t bytes : parts) {
    for (std::size_t i = 0; i < good.size(); ++i) {
      std::byte* const memory = batch.memory.get();
      std::memmove(memory + to + i * bytes, memory + from + good[i] * bytes, bytes);
    }
    to = aligned_array(to + good.size() * bytes);
    from = aligned_array(from + asked * bytes);
  }
}

}  // namespace flatout::data
