// How far predictions were from what trials measured, over many tunes. One struct;
// text and JSON are views of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace flatout::run {

// Of the predictions of one knob, or of all.
struct AccuracyRow {
  std::string knob;  // "" = all
  std::size_t predictions = 0;
  // Where there are predictions; errors are |predicted / measured - 1|.
  double median_error = 0;
  double worst_error = 0;
  double bias = 0;         // median of predicted / measured - 1: above 0, too much is promised
  std::size_t within = 0;  // measured ratios inside the predicted interval,
  std::size_t with_interval = 0;  // of so many that have one
};

struct Accuracy {
  std::size_t tunes = 0;  // with at least one prediction that was measured
  AccuracyRow all;
  std::vector<AccuracyRow> knobs;              // most predictions first
  std::optional<base::WallNs> oldest, newest;  // when these tunes ended
  std::vector<std::string> problems;           // a line for each stored tune that cannot be read
};

}  // namespace flatout::run
