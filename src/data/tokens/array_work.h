// What a thread makes its samples with: memory to read into, a clock, and numbers where they lie in
// memory already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/feed/stage_clock.h"
#include "data/feed/thread_times.h"
#include "data/source/source.h"
#include "data/tokens/array_file.h"
#include "data/tokens/token_stream.h"

namespace flatout::data {

// Belongs to one thread. Files are read through maps where that is safe and they are in memory;
// end_claim() then reports whether what was read was theirs.
class ArrayWork {
 public:
  // A sample begins. Of those that are made at a time only the first one is looked at by stage, and
  // divides the time of all: a reading of the clock waits for what the memory still has to bring,
  // which is as long as a third of a short sample.
  void begin() {
    looks_ = begun_ == 0;
    if (!looks_) return;
    begun_ = now();
    clock_.begin();
  }

  // The time since the sample began, or since the last into(), was this stage's.
  void into(Stage stage) {
    if (looks_) clock_.into(stage, first_);
  }

  // `count` numbers from `first` on, as they lie in the file. Until the next call.
  base::Result<const std::byte*> take(const ArrayFile& file, std::int64_t first, std::size_t count);
  base::Result<const std::byte*> take(const TokenStream& stream, std::int64_t first,
                                      std::size_t count);

  // The same, into `out`.
  base::Result<void> copy(const ArrayFile& file, std::int64_t first, std::span<std::byte> out);
  base::Result<void> copy(const TokenStream& stream, std::int64_t first, std::span<std::byte> out);

  // Has the beginning of these numbers come nearer, where that takes no call of the kernel.
  void fetch(const ArrayFile& file, std::int64_t first, std::int64_t count) const;
  void fetch(const TokenStream& stream, std::int64_t first, std::int64_t count) const;

  void begin_claim();
  bool end_claim(StageTimes& times);

 private:
  const std::byte* mapped(const ArrayFile& file, std::int64_t first);
  bool may_use_maps();

  ReadBuffer buffer_;
  StageClock clock_;
  StageTimes first_;        // of the claim's first sample
  base::TimeNs begun_ = 0;  // of the claim; 0: it has no sample yet
  bool looks_ = false;      // at the sample that is being made
  bool uses_maps_ = false;
  std::vector<const ArrayFile*> touched_;  // through maps, in this claim
  int claims_to_look_ = 0;        // until page faults are counted, and the handler is looked for
  std::int64_t disk_faults_ = 0;  // counted then
};

}  // namespace flatout::data
