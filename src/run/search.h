// What one `flatout search` did: its points, what each measured, and how the best
// one did against the program as it is. One struct; text and JSON are views of it.
// An absent field is one that could not be measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "run/predictor.h"

namespace flatout::run {

// One value of one dimension.
struct SearchSetting {
  enum class Kind : std::uint8_t { kArgument, kEnvironment, kKnob };
  Kind kind = Kind::kArgument;
  std::string name;   // "--lr", "OMP_NUM_THREADS", "dataloader.num_workers"
  std::string value;  // a JSON literal
  friend bool operator==(const SearchSetting&, const SearchSetting&) = default;
};

// A value as a command line or a variable holds it: texts without their quotes.
std::string plain_text(const std::string& json);

// "--lr=0.01 OMP_NUM_THREADS=2 num_workers=4", for people.
std::string point_text(const std::vector<SearchSetting>& settings);

struct SearchObjective {
  enum class Kind : std::uint8_t { kSamplesPerSecond, kDeviceBusy, kLogged };
  Kind kind = Kind::kSamplesPerSecond;
  std::string logged;    // name of the value that the program logs
  bool maximise = true;  // else the least is the best
};
// "samples_per_s", "device_busy", "log:NAME".
std::string objective_name(const SearchObjective& objective);

// One run of one point.
struct SearchResult {
  int rung = 0;  // from 0
  std::int64_t steps = 0;
  std::optional<double> value;
  std::string failure;  // why there is no value, one clause
  std::string run;      // id, "" = none was recorded
  double seconds = 0;
};

struct SearchPointReport {
  int number = 0;  // from 1, in the order in which they were drawn
  std::vector<SearchSetting> settings;
  std::vector<SearchResult> results;  // rung by rung
};

struct SearchDifference {
  double mean = 0, lo = 0, hi = 0;  // 95 %
};

// The best point against the program as it is, in runs made for it, in turns.
struct SearchFinal {
  int number = 0;
  std::int64_t steps = 0;
  std::vector<double> values, baseline_values;
  std::optional<Speedup> speedup;              // of samples_per_s
  std::optional<SearchDifference> difference;  // of any other objective: best less baseline
  bool confirmed = false;                      // the interval lies on the better side as a whole
  std::string failure;                         // why it could not be said, "" = it could
  std::vector<std::string> runs;
};

struct SearchReport {
  std::string id;  // "k7f2": the first run, of the program as it is; the others are its children
  SearchObjective objective;
  std::vector<std::int64_t> steps;  // of each rung
  int reduction = 3;
  std::uint64_t seed = 0;
  int slots = 1;
  std::string launcher;  // "local", "slurm"
  SearchResult baseline;
  std::vector<SearchPointReport> points;
  std::optional<SearchFinal> final;  // absent where no point has a value, or there was no time
  bool interrupted = false;
  bool out_of_time = false;  // the budget ended it
  double seconds = 0;
  std::vector<std::string> notes;
};

// The best point by the highest rung that any reached; null where none has a value.
const SearchPointReport* best_point(const SearchReport& search);
// Points with a value: highest rung first, then by value, then by number.
std::vector<const SearchPointReport*> ranked_points(const SearchReport& search);
// The result of the highest rung that has a value; null where there is none.
const SearchResult* last_value(const SearchPointReport& point);

}  // namespace flatout::run
