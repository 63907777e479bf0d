// Predicted against measured, from the stored reports of tunes. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "run/accuracy.h"

namespace flatout::apply {

// One value of one knob that was predicted and measured.
struct Prediction {
  std::string knob;
  double predicted = 1;                               // ratio, above 0
  double measured = 1;                                // likewise
  std::optional<std::pair<double, double>> interval;  // of predicted, 95 %
};

struct StoredTune {
  std::optional<base::WallNs> ended;
  std::vector<Prediction> predictions;
};

constexpr std::size_t kMostTuneBytes = 4U << 20;

// A flatout.tune/1 document. Rows without both figures are left out, and so are
// figures that are not above 0. kCorrupt: it is no such document; kTooLarge.
base::Result<StoredTune> parse_tune(std::string_view json, const std::string& name);

run::Accuracy accuracy_of(std::span<const StoredTune> tunes);

}  // namespace flatout::apply
