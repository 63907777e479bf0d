// Any recording, sealed: records, each with its type and length before it, go
// into a run.sqlite and come out again. Its checksums are right, so what reads
// it sees rows that no flatout has written. Nothing may get lost on the way, and
// the timeline is that of the log.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "records.h"
#include "scratch.h"
#include "store/seal.h"
#include "store/sealed/read_sealed.h"
#include "store/sealed/sealed_reader.h"
#include "store/sealed/sealer.h"
#include "store/series_reader.h"
#include "store/timeline_builder.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

// Gives the digest of what was put in.
store::SealedDigest seal(std::string_view bytes, const std::filesystem::path& path) {
  std::filesystem::remove(path);
  auto file = store::system_disk().create(path);
  auto writer = file ? store::SealedWriter::create(std::move(*file), path.string(), bytes.size())
                     : std::unexpected(file.error());
  if (!writer) std::abort();
  store::Sealer sealer(*writer);
  fuzz::each_record(bytes, [&](const store::Frame& frame) {
    if (!sealer.add(frame)) std::abort();
  });
  if (!sealer.finish()) std::abort();
  return sealer.digest();
}

std::size_t size_of(const run::Timeline& timeline) {
  std::size_t items = timeline.devices.size();
  for (const auto& [pid, track] : timeline.processes) {
    items += track.phases.size() + track.batches.size() + track.device_phases.size() +
             track.values.size() + track.facts.size() + track.lanes.size();
  }
  for (const auto& [key, points] : timeline.series) items += points.size();
  return items;
}

void read_back(std::string_view bytes, const store::SealedDigest& put_in,
               const std::filesystem::path& path) {
  auto reader = store::SealedReader::open(path, store::system_disk());
  if (!reader || store::digest_of(*reader) != put_in || reader->damage().any()) std::abort();
  const auto sealed = store::sealed_timeline(*reader, "fuzz", path.string(), {});
  store::TimelineBuilder builder;
  fuzz::each_record(bytes, [&](const store::Frame& frame) { builder.add(frame); });
  const auto logged = builder.finish(false);
  if (size_of(sealed) != size_of(logged) || sealed.last_ns != logged.last_ns) std::abort();
}

void zoom(const std::filesystem::path& folder) {
  const auto reader = store::SeriesReader::open(folder, {});
  if (!reader) std::abort();
  for (const auto& series : reader->series()) {
    const auto all = reader->points(series.key, series.first_ns, series.last_ns + 1);
    const auto slices = reader->zoom(series.key, series.first_ns, series.last_ns + 1, 7);
    if (!all || !slices) std::abort();
    std::size_t count = 0;
    for (const auto& slice : *slices) count += slice.count;
    if (all->size() != series.count || count != series.count) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Scratch scratch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto path = scratch.path() / store::kSealedFileName;
  read_back(bytes, seal(bytes, path), path);
  zoom(scratch.path());
  return 0;
}
