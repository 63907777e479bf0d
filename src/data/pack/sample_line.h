// Samples made by several threads and taken in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "data/pack/sample_packer.h"

namespace flatout::data {

// start() and take() by one thread; ends its threads when it is destroyed, which takes no longer
// than a sample. No more than kAhead samples a thread are in memory.
class SampleLine {
 public:
  static constexpr std::size_t kAhead = 4;

  struct Made {
    base::Result<PackedSample> sample;
    std::uint64_t checksum = 0;  // of its bytes
  };

  // Of samples [first, source.size()). `source` must outlive it.
  SampleLine(const Source& source, const SampleForm& form, std::int64_t first);
  ~SampleLine();
  SampleLine(const SampleLine&) = delete;
  SampleLine& operator=(const SampleLine&) = delete;

  // kUnavailable where no thread can be started; fewer than asked for are no error.
  base::Result<void> start(int threads);

  // The sample behind the one that was taken last; waits for it. Not beyond the last one.
  Made take();

 private:
  void work();
  bool claim(std::int64_t& index);
  Made make(SamplePacker& packer, std::int64_t index) const;

  const Source& source_;
  const SampleForm form_;
  std::mutex mutex_;
  std::condition_variable room_;  // a sample was taken
  std::condition_variable made_;  // the next one is there
  std::int64_t claimed_;
  std::int64_t taken_;
  bool closing_ = false;
  std::vector<std::optional<Made>> window_;  // sample i in place i modulo its size
  std::vector<std::thread> threads_;
};

}  // namespace flatout::data
