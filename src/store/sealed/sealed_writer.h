// Writes one run.sqlite from beginning to end. What is given in is whole rows;
// cutting series and events into them is sealer.h's. One thread. Internal to
// store/.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "run/timeline.h"
#include "store/disk.h"
#include "store/sealed/packing.h"
#include "store/sealed/point_stats.h"
#include "store/sealed/sqlite.h"

namespace flatout::store {

// Counts of rows, and hashes of what was put in, to be compared with what
// comes out.
struct SealedDigest {
  std::uint64_t rows = 0;    // records and events
  std::uint64_t stated = 0;  // hash of them, in order of seq
  std::uint64_t keyed = 0;   // hash of table `run`
  std::uint64_t chunks = 0;
  std::uint64_t points = 0;
  std::map<run::SeriesKey, std::uint64_t> series;  // hash of times and values
  friend bool operator==(const SealedDigest&, const SealedDigest&) = default;
};

class SealedWriter {
 public:
  // `expected_bytes` chooses the page size.
  static base::Result<SealedWriter> create(std::unique_ptr<DiskFile> file, std::string name,
                                           std::uint64_t expected_bytes);

  base::Result<void> put(std::string_view key, std::string_view value);
  base::Result<void> add_record(std::int64_t seq, std::int64_t type, std::string_view payload);
  base::Result<void> add_event(std::int64_t seq, std::int64_t type, pid_t pid, std::size_t count,
                               std::int64_t t_min, std::int64_t t_max, std::string_view payload);
  // Gives the id of the column of times.
  base::Result<std::int64_t> add_times(std::span<const std::int64_t> times);
  // `times` ascend and are those of column `times_id` from `from` on.
  base::Result<void> add_chunk(const run::SeriesKey& key, std::int64_t times_id, std::size_t from,
                               std::span<const std::int64_t> times, std::span<const double> values,
                               std::optional<std::int64_t> before_ns);
  // Totals and commit. The file is complete, but not synced.
  base::Result<void> finish();
  std::uint64_t points() const { return points_; }

 private:
  explicit SealedWriter(Database database) : database_(std::move(database)) {}
  base::Result<void> prepare();
  base::Result<void> add_zoom(std::span<const std::int64_t> times, std::span<const double> values);

  Database database_;
  Statement run_, record_, event_, times_, chunk_, data_, zoom_;
  std::unique_ptr<Packer> packer_ = std::make_unique<Packer>();
  std::string raw_;
  std::uint64_t records_ = 0;
  std::uint64_t events_ = 0;
  std::int64_t next_times_ = 1;
  std::int64_t next_chunk_ = 1;
  std::uint64_t points_ = 0;
};

}  // namespace flatout::store
