// One event of TensorBoard's: what of it is kept. Field numbers: tensorflow/core/util/event.proto,
// framework/summary.proto, framework/tensor.proto, tensorboard/plugins/hparams/plugin_data.proto.
// Pure; any thread. Views are of the record's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trackers/json_text.h"

namespace flatout::trackers::tensorboard {

struct Histogram {
  std::vector<double> limits;  // upper ends of the buckets
  std::vector<double> counts;
};

struct SummaryValue {
  std::string_view tag;
  std::optional<double> number;
  std::vector<std::string_view> texts;  // of a tensor of strings
  std::string_view image;               // an encoded picture, PNG as a rule
  std::optional<Histogram> histogram;
  std::string_view plugin;       // "scalars", "text", "hparams", "images", ""
  std::string_view plugin_data;  // of the plugin's own
  bool known() const {
    return number || !texts.empty() || !image.empty() || histogram || plugin == "hparams";
  }
};

struct Event {
  double wall_s = 0;  // since 1970
  std::int64_t step = 0;
  std::string_view version;  // of the file, in its first event
  std::vector<SummaryValue> values;
};

// Absent where the bytes are no event.
std::optional<Event> event_of(std::string_view record);

// The parameters in the plugin data of "_hparams_/session_start_info"; absent of others.
std::optional<Json> hparams_of(std::string_view plugin_data);

}  // namespace flatout::trackers::tensorboard
