#include "trial/data_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace flatout::trial {
namespace {

constexpr double kMostBytes = 1e18;

// Those of the steps, and those that workers had fetched ahead when the trial ended.
double samples_read(const analyse::Analysis& analysis) {
  double samples = 0;
  for (const auto& step : analysis.cut.steps) samples += step.samples.value_or(0);
  const run::LoaderFact& fact = *analysis.loader;
  const double ahead = fact.num_workers.value_or(0) * fact.prefetch_factor.value_or(2);
  return samples + ahead * fact.batch_size.value_or(0);
}

std::string shown(const auto& count) { return count ? std::to_string(*count) : "-"; }

template <typename Count>
bool take(std::istringstream& words, std::optional<Count>& count) {
  std::string word;
  if (!(words >> word)) return false;
  if (word == "-") return true;
  Count value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return false;
  count = value;
  return true;
}

}  // namespace

std::optional<std::uint64_t> set_bytes(const TrialReads& reads, const analyse::Analysis& analysis) {
  if (reads.paths.empty()) return std::nullopt;
  if (!analysis.loader || !analysis.loader->dataset_len) return reads.bytes;
  const double samples = samples_read(analysis);
  const auto files = static_cast<double>(reads.paths.size());
  const double whole = *analysis.loader->dataset_len;
  if (!(samples >= 1) || !(whole > samples) || 2 * files < samples) return reads.bytes;
  const double bytes = static_cast<double>(reads.bytes) * whole / samples;
  return static_cast<std::uint64_t>(std::min(bytes, kMostBytes));
}

std::string data_files_text(const apply::DataFiles& files) {
  return std::string(files.cold ? "cold " : "warm ") + std::to_string(files.files) + " " +
         shown(files.set_bytes) + " " + shown(files.room_bytes);
}

std::optional<apply::DataFiles> parse_data_files(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string state;
  apply::DataFiles out;
  std::optional<std::uint64_t> files;
  if (!(words >> state) || (state != "cold" && state != "warm")) return std::nullopt;
  if (!take(words, files) || !files) return std::nullopt;
  if (!take(words, out.set_bytes) || !take(words, out.room_bytes)) return std::nullopt;
  if (std::string more; words >> more) return std::nullopt;
  out.cold = state == "cold";
  out.files = *files;
  return out;
}

void take_files(std::string_view said, apply::TrialResult& trial, FileCache& cache) {
  trial.data_files = parse_data_files(said);
  if (cache != FileCache::kAuto || !trial.data_files) return;
  cache = trial.data_files->cold ? FileCache::kCold : FileCache::kWarm;
}

}  // namespace flatout::trial
