#include "app/stored_story.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/file.h"
#include "store/run_family.h"

namespace flatout::app {
namespace {

using Story = nlohmann::json;

constexpr std::size_t kMostStoryBytes = 16U << 20;
constexpr int kMostNested = 32;

[[noreturn]] void refuse(const char* key, const char* is_no) {
  throw std::invalid_argument(std::string(key) + " is no " + is_no);
}

// Nothing is converted: a number that does not fit its field would be another number.
void decode(const Story& value, const char* key, bool& to) {
  if (!value.is_boolean()) refuse(key, "boolean");
  to = value.get<bool>();
}
void decode(const Story& value, const char* key, std::string& to) {
  if (!value.is_string()) refuse(key, "text");
  to = value.get_ref<const std::string&>();
}
void decode(const Story& value, const char* key, double& to) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) refuse(key, "finite number");
  to = value.get<double>();
}
// All whole numbers here are counts.
template <typename T>
  requires std::is_integral_v<T>
void decode(const Story& value, const char* key, T& to) {
  if (!value.is_number_unsigned() || !std::in_range<T>(value.get<std::uint64_t>())) {
    refuse(key, "count");
  }
  to = static_cast<T>(value.get<std::uint64_t>());
}
template <typename T>
void decode(const Story& value, const char* key, std::vector<T>& to) {
  if (!value.is_array()) refuse(key, "list");
  to.clear();
  for (const Story& one : value) decode(one, key, to.emplace_back());
}
template <typename T>
void decode(const Story& value, const char* key, std::optional<T>& to) {
  decode(value, key, to.emplace());
}

// The value of `key` where it is there; what is of another type throws.
template <typename T>
void take(const Story& from, const char* key, T& to) {
  if (const auto found = from.find(key); found != from.end()) decode(*found, key, to);
}

// [LO, HI]
std::pair<double, double> interval_of(const Story& from, const char* key) {
  std::vector<double> ends;
  take(from, key, ends);
  if (ends.size() != 2) refuse(key, "interval");
  return {ends[0], ends[1]};
}

const Story& rows(const Story& from, const char* key) {
  const Story& out = from.at(key);
  const auto row = [](const Story& one) { return one.is_object(); };
  if (!out.is_array() || !std::ranges::all_of(out, row)) {
    throw std::invalid_argument(std::string(key) + " is no list of objects");
  }
  return out;
}

const Story& table(const Story& from, const char* key) {
  const Story& out = from.at(key);
  if (!out.is_object()) throw std::invalid_argument(std::string(key) + " is no object");
  return out;
}

std::string literal(const Story& from, const char* key) {
  const auto found = from.find(key);
  return found == from.end() ? "" : found->dump();
}

std::optional<run::Speedup> speedup(const Story& from, const char* ratio, const char* interval) {
  if (!from.contains(ratio) || !from.contains(interval)) return std::nullopt;
  const auto [lo, hi] = interval_of(from, interval);
  run::Speedup out{.ratio = 1, .lo = lo, .hi = hi};
  take(from, ratio, out.ratio);
  return out;
}

std::string text_at(const Story& from, const char* key) {
  std::string out;
  decode(from.at(key), key, out);
  return out;
}

run::LossGate loss_gate(const Story& from) {
  const std::string name = text_at(from, "loss_gate");
  for (const auto gate : {run::LossGate::kNotNeeded, run::LossGate::kPassed, run::LossGate::kFailed,
                          run::LossGate::kInconclusive}) {
    if (run::loss_gate_name(gate) == name) return gate;
  }
  throw std::invalid_argument("loss_gate " + name);
}

run::TuneBaseline tune_baseline(const Story& from) {
  run::TuneBaseline out;
  take(from, "samples_per_s", out.samples_per_s);
  take(from, "device_busy", out.device_busy);
  take(from, "runs", out.runs);
  take(from, "noise", out.noise);
  if (from.contains("interval")) std::tie(out.lo, out.hi) = interval_of(from, "interval");
  return out;
}

run::TuneTrial tune_trial(const Story& from) {
  run::TuneTrial out;
  take(from, "knob", out.knob);
  out.from = literal(from, "from");
  out.to = literal(from, "to");
  out.predicted = speedup(from, "predicted_speedup", "predicted_interval");
  out.speedup = speedup(from, "speedup", "interval");
  take(from, "samples_per_s", out.samples_per_s);
  if (from.contains("loss_gate")) out.loss_gate = loss_gate(from);
  take(from, "kept", out.kept);
  take(from, "reason", out.reason);
  take(from, "runs", out.runs);
  take(from, "block_pairs", out.block_pairs);
  take(from, "unproved", out.unproved);
  take(from, "proof_s", out.proof_s);
  return out;
}

std::vector<run::PlanEntry> entries(const Story& settings) {
  std::vector<run::PlanEntry> out;
  for (const auto& [knob, value] : settings.items()) {
    run::PlanEntry entry;
    entry.setting.knob = knob;
    entry.setting.value = value.dump();
    out.push_back(std::move(entry));
  }
  return out;
}

run::TuneFinal tune_final(const Story& from) {
  run::TuneFinal out;
  take(from, "samples_per_s", out.samples_per_s);
  out.speedup = speedup(from, "speedup", "interval");
  take(from, "device_busy", out.device_busy);
  if (from.contains("loss_gate")) out.loss_gate = loss_gate(from);
  take(from, "confirmed", out.confirmed);
  take(from, "too_noisy", out.too_noisy);
  take(from, "out_of_time", out.out_of_time);
  take(from, "runs", out.runs);
  take(from, "block_pairs", out.block_pairs);
  return out;
}

run::TuneFileCache file_cache(const Story& from) {
  run::TuneFileCache out;
  std::string state;
  take(from, "state", state);
  out.cold = state == "cold";
  take(from, "files", out.files);
  take(from, "set_bytes", out.set_bytes);
  take(from, "room_bytes", out.room_bytes);
  return out;
}

StoredTuneReport tune_of(const Story& from) {
  StoredTuneReport out;
  run::TuneReport& tuned = out.tuned;
  take(from, "id", tuned.id);
  take(from, "steps", tuned.steps);
  tuned.baseline = tune_baseline(table(from, "baseline"));
  for (const Story& trial : rows(from, "trials")) tuned.trials.push_back(tune_trial(trial));
  for (const Story& trial : rows(from, "skipped")) tuned.skipped.push_back(tune_trial(trial));
  if (from.contains("final")) tuned.final = tune_final(table(from, "final"));
  take(from, "prediction_error_median", tuned.prediction_error_median);
  take(from, "seconds", tuned.seconds);
  take(from, "ended_ns", tuned.ended_ns);
  take(from, "interrupted", tuned.interrupted);
  take(from, "budget_ended", tuned.budget_ended);
  take(from, "notes", tuned.notes);
  take(from, "wrote_outside", tuned.wrote_outside);
  take(from, "plan", out.plan_file);
  if (from.contains("file_cache")) tuned.file_cache = file_cache(table(from, "file_cache"));
  tuned.plan.entries = entries(table(from, "knobs"));
  if (from.contains("unproved")) tuned.plan.unproved = entries(table(from, "unproved"));
  return out;
}

run::SearchResult search_result(const Story& from) {
  run::SearchResult out;
  take(from, "rung", out.rung);
  take(from, "steps", out.steps);
  take(from, "value", out.value);
  take(from, "failure", out.failure);
  take(from, "run", out.run);
  take(from, "seconds", out.seconds);
  return out;
}

run::SearchPointReport search_point(const Story& from) {
  using Kind = run::SearchSetting::Kind;
  run::SearchPointReport out;
  take(from, "number", out.number);
  const std::pair<const char*, Kind> kinds[] = {
      {"arguments", Kind::kArgument}, {"environment", Kind::kEnvironment}, {"knobs", Kind::kKnob}};
  for (const auto& [key, kind] : kinds) {
    for (const auto& [name, value] : table(from, key).items()) {
      out.settings.push_back({.kind = kind, .name = name, .value = value.dump()});
    }
  }
  for (const Story& result : rows(from, "results")) out.results.push_back(search_result(result));
  return out;
}

run::SearchFinal search_final(const Story& from) {
  run::SearchFinal out;
  take(from, "number", out.number);
  take(from, "steps", out.steps);
  take(from, "values", out.values);
  take(from, "baseline_values", out.baseline_values);
  out.speedup = speedup(from, "speedup", "interval");
  if (from.contains("difference")) {
    const auto [lo, hi] = interval_of(from, "interval");
    out.difference = {.mean = 0, .lo = lo, .hi = hi};
    take(from, "difference", out.difference->mean);
  }
  take(from, "confirmed", out.confirmed);
  take(from, "failure", out.failure);
  take(from, "runs", out.runs);
  return out;
}

run::SearchObjective objective(const std::string& name, bool maximise) {
  using Kind = run::SearchObjective::Kind;
  run::SearchObjective out;
  out.maximise = maximise;
  out.kind = name == "device_busy"      ? Kind::kDeviceBusy
             : name.starts_with("log:") ? Kind::kLogged
                                        : Kind::kSamplesPerSecond;
  if (out.kind == Kind::kLogged) out.logged = name.substr(4);
  return out;
}

StoredSearchReport search_of(const Story& from) {
  StoredSearchReport out;
  run::SearchReport& found = out.found;
  take(from, "id", found.id);
  found.objective = objective(text_at(from, "objective"), text_at(from, "direction") == "max");
  take(from, "steps", found.steps);
  take(from, "reduction", found.reduction);
  take(from, "seed", found.seed);
  take(from, "slots", found.slots);
  take(from, "launcher", found.launcher);
  found.baseline = search_result(table(from, "baseline"));
  for (const Story& point : rows(from, "points")) found.points.push_back(search_point(point));
  if (from.contains("final")) found.final = search_final(table(from, "final"));
  take(from, "interrupted", found.interrupted);
  take(from, "out_of_time", found.out_of_time);
  take(from, "seconds", found.seconds);
  take(from, "notes", found.notes);
  take(from, "command", out.command);
  return out;
}

// Absent where it is no JSON or nests deeper than any document of ours: dump() recurses into it.
std::optional<Story> parse_shallow(std::string_view text) {
  const auto shallow = [](int depth, Story::parse_event_t, Story&) {
    if (depth > kMostNested) throw std::length_error("it nests without end");
    return true;
  };
  try {
    return Story::parse(text, shallow);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

template <typename Out>
base::Result<Out> parse(std::string_view text, const std::string& name, std::string_view schema,
                        Out (*decode)(const Story&)) {
  const auto refused = [&](const std::string& why) {
    return base::fail(base::ErrorCode::kCorrupt,
                      name + " is no " + std::string(schema) + " document: " + why);
  };
  const std::optional<Story> document = parse_shallow(text);
  const bool named = document && document->is_object() && document->contains("schema");
  if (!named || document->at("schema") != schema) return refused("it does not say that it is one");
  try {
    return decode(*document);
  } catch (const std::exception& problem) {
    return refused(problem.what());
  }
}

}  // namespace

base::Result<StoredTuneReport> parse_tune_report(std::string_view text, const std::string& name) {
  return parse<StoredTuneReport>(text, name, "flatout.tune/1", tune_of);
}

base::Result<StoredSearchReport> parse_search_report(std::string_view text,
                                                     const std::string& name) {
  return parse<StoredSearchReport>(text, name, "flatout.search/1", search_of);
}

base::Result<StoredTuneReport> read_tune_report(const std::filesystem::path& folder) {
  const auto file = folder / store::kTuneReportName;
  const auto text = base::read_file(file, kMostStoryBytes);
  if (!text) return std::unexpected(text.error());
  return parse_tune_report(*text, file.string());
}

base::Result<StoredSearchReport> read_search_report(const std::filesystem::path& folder) {
  const auto file = folder / store::kSearchReportName;
  const auto text = base::read_file(file, kMostStoryBytes);
  if (!text) return std::unexpected(text.error());
  return parse_search_report(*text, file.string());
}

}  // namespace flatout::app
