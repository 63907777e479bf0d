// What a run of another tracker holds, as its reader hands it over. Times are nanoseconds since
// 1970 (wall clock of the machine that logged).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::trackers {

// Who it was. Texts are as they were logged and may hold anything; "" = not said.
struct ImportedHead {
  std::string source;  // "tensorboard", "wandb", "mlflow", "neptune"
  std::string id;      // the same each time that these files are read
  std::string name;
  std::string project;
  std::string entity;
  std::string group;
  std::string job_type;
  std::string notes;
  std::vector<std::string> tags;
  std::string host;
  std::string command;  // the program that logged, as far as it is known
  std::int64_t started_wall_ns = 0;
};

struct ImportedValue {
  std::int64_t wall_ns = 0;
  double value = 0;  // may be infinite or NaN
  std::optional<std::int64_t> step;
  std::string name;
};

enum class ImportedEnd : std::uint8_t { kNotSaid, kFinished, kFailed, kKilled };

// One run. begin() comes first, end() last, each once. An error ends the reading and is its result.
class ImportSink {
 public:
  virtual ~ImportSink() = default;
  virtual base::Result<void> begin(const ImportedHead& head) = 0;
  virtual base::Result<void> values(std::span<const ImportedValue> values) = 0;
  // `key` is one of "track_config", "track_summary", "track_metric", "track_row", "track_alert";
  // `json` an object with the fact's fields but for "track".
  virtual base::Result<void> fact(std::string_view key, std::string json, std::int64_t wall_ns) = 0;
  // Keeps a file's bytes; its name, for a fact.
  virtual base::Result<std::string> file(std::string_view bytes, std::string_view extension) = 0;
  // exit_code where the tracker kept one; wall_ns = 0: not known.
  virtual base::Result<void> end(ImportedEnd how, std::optional<int> exit_code,
                                 std::int64_t wall_ns) = 0;
  // What could not be taken, one line.
  virtual void note(std::string line) = 0;
};

// Gathers values so that the sink is not called for each.
class ValueBatch {
 public:
  explicit ValueBatch(ImportSink& sink) : sink_(sink) {}
  base::Result<void> add(ImportedValue value) {
    values_.push_back(std::move(value));
    return values_.size() < kMany ? base::Result<void>{} : flush();
  }
  base::Result<void> flush() {
    if (values_.empty()) return {};
    auto done = sink_.values(values_);
    values_.clear();
    return done;
  }

 private:
  static constexpr std::size_t kMany = 4096;
  ImportSink& sink_;
  std::vector<ImportedValue> values_;
};

}  // namespace flatout::trackers
