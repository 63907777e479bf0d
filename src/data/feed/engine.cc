#include "data/feed/engine.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "data/batch/batch_pool.h"
#include "data/feed/stage_clock.h"
#include "data/feed/thread_maker.h"

namespace flatout::data {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

// A batch that is being made. Shared, because a thread may hold one that was cleared.
struct Order {
  Batch batch;
  std::size_t claimed = 0;  // samples that a thread has begun
  std::size_t made = 0;     // and ended
  base::TimeNs begun = 0;   // when the first was claimed
  bool finished = false;    // nothing is left to do

  bool whole() const { return finished; }
};

// Samples [place, place + count) of a batch, and what became of them.
struct Claim {
  std::shared_ptr<Order> order;
  std::size_t place = 0;
  std::size_t count = 0;
  StageTimes times = {};
  std::vector<BadSample> bad = {};
};

Error not_here() {
  return {ErrorCode::kUnavailable,
          "the loader belongs to the process that made it, of which this one is a fork; make one "
          "in this process"};
}

Result<void> check_threads(int threads) {
  if (threads >= 1 && threads <= Engine::kMaxThreads) return {};
  return base::fail(ErrorCode::kInvalid, "threads: " + std::to_string(threads) +
                                             " is not in 1 to " +
                                             std::to_string(Engine::kMaxThreads));
}

}  // namespace

// What the threads and the consumer share.
struct Engine::ThreadPool {
  ThreadPool(const EngineOptions& given, MakeMaker maker)
      : options(given),
        make_maker(std::move(maker)),
        pool(given.sample_bytes * given.batch_size + given.extra_bytes, kept(given.ahead),
             given.pin) {}

  // Batches whose memory is kept: those ahead, one that the program holds, those on their way.
  std::size_t kept(std::size_t ahead) const { return ahead + 1 + options.in_flight; }

  Result<void> start_threads(int count);
  void work(int number);
  bool wait_for(std::unique_lock<std::mutex>& lock, int number, Claim& out);
  bool front_ready() const { return interrupted || orders.empty() || orders.front()->whole(); }
  void make(Claim& claim, ThreadMaker& maker) const;
  void make_each(Claim& claim, ThreadMaker& maker) const;
  void note_idle();
  void finish(Claim claim);
  Result<void> finish_batch(const Batch& batch, StageTimes& times) const;

  const EngineOptions options;
  const MakeMaker make_maker;
  const pid_t owner = ::getpid();
  BatchPool pool;

  mutable std::mutex mutex;
  std::condition_variable work_there;
  std::condition_variable gate;  // of the threads that are parked: new work does not wake them
  std::condition_variable front_whole;
  std::deque<std::shared_ptr<Order>> orders;  // the oldest first
  int active = 0;                             // threads with lower numbers make samples
  int idle_threads = 0;                       // of these, without a sample to make
  bool consumer_waits = false;
  bool closing = false;
  bool interrupted = false;  // nobody waits for a batch any more
  EngineStats stats;
  IdleAccount idle;
  ThreadList list;  // of the threads, each put there by itself
  std::vector<std::thread> threads;
};

Result<void> Engine::ThreadPool::start_threads(int count) {
  {
    const std::scoped_lock lock(mutex);
    active = stats.threads = count;
  }
  work_there.notify_all();
  gate.notify_all();
  try {
    while (std::cmp_less(threads.size(), count))
      threads.emplace_back([this, number = static_cast<int>(threads.size())] { work(number); });
  } catch (const std::system_error& error) {
    const std::scoped_lock lock(mutex);
    active = stats.threads = static_cast<int>(threads.size());
    if (threads.empty())
      return base::fail(ErrorCode::kUnavailable,
                        std::string("the loader cannot start a thread: ") + error.what());
  }
  return {};
}

void Engine::ThreadPool::work(int number) {
  ThreadMaker maker(make_maker);
  std::unique_lock lock(mutex);
  list.add_this_thread();
  for (Claim claim; wait_for(lock, number, claim); lock.lock()) {
    lock.unlock();
    make(claim, maker);
    finish(std::exchange(claim, {}));
  }
}

void Engine::ThreadPool::make(Claim& claim, ThreadMaker& maker) const {
  maker.begin_claim();
  make_each(claim, maker);
  if (maker.end_claim(claim.times)) return;
  claim.bad.clear();
  make_each(claim, maker);
  (void)maker.end_claim(claim.times);
}

void Engine::ThreadPool::make_each(Claim& claim, ThreadMaker& maker) const {
  const Batch& batch = claim.order->batch;
  BatchPlace at{.batch = batch.memory.get(),
                .samples = batch.indices.size(),
                .place = claim.place,
                .sample_bytes = options.sample_bytes};
  for (; at.place < claim.place + claim.count; ++at.place) {
    const std::int64_t index = batch.indices[at.place];
    const std::uint32_t repeat = batch.repeats.empty() ? 0 : batch.repeats[at.place];
    if (at.place + 1 < claim.place + claim.count) maker.soon(batch.indices[at.place + 1]);
    auto made = maker.make(index, epoch_of_repeat(batch.epoch, repeat), at, claim.times);
    if (!made) claim.bad.push_back({at.place, index, std::move(made.error())});
  }
}

// To be called where the lock is held, after each change of what it looks at.
void Engine::ThreadPool::note_idle() {
  const IdleAccount::Why why = orders.empty()   ? &IdleTimes::unasked
                               : consumer_waits ? &IdleTimes::starved
                                                : &IdleTimes::full;
  if (idle.differs(idle_threads, why)) idle.set(idle_threads, why, now());
}

// Waits for samples to make; false when the engine closes.
bool Engine::ThreadPool::wait_for(std::unique_lock<std::mutex>& lock, int number, Claim& out) {
  while (!closing) {
    if (number >= active) {
      gate.wait(lock);
      continue;
    }
    const auto open = std::ranges::find_if(
        orders, [](const auto& order) { return order->claimed < order->batch.indices.size(); });
    if (open != orders.end()) {
      Order& order = **open;
      if (order.claimed == 0) order.begun = now();
      out = {*open, order.claimed,
             std::min(options.claim, order.batch.indices.size() - order.claimed)};
      order.claimed += out.count;
      return true;
    }
    ++idle_threads;
    note_idle();
    work_there.wait(lock);
    --idle_threads;
    note_idle();
  }
  return false;
}

void Engine::ThreadPool::finish(Claim claim) {
  std::unique_lock lock(mutex);
  Order& order = *claim.order;
  stats.bad_samples += claim.bad.size();
  std::ranges::move(claim.bad, std::back_inserter(order.batch.bad));
  order.made += claim.count;
  stats.samples += claim.count;
  stats.busy += claim.times;
  const auto made = static_cast<double>(claim.count);
  const double took_s = static_cast<double>(claim.times.total()) / base::kSecond / made;
  stats.busy_squares_s2 += made * took_s * took_s;
  if (order.made < order.batch.indices.size()) return;
  if (options.finish && order.batch.bad.empty()) {
    lock.unlock();
    StageTimes mixing;
    auto finished = finish_batch(order.batch, mixing);
    lock.lock();
    stats.busy += mixing;
    if (!finished) {
      order.batch.bad.push_back({0, order.batch.indices.front(), std::move(finished.error())});
      ++stats.bad_samples;
    }
  }
  order.finished = true;
  order.batch.making = now() - order.begun;
  if (!orders.empty() && orders.front() == claim.order) front_whole.notify_one();
}

Result<void> Engine::ThreadPool::finish_batch(const Batch& batch, StageTimes& times) const {
  StageClock clock;
  clock.begin();
  try {
    options.finish(batch);
    clock.into(&StageSums::mix, times);
    return {};
  } catch (const std::exception& error) {  // out of memory, as above
    return base::fail(ErrorCode::kUnavailable, std::string("the batch: ") + error.what());
  }
}

Result<Engine> Engine::start(const EngineOptions& options, MakeMaker make_maker) {
  if (auto sane = check_threads(options.threads); !sane) return std::unexpected(sane.error());
  if (options.batch_size == 0 || options.sample_bytes == 0 || options.claim == 0 ||
      options.sample_bytes > SIZE_MAX / 2 / options.batch_size) {
    return base::fail(ErrorCode::kInvalid,
                      "a batch of " + std::to_string(options.batch_size) + " samples of " +
                          std::to_string(options.sample_bytes) + " bytes cannot be");
  }
  auto thread_pool = std::make_unique<ThreadPool>(options, std::move(make_maker));
  if (auto done = thread_pool->start_threads(options.threads); !done)
    return std::unexpected(done.error());
  return Engine(std::move(thread_pool));
}

Engine::Engine(std::unique_ptr<ThreadPool> thread_pool) : thread_pool_(std::move(thread_pool)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine::~Engine() { close(); }

Engine& Engine::operator=(Engine&& other) noexcept {
  close();
  thread_pool_ = std::move(other.thread_pool_);
  return *this;
}

void Engine::close() {
  if (thread_pool_ == nullptr) return;
  if (thread_pool_->owner != ::getpid()) {
    // A child of fork() has the objects of threads that it does not have: to end them would wait
    // forever.
    (void)thread_pool_.release();
    return;
  }
  {
    const std::scoped_lock lock(thread_pool_->mutex);
    thread_pool_->closing = true;
  }
  thread_pool_->work_there.notify_all();
  thread_pool_->gate.notify_all();
  for (std::thread& thread : thread_pool_->threads) thread.join();
  thread_pool_.reset();
}

Result<void> Engine::submit(std::vector<std::int64_t> indices, std::uint32_t epoch,
                            std::vector<std::uint32_t> repeats) {
  if (thread_pool_->owner != ::getpid()) return std::unexpected(not_here());
  if (indices.empty() || indices.size() > thread_pool_->options.batch_size) {
    return base::fail(ErrorCode::kInvalid, "a batch of " + std::to_string(indices.size()) +
                                               " samples; the loader makes them of 1 to " +
                                               std::to_string(thread_pool_->options.batch_size));
  }
  if (!repeats.empty() && repeats.size() != indices.size())
    return base::fail(ErrorCode::kInvalid, "repeats are not told of each sample");
  auto memory = thread_pool_->pool.take();
  if (!memory) return std::unexpected(memory.error());
  auto order = std::make_shared<Order>();
  order->batch = {std::move(*memory), std::move(indices), epoch, std::move(repeats), {}, 0};
  {
    const std::scoped_lock lock(thread_pool_->mutex);
    thread_pool_->orders.push_back(std::move(order));
    thread_pool_->note_idle();
  }
  thread_pool_->work_there.notify_all();
  return {};
}

// In a child of fork() a thread that it does not have may hold the lock for ever: what gives no
// error there takes none.

std::size_t Engine::pending() const {
  if (thread_pool_->owner != ::getpid()) return 0;  // submit() reports why
  const std::scoped_lock lock(thread_pool_->mutex);
  return thread_pool_->orders.size();
}

Result<void> Engine::here() const {
  if (thread_pool_->owner != ::getpid()) return std::unexpected(not_here());
  return {};
}

Result<Batch> Engine::next() {
  if (thread_pool_->owner != ::getpid()) return std::unexpected(not_here());
  std::unique_lock lock(thread_pool_->mutex);
  if (thread_pool_->orders.empty())
    return base::fail(ErrorCode::kInvalid, "no batch was asked for");
  const base::TimeNs since = now();
  thread_pool_->consumer_waits = !thread_pool_->orders.front()->whole();
  thread_pool_->note_idle();
  thread_pool_->front_whole.wait(lock, [&] { return thread_pool_->front_ready(); });
  thread_pool_->consumer_waits = false;
  thread_pool_->stats.consumer_wait += now() - since;
  if (!thread_pool_->orders.front()->whole())
    return base::fail(ErrorCode::kUnavailable, "the loader is being closed");
  ++thread_pool_->stats.batches;
  Batch batch = std::move(thread_pool_->orders.front()->batch);
  thread_pool_->orders.pop_front();
  thread_pool_->note_idle();
  lock.unlock();
  std::ranges::sort(batch.bad, {}, &BadSample::place);
  return batch;
}

void Engine::interrupt() {
  if (thread_pool_->owner != ::getpid()) return;
  {
    const std::scoped_lock lock(thread_pool_->mutex);
    thread_pool_->interrupted = true;
  }
  thread_pool_->front_whole.notify_all();
}

bool Engine::wait(base::DurationNs at_most) {
  if (thread_pool_->owner != ::getpid()) return true;  // next() reports why
  std::unique_lock lock(thread_pool_->mutex);
  if (thread_pool_->front_ready()) return true;
  const base::TimeNs since = now();
  thread_pool_->consumer_waits = true;
  thread_pool_->note_idle();
  const bool ready = thread_pool_->front_whole.wait_for(
      lock, std::chrono::nanoseconds(at_most), [&] { return thread_pool_->front_ready(); });
  thread_pool_->consumer_waits = false;
  thread_pool_->note_idle();
  thread_pool_->stats.consumer_wait += now() - since;
  return ready;
}

void Engine::clear() {
  if (thread_pool_->owner != ::getpid()) return;
  const std::scoped_lock lock(thread_pool_->mutex);
  thread_pool_->orders.clear();
  thread_pool_->note_idle();
}

Result<void> Engine::set_threads(int threads) {
  if (auto sane = check_threads(threads); !sane) return sane;
  if (thread_pool_->owner != ::getpid()) return std::unexpected(not_here());
  return thread_pool_->start_threads(threads);
}

void Engine::set_ahead(std::size_t ahead) {
  if (thread_pool_->owner == ::getpid()) thread_pool_->pool.set_keep(thread_pool_->kept(ahead));
}

EngineStats Engine::stats() const {
  if (thread_pool_->owner != ::getpid()) return thread_pool_->stats;  // as they were
  const std::scoped_lock lock(thread_pool_->mutex);
  EngineStats out = thread_pool_->stats;
  out.thread_idle = thread_pool_->idle.times(now());
  out.thread_times = thread_pool_->list.times();
  return out;
}

}  // namespace flatout::data
