// Reads run.sqlite, made by anybody: every row is checked and bounded before
// it is used, and what does not fit is left out and counted. One thread.
// Internal to store/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/timeline.h"
#include "store/disk.h"
#include "store/frame_log.h"
#include "store/sealed/packing.h"
#include "store/sealed/point_stats.h"
#include "store/sealed/sqlite.h"

namespace flatout::store {

// One row of `chunk`: a piece of a series, not yet decoded.
struct ChunkHead {
  std::int64_t id = 0;
  run::SeriesKey key;
  std::int64_t t_min = 0;
  std::int64_t t_max = 0;
  PointStats stats;  // without first and last
  std::int64_t times = 0;
  std::size_t times_from = 0;
  std::size_t raw = 0;
};

// Where a record or an event stands: its seq, and in which of the two tables.
struct StatedRow {
  std::int64_t seq = 0;
  bool event = false;
};

// What was left out.
struct SealedDamage {
  std::uint64_t rows = 0;     // that do not fit their checksum or form
  std::uint64_t missing = 0;  // that the totals count and the tables lack
  std::string problem;        // of the database itself, where the reading of a table ended
  bool any() const { return rows != 0 || missing != 0 || !problem.empty(); }
};

class SealedReader {
 public:
  // kNotFound; kInvalid: no run of flatout; kUnavailable: of a later one;
  // kCorrupt. The messages name `name` and the next step.
  static base::Result<SealedReader> open(const std::filesystem::path& path, Disk& disk);
  static base::Result<SealedReader> over(std::unique_ptr<DiskFile> file, std::string name);

  // A value of table `run`; absent when it is not there or damaged.
  std::optional<std::string> value(const char* key);

  // All records, and events of these types, in the order in which they were recorded; type 0 is
  // a note. False from `take` ends it. Damage of other events is not seen.
  using TakeStated =
      std::function<bool(StatedRow row, std::int64_t type, std::string_view payload)>;
  void stated(const TakeStated& take, FrameTypes events_of = FrameTypes::all());
  // The payload of one of them again, of an event that `stated` gave; false when it
  // is not there or damaged. Lives until the next call.
  bool payload(StatedRow row, std::string_view& out);

  // All chunks in the order of the file, with their times decoded and the checksum of their values
  // held against these, but no value decoded. Spans live until `take` returns.
  using TakeTimes = std::function<bool(const ChunkHead&, std::span<const std::int64_t>)>;
  void times(const TakeTimes& take);
  // All points, chunk by chunk, ascending within one. Spans live until `take` returns.
  using TakePoints = std::function<bool(const run::SeriesKey&, std::span<const std::int64_t>,
                                        std::span<const double>)>;
  void points(const TakePoints& take);

  // Heads of all chunks, in order of key and time.
  std::vector<ChunkHead> heads();
  // False, and counted as damage, when they do not decode.
  bool decode(const ChunkHead& head, std::vector<std::int64_t>& times, std::vector<double>& values);
  // False also for a chunk without zoom level.
  bool zoom(const ChunkHead& head, std::vector<ZoomEntry>& out);

  const SealedDamage& damage() const { return damage_; }
  DiskFile& file() { return *database_.file(); }

 private:
  explicit SealedReader(Database database) : database_(std::move(database)) {}
  base::Result<void> check();
  base::Result<void> prepare();
  bool take_head(Statement& row, ChunkHead& out);
  void each_chunk(const std::function<bool(const ChunkHead&)>& take);
  bool record_payload(Statement& row, std::string_view& out);
  bool event_payload(Statement& row, std::string_view& out);
  bool chunk_times(const ChunkHead& head, std::span<const std::int64_t>& out);
  bool chunk_data(const ChunkHead& head, std::string_view& out);
  bool load_times(std::int64_t id);
  void expect(const char* table, std::uint64_t seen);
  void end_of_table(const Statement& statement);

  Database database_;
  Statement times_, data_, zoom_, record_, event_;
  std::unique_ptr<Packer> packer_ = std::make_unique<Packer>();
  SealedDamage damage_;
  std::int64_t loaded_times_ = -1;
  std::vector<std::int64_t> column_;  // of loaded_times_
};

}  // namespace flatout::store
