// Crop, resize and flip in one go, row by row: Pillow's resampling for 8-bit pixels, to the last
// bit. No intermediate picture: only as many rows as one row of the result needs are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/pixels.h"
#include "data/transform/kernels/aligned_memory.h"
#include "data/transform/kernels/kernels.h"
#include "data/transform/resample/axis.h"
#include "data/transform/resample/column_plan.h"
#include "data/transform/resample/line_plan.h"
#include "data/transform/resample/pass_order.h"

namespace flatout::data::transform {

// One thread. Keeps its memory from picture to picture. Memory is in proportion to the result's
// width times the rows that one of its rows needs, to the taps, and to a row of the source.
class Resampler {
 public:
  explicit Resampler(const Kernels& kernels);

  // Gets ready for pixels that are just what the axes need: x.source().count columns,
  // y.source().count rows. They stay as they are until the last row was given.
  void begin(const Axis& x, const Axis& y, PassOrder order, const PixelView& pixels);

  int width() const { return line_.line().width; }
  int height() const { return rows_.height(); }
  // For each turn in [0, height()), in this order: which row of the result row() gives next.
  int next_index(int turn) const { return rows_.in_order(turn); }
  // That row, planar, `plane()` bytes from channel to channel; valid until the next call.
  const std::uint8_t* row(int turn);
  std::ptrdiff_t plane() const { return plane_; }
  std::size_t line_bytes() const {
    return static_cast<std::size_t>(plane_) * static_cast<std::size_t>(channels());
  }

  std::size_t memory_bytes() const;

 private:
  int channels() const { return pixels_.channels; }
  void to_planar(const std::uint8_t* row, std::uint8_t* out);
  // A line of the ring, see ring_.
  std::uint8_t* kept(int source_row);
  void sum_lines(int index, std::uint8_t* out);
  const std::uint8_t* sum_source_rows(int index);

  const Kernels* kernels_;
  std::optional<Axis> x_, y_;  // what line_ and rows_ were built for
  int built_channels_ = 0;
  LinePlan line_;
  ColumnPlan rows_;
  PassOrder order_ = PassOrder::kRowsFirst;
  PixelView pixels_;
  AlignedMemory ring_;    // rows first: planar lines of the result; source row r lies in place r
                          // modulo rows_.most()
  AlignedMemory summed_;  // columns first: one row as wide as the source
  AlignedMemory edges_;   // the same: what is left of rows after whole vectors
  AlignedMemory out_;     // the row that is given out
  std::vector<const std::uint8_t*> window_;
  std::ptrdiff_t plane_ = 0;
  int next_ = 0;  // row of the source that the ring takes next
};

}  // namespace flatout::data::transform
