// Threads that make batches, several at a time, and hand them over in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "data/batch/page_pin.h"
#include "data/feed/idle_account.h"
#include "data/feed/sample_maker.h"
#include "data/feed/thread_times.h"

namespace flatout::data {

// A sample that could not be made.
struct BadSample {
  std::size_t place = 0;  // in the batch as it was asked for
  std::int64_t index = 0;
  base::Error error;
};

// One batch. The memory is given back when the last copy of `memory` goes.
struct Batch {
  std::shared_ptr<std::byte> memory;
  std::vector<std::int64_t> indices;  // as they were asked for
  std::uint32_t epoch = 0;
  std::vector<std::uint32_t> repeats;  // how often each was drawn before; empty = never
  std::vector<BadSample> bad;          // by place; their places in the memory mean nothing
  base::DurationNs making = 0;         // from its first sample begun to its last one made
};

struct EngineOptions {
  int threads = 1;               // 1 to kMaxThreads
  std::size_t sample_bytes = 0;  // of one sample in a batch
  std::size_t batch_size = 1;    // samples, at most
  std::size_t ahead = 2;         // batches whose memory is kept for the next ones
  std::size_t extra_bytes = 0;   // of a batch, beyond those of its samples
  std::size_t claim = 1;  // samples of a batch that a thread takes at a time, where they are small
  // Called with each batch whose samples are all good, by the thread that made the last of them,
  // before the batch is handed over. If it throws, the batch's first sample is a bad one.
  std::function<void(const Batch&)> finish = {};
  // Where batches go to a device: what pins their memory, and how many of them the device may still
  // be reading, whose memory is kept likewise.
  std::shared_ptr<PagePin> pin = nullptr;
  std::size_t in_flight = 0;
};

struct EngineStats {
  int threads = 0;
  std::uint64_t samples = 0;  // made, the bad ones among them
  std::uint64_t bad_samples = 0;
  std::uint64_t batches = 0;           // handed over
  StageTimes busy;                     // over all threads
  double busy_squares_s2 = 0;          // seconds of each sample, squared, summed
  ThreadTimes thread_times;            // of all threads, idle or not
  IdleTimes thread_idle;               // threads waiting for something to make
  base::DurationNs consumer_wait = 0;  // next() waiting for a batch
};

// The number that stands for the epoch where a sample is made for the `repeat`th time again: the
// epoch's own for 0. Multiples of 2^32 over the golden ratio lie far apart (Knuth, "The art of
// computer programming", volume 3, 6.4), and so far from the numbers of the next epochs.
constexpr std::uint32_t epoch_of_repeat(std::uint32_t epoch, std::uint32_t repeat) {
  return epoch + repeat * 0x9E3779B9U;
}

// submit() and next() are called by one thread at a time, the rest by any. Ends its threads when it
// is destroyed, which takes no longer than a sample. After fork() the child has no such threads:
// its calls give an error.
class Engine {
 public:
  static constexpr int kMaxThreads = 1024;

  // Error where the options are out of bounds or no thread can be started.
  static base::Result<Engine> start(const EngineOptions& options, MakeMaker make_maker);

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // Puts a batch behind those that are being made. At most options.batch_size indices. Takes its
  // memory now. A sample that is drawn again in an epoch has to be augmented anew: `repeats`, empty
  // or of each index, reports how often it was drawn before (epoch_of_repeat).
  base::Result<void> submit(std::vector<std::int64_t> indices, std::uint32_t epoch,
                            std::vector<std::uint32_t> repeats = {});

  // Batches that were submitted and not handed over yet.
  std::size_t pending() const;

  // Error in a child of fork().
  base::Result<void> here() const;

  // The oldest pending batch; waits until it is made. Error where none is pending.
  base::Result<Batch> next();

  // From now on next() and wait() do not wait, also where a thread does so already: next() gives an
  // error where its batch is not made. For who is about to destroy the engine.
  void interrupt();

  // Waits until the oldest pending batch is made, for at most so long; whether it is, or none is
  // pending. next() then does not wait.
  bool wait(base::DurationNs at_most);

  // Forgets all pending batches. What a thread has begun it finishes, for nobody.
  void clear();

  // From now on so many threads make samples, 1 to kMaxThreads; those above go to sleep. Never
  // changes what is made.
  base::Result<void> set_threads(int threads);

  // How many batches' memory is kept for the next ones from now on.
  void set_ahead(std::size_t ahead);

  EngineStats stats() const;

 private:
  struct ThreadPool;
  explicit Engine(std::unique_ptr<ThreadPool> thread_pool);
  void close();
  std::unique_ptr<ThreadPool> thread_pool_;
};

}  // namespace flatout::data
