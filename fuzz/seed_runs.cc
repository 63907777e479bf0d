#include "seed_runs.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/little_endian.h"
#include "run/metric.h"
#include "run/sample.h"
#include "scratch.h"
#include "seed_file.h"
#include "seed_records.h"
#include "store/codec.h"
#include "store/curves/kept_curves.h"
#include "store/disk.h"
#include "store/frame_log.h"
#include "store/point_scan.h"
#include "store/seal.h"
#include "store/sealed/point_codec.h"
#include "store/sealed/point_stats.h"
#include "store/sealed/sealed_schema.h"
#include "store/sealed/sealer.h"
#include "store/sealed/sqlite.h"

namespace flatout::fuzz {
namespace {

using store::FrameType;

bool seal(const std::vector<Record>& records, const std::string& path) {
  auto file = store::system_disk().create(path);
  if (!file) return false;
  auto writer = store::SealedWriter::create(std::move(*file), path, 0);
  if (!writer) return false;
  store::Sealer sealer(*writer);
  for (const auto& record : records) {
    if (!sealer.add({.type = record.type, .offset = 0, .payload = record.payload})) return false;
  }
  return sealer.finish().has_value();
}

// All values replaced by what is none, with checksums that are right.
bool spoil_values(const std::string& path) {
  constexpr std::string_view kNone = "no values";
  auto database = store::Database::shared(path, 0);
  auto rows =
      database ? database->prepare("SELECT id FROM chunk_data") : std::unexpected(database.error());
  if (!rows) return false;
  std::vector<std::int64_t> chunks;
  while (rows->step()) chunks.push_back(rows->integer(0));
  rows->reset();
  auto change = database->prepare("UPDATE chunk_data SET data=?, checksum=? WHERE id=?");
  if (!change || chunks.empty()) return false;
  return std::ranges::all_of(chunks, [&](const std::int64_t chunk) {
    change->bind_blob(1, kNone).bind(2, store::row_checksum("data", kNone, chunk)).bind(3, chunk);
    return change->run().has_value();
  });
}

std::vector<Record> run_with_memory_series() {
  using run::Metric;
  std::vector<run::Sample> samples;
  for (std::int64_t i = 1; i < 20; ++i) {
    for (const Metric metric :
         {Metric::kCgroupMemoryUsed, Metric::kCgroupMemoryOomKills, Metric::kHostMemoryAvailable,
          Metric::kHostShmSize, Metric::kHostShmUsed}) {
      samples.push_back({i * 100'000'000, static_cast<double>(i), 0, metric});
    }
    samples.push_back({i * 100'000'000, 5.0, 100, Metric::kProcessMemoryRss});
  }
  auto records = loaded_run();
  records.push_back({FrameType::kSamples, store::encode_samples(samples)});
  return records;
}

}  // namespace

// One seed a payload, and one that is a whole log; see log_fuzz.cc for the first byte.
bool write_log_seeds(const std::string& folder) {
  std::string log(1, '\0');
  std::string frames = store::file_header();
  store::FrameEncoder encoder;
  bool ok = true;
  for (const auto& record : each_type()) {
    const auto type = static_cast<char>(record.type);
    ok &= write_file(folder + "/payload" + std::to_string(static_cast<int>(record.type)),
                     type + record.payload);
    ok &= encoder.append(frames, frames.size(), record.type, record.payload).has_value();
  }
  return ok && write_file(folder + "/whole", log + frames);
}

// Sealed runs, one of which has no value that can be read, and a chunk of each coding; see
// sealed_fuzz.cc.
bool write_sealed_seeds(const std::string& folder) {
  const std::string path = folder + "/made.sqlite";
  for (const bool spoilt : {false, true}) {
    std::remove(path.c_str());
    if (!seal(spoilt ? run_with_memory_series() : fuzz::each_type(), path)) return false;
    if (spoilt && !spoil_values(path)) return false;
    const auto whole = base::read_file(path);
    std::remove(path.c_str());
    const std::string seed = folder + (spoilt ? "/no_values" : "/whole");
    if (!whole || !write_file(seed, std::string(1, '\0') + *whole)) return false;
  }
  const std::vector<std::int64_t> times(100, 1'000'000'000);
  bool ok = true;
  for (int kind = 0; kind < 3; ++kind) {
    std::vector<double> values(times.size(), 0.5);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (kind == 1) values[i] = static_cast<double>(i % 7) / 100;
      if (kind == 2) values[i] = 1 / static_cast<double>(i + 3);
    }
    std::string bytes("\2\x64\0", 3);
    (void)store::encode_values(values, times, 0, bytes);
    ok &= write_file(folder + "/values" + std::to_string(kind), bytes);
  }
  std::string zoom("\3\x64\0", 3);
  store::encode_zoom(times, std::vector<double>(times.size(), 2), zoom);
  std::string column("\1\x64\0", 3);
  store::encode_times(times, column);
  return ok && write_file(folder + "/zoom", zoom) && write_file(folder + "/times", column);
}

// Sums of two names over some hundred steps, and of what the host did; see curves_fuzz.cc.
bool write_curve_seeds(const std::string& folder) {
  auto records = run_with_memory_series();
  std::vector<run::NamedValue> values;
  for (std::int64_t step = 0; step < 300; ++step) {
    values.push_back({.t_ns = 1000 * step, .value = 1.0 / 3, .step = step, .name = "loss"});
    values.push_back({.t_ns = 1000 * step, .value = -2, .step = step, .track = 2, .name = "lr"});
  }
  records.push_back({FrameType::kValues, store::encode_values(7, values)});
  const Scratch scratch;
  if (!seal(records, scratch.path() / store::kSealedFileName)) return false;
  auto scan = store::PointScan::open(scratch.path());
  store::CurveSums sums;
  const auto stamp = scan ? scan->stamp() : std::unexpected(scan.error());
  if (!stamp || !scan->next(sums)) return false;
  const auto file = store::kept_curves_file(*scan, *stamp, sums, 1);
  if (!file) return false;
  constexpr std::size_t kTableBytesAt = 48, kHeaderBytes = 72;
  std::string behind(1, '\1');
  base::append(behind, static_cast<std::uint16_t>(base::load<std::uint64_t>(*file, kTableBytesAt)));
  behind += file->substr(kHeaderBytes);
  store::Pyramid pyramid;
  std::string levels(1, '\2');
  constexpr std::uint16_t kPoints = 33'000;  // two levels, and what is open in each
  base::append(levels, static_cast<std::uint16_t>(kPoints - 1));
  for (int i = 0; i < kPoints; ++i) pyramid.add(i, i, 0.5);
  pyramid.append_levels(levels);
  return write_file(folder + "/file", std::string(1, '\0') + *file) &&
         write_file(folder + "/behind_header", behind) && write_file(folder + "/levels", levels);
}

}  // namespace flatout::fuzz
