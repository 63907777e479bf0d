// The sums of all curves of a recording that is over, as a file beside it (docs/formats/curves.md),
// so that the first picture of a long run needs no pass over it. It is a cache: where it is not
// there, is of another recording, or is damaged, the recording is read. What is read of it is not
// trusted. Any process may write it at any time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "store/curves/curve_sums.h"
#include "store/disk.h"
#include "store/point_scan.h"

namespace flatout::store {

constexpr std::string_view kKeptCurvesName = "curves.sums";
// With fewer points a pass takes some milliseconds, and there is no file.
constexpr std::uint64_t kLeastKeptPoints = 100'000;
constexpr std::uint64_t kMostKeptBytes = 1ULL << 30;

class KeptCurves {
 public:
  // What was kept of a recording with just this stamp, into `sums`, which holds nothing yet:
  // summaries and pieces, the pyramids' levels later. Absent: there is nothing, or nothing whole.
  static std::optional<KeptCurves> open(const std::filesystem::path& folder,
                                        const RecordingStamp& stamp, CurveSums& sums);
  // Of the recording.
  std::int64_t start_ns() const { return start_ns_; }
  // The levels of a curve that has `kept`; false where they are damaged.
  bool load(SummedCurve& curve);

 private:
  explicit KeptCurves(std::unique_ptr<DiskFile> file) : file_(std::move(file)) {}
  static std::string encode(const RecordingStamp& stamp, std::int64_t start_ns,
                            const CurveSums& sums);
  bool read_table(std::string_view table, std::uint64_t file_bytes, CurveSums& sums);
  friend std::optional<std::string> kept_curves_file(PointScan&, const RecordingStamp&,
                                                     const CurveSums&, std::uint64_t);

  std::unique_ptr<DiskFile> file_;
  std::uint64_t levels_at_ = 0;
  std::int64_t start_ns_ = 0;
};

// That file, of a scan that has ended. Absent: the recording goes on, or is another one than at
// `opened`, when the scan began; or a file is not worth while.
std::optional<std::string> kept_curves_file(PointScan& scan, const RecordingStamp& opened,
                                            const CurveSums& sums,
                                            std::uint64_t least_points = kLeastKeptPoints);
// kExists: somebody else writes it just now. What a killed writer left is written over.
base::Result<void> write_kept_curves(const std::filesystem::path& folder, std::string_view bytes);
// Both, for a run that was sealed.
void keep_curves(const std::filesystem::path& folder);

}  // namespace flatout::store
