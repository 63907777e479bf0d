// Any recording, sealed: records, each with its type and length before it, go
// into a run.sqlite and come out again. Its checksums are right, so what reads
// it sees rows that no flatout has written. Nothing may get lost on the way, and
// the timeline is that of the log.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "records.h"
#include "scratch.h"
#include "store/seal.h"
#include "store/sealed/read_sealed.h"
#include "store/sealed/sealed_reader.h"
#include "store/sealed/sealer.h"
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

template <typename T>
void expect_same(const run::Records<T>& logged, const run::Records<T>& sealed) {
  if (logged.size() != sealed.size() || !(logged == sealed)) std::abort();
  if (logged.empty()) return;
  if (logged.first_ns() != sealed.first_ns() || logged.last_ns() != sealed.last_ns()) std::abort();
  const std::int64_t middle = logged.first_ns() + (logged.last_ns() - logged.first_ns()) / 2;
  auto in_file = sealed.between(middle, logged.last_ns()).begin();
  for (const T& item : logged.between(middle, logged.last_ns())) {
    if (in_file == std::default_sentinel || record_time(*in_file) != record_time(item)) {
      std::abort();
    }
    ++in_file;
  }
  if (in_file != std::default_sentinel) std::abort();
}

// NaN is no reading's equal, and so are told by their times.
template <typename T>
void expect_same_times(const run::Records<T>& logged, const run::Records<T>& sealed) {
  auto in_file = sealed.begin();
  for (const T& item : logged) {
    if (in_file == sealed.end() || record_time(*in_file) != record_time(item)) std::abort();
    ++in_file;
  }
  if (in_file != sealed.end()) std::abort();
}

std::size_t size_of(const run::ProcessTrack& track) {
  return track.phases.size() + track.batches.size() + track.device_phases.size() +
         track.values.size() + track.facts.size() + track.lanes.size() + track.activities.size() +
         track.host_spans.size() + track.trace_windows.size() + track.ring_names.size();
}

// One that only empty records name may be known to the log alone.
std::size_t size_of(const run::Timeline& timeline) {
  std::size_t items = 0;
  for (const auto& [pid, track] : timeline.processes) items += size_of(track);
  return items;
}

void read_back(std::string_view bytes, const store::SealedDigest& put_in,
               const std::filesystem::path& path) {
  auto reader = store::SealedReader::open(path, store::system_disk());
  if (!reader || store::digest_of(*reader) != put_in || reader->damage().any()) std::abort();
  const auto sealed = store::sealed_timeline(std::move(*reader), "fuzz", path.string(), {});
  store::TimelineBuilder builder;
  fuzz::each_record(bytes, [&](const store::Frame& frame) { builder.add(frame); });
  const auto logged = builder.finish(false);
  if (sealed.last_ns != logged.last_ns || sealed.devices.size() != logged.devices.size()) {
    std::abort();
  }
  if (size_of(sealed) != size_of(logged)) std::abort();
  for (const auto& [pid, track] : logged.processes) {
    if (size_of(track) == 0) continue;
    const run::ProcessTrack& other = sealed.processes.at(pid);
    if (track.facts.size() != other.facts.size() || track.lanes.size() != other.lanes.size()) {
      std::abort();
    }
    expect_same(track.phases, other.phases);
    expect_same(track.batches, other.batches);
    expect_same(track.device_phases, other.device_phases);
    expect_same_times(track.values, other.values);
    expect_same(track.activities, other.activities);
    expect_same(track.host_spans, other.host_spans);
    expect_same(track.trace_windows, other.trace_windows);
    if (track.ring_names != other.ring_names) std::abort();
  }
  if (sealed.series.size() != logged.series.size()) std::abort();
  for (const auto& [key, points] : logged.series) expect_same_times(points, sealed.series.at(key));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Scratch scratch;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto path = scratch.path() / store::kSealedFileName;
  read_back(bytes, seal(bytes, path), path);
  return 0;
}
