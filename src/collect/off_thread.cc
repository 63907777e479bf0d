#include "collect/off_thread.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/blocked_signals.h"

namespace flatout::collect {
namespace {

// How long the end waits for a round that is still within its deadline.
constexpr std::chrono::milliseconds kPatienceAtEnd{100};

struct KeptInRound final : run::SampleSink {
  void add(const run::Sample& sample) override { samples.push_back(sample); }
  std::vector<run::Sample> samples;
};

// What a round gave.
struct Round {
  base::Result<void> outcome;
  std::vector<run::Sample> samples;
  std::vector<run::Device> devices;
  std::vector<std::string> notes;
  std::int64_t cpu_ns = 0;
};

// A thread is in a driver's call for good: nothing of the process may be taken
// down around it.
void leave_without_destructors() {
  static std::once_flag once;
  std::call_once(once, [] {
    ::on_exit(
        [](int status, void*) {
          std::fflush(nullptr);
          ::_exit(status);
        },
        nullptr);
  });
}

}  // namespace

struct OffThreadSource::Shared {
  Shared(std::unique_ptr<run::Source> source, CpuClock clock)
      : inner(std::move(source)), cpu(std::move(clock)) {}

  void loop();
  Round read(base::TimeNs now, bool is_last) const;

  std::unique_ptr<run::Source> inner;
  CpuClock cpu;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  // All below under the mutex.
  std::optional<base::TimeNs> asked;  // a round is wanted, or runs
  bool last = false;                  // it is the last one
  std::optional<Round> done;
  bool stop = false;
  bool ended = false;
};

Round OffThreadSource::Shared::read(base::TimeNs now, bool is_last) const {
  KeptInRound kept;
  Round round;
  const std::int64_t before = cpu();
  round.outcome = is_last ? inner->last_sample(now, kept) : inner->sample(now, kept);
  round.cpu_ns = cpu() - before;
  round.samples = std::move(kept.samples);
  round.devices = inner->take_devices();
  round.notes = inner->take_notes();
  return round;
}

void OffThreadSource::Shared::loop() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return stop || (asked && !done); });
    if (stop) break;
    const base::TimeNs now = *asked;
    const bool is_last = last;
    lock.unlock();
    Round round = read(now, is_last);
    lock.lock();
    done = std::move(round);
    asked.reset();
    changed.notify_all();
  }
  inner.reset();
  ended = true;
  changed.notify_all();
}

OffThreadSource::OffThreadSource(std::unique_ptr<run::Source> inner, OffThreadOptions options)
    : name_(inner->name()),
      options_(std::move(options)),
      shared_(std::make_shared<Shared>(std::move(inner), options_.cpu)) {}

OffThreadSource::~OffThreadSource() {
  if (!started_) return;
  std::unique_lock lock(shared_->mutex);
  shared_->stop = true;
  shared_->changed.notify_all();
  if (!hangs_) shared_->changed.wait_for(lock, kPatienceAtEnd, [this] { return shared_->ended; });
  const bool ended = shared_->ended;
  lock.unlock();
  if (ended) {
    shared_->thread.join();
    return;
  }
  shared_->thread.detach();
  leave_without_destructors();
}

base::Result<void> OffThreadSource::sample(base::TimeNs now, run::SampleSink& out) {
  auto outcome = collect(out);
  if (!outcome) return outcome;
  const std::unique_lock lock(shared_->mutex);
  if (shared_->asked) {
    told_hang(now);
    return outcome;
  }
  if (!budget_.due()) return outcome;
  if (auto asked = ask(now, false); !asked) return asked;
  return outcome;
}

// Under the mutex, while no round runs.
base::Result<void> OffThreadSource::ask(base::TimeNs now, bool last) {
  if (options_.prepare) options_.prepare();
  if (auto started = start_thread(); !started) return started;
  shared_->asked = now;
  shared_->last = last;
  asked_ns_ = now;
  shared_->changed.notify_all();
  return {};
}

base::Result<void> OffThreadSource::last_sample(base::TimeNs now, run::SampleSink& out) {
  // A program that ended at once: its driver is not opened for its sake.
  if (!first_done_ || hangs_ || !wait_idle(kPatienceAtEnd.count() * base::kMillisecond)) {
    return collect(out);
  }
  if (auto outcome = collect(out); !outcome) return outcome;
  {
    const std::unique_lock lock(shared_->mutex);
    if (auto asked = ask(now, true); !asked) return asked;
  }
  (void)wait_idle(kPatienceAtEnd.count() * base::kMillisecond);
  return collect(out);
}

// A limit on processes (ulimit -u) counts threads, too.
base::Result<void> OffThreadSource::start_thread() {
  if (started_) return {};
  const base::BlockedSignals none_for_it;
  try {
    shared_->thread = std::thread([shared = shared_] { shared->loop(); });
    started_ = true;
    return {};
  } catch (const std::system_error& refused) {
    return base::fail(base::ErrorCode::kUnavailable,
                      "cannot start a thread for it: " + refused.code().message());
  }
}

base::Result<void> OffThreadSource::collect(run::SampleSink& out) {
  std::optional<Round> round;
  {
    const std::unique_lock lock(shared_->mutex);
    round = std::exchange(shared_->done, std::nullopt);
  }
  if (!round) return {};
  first_done_ = true;
  hangs_ = false;
  budget_.spent(asked_ns_, round->cpu_ns);
  for (const auto& sample : round->samples) out.add(sample);
  std::move(round->devices.begin(), round->devices.end(), std::back_inserter(devices_));
  std::move(round->notes.begin(), round->notes.end(), std::back_inserter(notes_));
  if (budget_.take_slowed()) {
    notes_.push_back("the " + name_ +
                     " metrics took more than 0.5 % of a core to read; they are read less often");
  }
  return round->outcome;
}

void OffThreadSource::told_hang(base::TimeNs now) {
  const base::DurationNs deadline = first_done_ ? options_.deadline : options_.first_deadline;
  if (hangs_ || now - asked_ns_ < deadline) return;
  hangs_ = true;
  const std::string doing = options_.doing ? options_.doing() : "";
  notes_.push_back("no " + name_ + " metrics for now: " + (doing.empty() ? "a read" : doing) +
                   " has not returned for " + std::to_string(deadline / base::kSecond) +
                   " s; the program is not affected, and they go on when it returns");
}

std::vector<run::Device> OffThreadSource::take_devices() { return std::exchange(devices_, {}); }

std::vector<std::string> OffThreadSource::take_notes() { return std::exchange(notes_, {}); }

bool OffThreadSource::wait_idle(base::DurationNs patience) {
  std::unique_lock lock(shared_->mutex);
  return shared_->changed.wait_for(lock, std::chrono::nanoseconds(patience),
                                   [this] { return !shared_->asked; });
}

}  // namespace flatout::collect
