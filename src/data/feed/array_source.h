// Sets whose samples are arrays of numbers, not pictures: tokens, rows of .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/element_type.h"
#include "data/feed/order.h"
#include "data/feed/sample_maker.h"
#include "data/source/source.h"

namespace flatout::data {

// One array of a batch: its samples' parts, one after the other.
struct ArrayPart {
  const char* name = "";
  ElementType type = ElementType::kInt64;
  std::vector<std::int64_t> shape = {};  // of one sample's part; empty: one number

  std::size_t bytes() const {
    std::size_t out = bytes_of(type);
    for (const std::int64_t axis : shape) out *= static_cast<std::size_t>(axis);
    return out;
  }
};

// A rank's share of an epoch.
struct EpochPlan {
  std::vector<std::int64_t> order;
  // Where batches are not all of the same size: where each ends in `order`, and how many samples
  // all ranks together have drawn of the epoch behind it, those before a resume among them.
  std::vector<std::size_t> ends = {};
  std::vector<std::int64_t> drawn = {};
};

// Never changed once it is there; from any thread.
class ArraySource : public SampleList {
 public:
  // The arrays of a batch, in the order in which they lie in its memory, where its first sample has
  // this number. All samples of such a batch have the same.
  virtual std::vector<ArrayPart> parts(std::int64_t first) const = 0;

  // Bytes of the largest sample, over all its parts.
  virtual std::size_t most_sample_bytes() const = 0;

  // What makes the samples, one for each thread; `set` is this.
  virtual std::unique_ptr<SampleMaker> maker(std::shared_ptr<const ArraySource> set) const = 0;

  // Whether batches are put together by the set, and not by numbers of samples alone.
  virtual bool batches_by_itself() const { return false; }

  // This rank's share of an epoch, behind the `drawn` samples that all ranks had of it.
  virtual EpochPlan plan(std::uint32_t epoch, const OrderOptions& options,
                         std::size_t /*batch_size*/, bool /*drop_last*/, std::int64_t drawn) const {
    return {.order = epoch_order(size(), epoch, options, drawn)};
  }

  std::int64_t label(std::int64_t /*index*/) const override { return 0; }
};

}  // namespace flatout::data
