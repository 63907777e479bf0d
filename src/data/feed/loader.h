// Epochs of batches, in order, from an order of samples and a way to make each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "data/feed/engine.h"
#include "data/tune/tuner.h"

namespace flatout::data {

enum class OnBadSample {
  kRaise,  // the batch is an error, which names the sample; the next call continues after it
  // The batch is smaller; the samples are counted. What is no fault of theirs (kUnavailable: no
  // more files may be open, no memory) is an error all the same: which samples come must not hang
  // on the machine.
  kSkip,
  kMark,  // the batch is handed over as it was asked for, and says which of its samples are bad
};

struct LoaderOptions {
  std::size_t batch_size = 1;
  bool drop_last = false;  // an epoch's last batch where it is smaller
  std::size_t ahead = 2;   // batches that are made before they are asked for, at least 1
  OnBadSample on_bad = OnBadSample::kRaise;
  // Absent: threads and `ahead` stay as they are.
  std::optional<tune::Bounds> tuning = std::nullopt;
  // Bytes of a sample in each of the arrays that a batch consists of, one array behind the other,
  // where its first sample has this number. Absent: one array.
  std::function<std::vector<std::size_t>(std::int64_t)> part_bytes = {};
};

// One thread at a time. A sample that an epoch draws twice is augmented twice.
class Loader {
 public:
  // `engine` makes batches of at least options.batch_size samples of `sample_bytes`.
  Loader(Engine engine, std::size_t sample_bytes, const LoaderOptions& options);

  // Begins an epoch, forgetting what is left of the one before. Its first batches are begun at
  // once. `ends`: of its batches in the order, rising to its size, where they are not all of
  // options.batch_size; then drop_last is the caller's.
  base::Result<void> begin(std::uint32_t epoch, std::vector<std::int64_t> order,
                           std::vector<std::size_t> ends = {});

  // Puts one more batch behind the epoch's order, whatever drop_last says, and begins it at once:
  // its memory is taken now, so who appends bounds how many are ahead. kInvalid where it is empty,
  // larger than a batch, or where batches of the order are not begun yet.
  base::Result<void> append(std::vector<std::int64_t> indices);

  // As if this epoch had drawn these before: where it is resumed, a sample that comes again is
  // augmented as for the second time.
  void count_as_drawn(const std::vector<std::int64_t>& indices);

  // The next batch; none at the end of the epoch. With kSkip, a batch whose samples are all bad is
  // left out.
  base::Result<std::optional<Batch>> next();

  // Whether next() has a batch at hand, or an error in place of one: it does not wait, unless all
  // samples of that batch are left out.
  bool ready();

  // Samples of the order whose batches were handed over, or skipped: where a resumed epoch goes on.
  std::size_t position() const { return handed_over_; }
  std::uint64_t skipped() const { return skipped_; }
  Engine& engine() { return engine_; }

  // So many threads from now on, untuned; 0: tuned again where tuning was asked for. Error where
  // the engine has it, or where there is no tuning to go back to.
  base::Result<void> set_threads(int threads);

  std::size_t ahead() const;  // now
  const tune::Tuner* tuner() const { return tuner_ ? &*tuner_ : nullptr; }
  base::TimeNs opened() const { return opened_; }

 private:
  base::Result<Batch> next_batch();
  void tune(base::TimeNs now, std::optional<base::TimeNs> waiting_since);
  base::Result<void> submit_ahead();
  base::Result<void> submit(std::vector<std::int64_t> indices);
  std::uint32_t draw(std::int64_t index);
  void close_gaps(Batch& batch) const;

  Engine engine_;
  std::size_t sample_bytes_;
  LoaderOptions options_;
  base::TimeNs opened_;
  std::optional<tune::Tuner> tuner_;
  std::uint32_t epoch_ = 0;
  bool asked_ = false;  // for a batch of this epoch
  std::vector<std::int64_t> order_;
  std::vector<std::size_t> ends_;  // of batches in order_; empty: each batch_size
  std::size_t begun_ = 0;          // batches of ends_
  std::size_t submitted_ = 0;      // samples of order_
  std::size_t handed_over_ = 0;    // likewise
  std::uint64_t skipped_ = 0;
  std::vector<std::uint32_t> drawn_;  // how often, in this epoch, by index; as long as it had to be
};

}  // namespace flatout::data
