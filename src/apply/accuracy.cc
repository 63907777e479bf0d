#include "apply/accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "apply/outside_load.h"

namespace flatout::apply {
namespace {

constexpr std::size_t kMostKnobName = 64;

std::optional<double> ratio_at(const nlohmann::json& in, const char* key) {
  const auto found = in.find(key);
  if (found == in.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<std::pair<double, double>> interval_at(const nlohmann::json& in, const char* key) {
  const auto found = in.find(key);
  const bool pair = found != in.end() && found->is_array() && found->size() == 2 &&
                    (*found)[0].is_number() && (*found)[1].is_number();
  if (!pair) return std::nullopt;
  return std::pair((*found)[0].get<double>(), (*found)[1].get<double>());
}

std::optional<Prediction> prediction_of(const nlohmann::json& row) {
  if (!row.is_object()) return std::nullopt;
  const auto knob = row.find("knob");
  const auto predicted = ratio_at(row, "predicted_speedup");
  const auto measured = ratio_at(row, "speedup");
  if (knob == row.end() || !knob->is_string() || !predicted || !measured) return std::nullopt;
  // A gain that noise hid shows nothing about the prediction.
  const auto seen = interval_at(row, "interval");
  if (seen && too_wide({*measured, seen->first, seen->second})) return std::nullopt;
  Prediction out{.knob = knob->get<std::string>(),
                 .predicted = *predicted,
                 .measured = *measured,
                 .interval = interval_at(row, "predicted_interval")};
  if (out.knob.empty() || out.knob.size() > kMostKnobName) return std::nullopt;
  return out;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

run::AccuracyRow row_of(const std::string& knob, const std::vector<const Prediction*>& of) {
  run::AccuracyRow out;
  out.knob = knob;
  out.predictions = of.size();
  if (of.empty()) return out;
  std::vector<double> errors, signs;
  for (const Prediction* one : of) {
    signs.push_back(one->predicted / one->measured - 1);
    errors.push_back(std::abs(signs.back()));
    if (!one->interval) continue;
    ++out.with_interval;
    out.within += one->measured >= one->interval->first && one->measured <= one->interval->second;
  }
  out.worst_error = std::ranges::max(errors);
  out.median_error = median(std::move(errors));
  out.bias = median(std::move(signs));
  return out;
}

}  // namespace

base::Result<StoredTune> parse_tune(std::string_view json, const std::string& name) {
  if (json.size() > kMostTuneBytes) {
    return base::fail(base::ErrorCode::kTooLarge, name + " is too large for the report of a tune");
  }
  const nlohmann::json document = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  const auto schema = document.is_object() ? document.find("schema") : document.end();
  const auto trials = document.is_object() ? document.find("trials") : document.end();
  if (schema == document.end() || *schema != "flatout.tune/1" || trials == document.end() ||
      !trials->is_array()) {
    return base::fail(base::ErrorCode::kCorrupt, name + " is no report of a tune");
  }
  StoredTune out;
  const auto ended = document.find("ended_ns");
  if (ended != document.end() && ended->is_number_unsigned()) {
    const auto ns = ended->get<std::uint64_t>();
    if (ns <= INT64_MAX) out.ended = static_cast<base::WallNs>(ns);
  }
  for (const nlohmann::json& row : *trials) {
    if (auto prediction = prediction_of(row)) out.predictions.push_back(std::move(*prediction));
  }
  return out;
}

run::Accuracy accuracy_of(std::span<const StoredTune> tunes) {
  run::Accuracy out;
  std::vector<const Prediction*> all;
  std::map<std::string, std::vector<const Prediction*>> by_knob;
  for (const StoredTune& tune : tunes) {
    if (tune.predictions.empty()) continue;
    ++out.tunes;
    if (tune.ended) {
      out.oldest = std::min(out.oldest.value_or(*tune.ended), *tune.ended);
      out.newest = std::max(out.newest.value_or(*tune.ended), *tune.ended);
    }
    for (const Prediction& one : tune.predictions) {
      all.push_back(&one);
      by_knob[one.knob].push_back(&one);
    }
  }
  out.all = row_of("", all);
  for (const auto& [knob, of] : by_knob) out.knobs.push_back(row_of(knob, of));
  std::ranges::sort(out.knobs, [](const run::AccuracyRow& a, const run::AccuracyRow& b) {
    return a.predictions != b.predictions ? a.predictions > b.predictions : a.knob < b.knob;
  });
  return out;
}

}  // namespace flatout::apply
