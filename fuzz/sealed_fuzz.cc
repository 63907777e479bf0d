// Any bytes as a sealed run of somebody else. Checksums would turn away nearly
// every changed chunk before its decoder sees it, so the first byte chooses:
// the bytes as a whole run.sqlite, or as a chunk's times, values or zoom level. A
// whole run is analysed as well: what a chunk lacks comes out only there.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyse/analyse.h"
#include "analyse/charts/charts.h"
#include "analyse/run_steps.h"
#include "run/spans.h"
#include "store/disk.h"
#include "store/sealed/point_codec.h"
#include "store/sealed/point_stats.h"
#include "store/sealed/read_sealed.h"
#include "store/sealed/sealed_reader.h"

namespace {

using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file

// A file that is bytes in memory.
class MemoryFile final : public store::DiskFile {
 public:
  explicit MemoryFile(std::string_view bytes) : bytes_(bytes) {}
  base::Result<std::size_t> write_at(std::uint64_t, std::string_view) override { std::abort(); }
  base::Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) override {
    if (offset >= bytes_.size()) return std::size_t{0};
    return bytes_.substr(static_cast<std::size_t>(offset), n).copy(out, n);
  }
  base::Result<void> truncate(std::uint64_t) override { std::abort(); }
  base::Result<void> sync() override { return {}; }
  base::Result<store::DiskFileStatus> status() override {
    return store::DiskFileStatus{.bytes = bytes_.size(), .changed_ns = 0};
  }
  base::Result<void> lock() override { return {}; }

 private:
  std::string_view bytes_;
};

// What the blocks hold is what was said of them, and in order.
template <typename T>
void go_over(const run::Records<T>& records) {
  std::size_t count = 0;
  std::int64_t last_ns = INT64_MIN;
  for (const T& item : records) {
    if (record_time(item) < last_ns) std::abort();
    last_ns = record_time(item);
    ++count;
  }
  // A chunk whose values do not decode is found out only here.
  if (count > records.size()) std::abort();
  if (records.front().has_value() && count == 0) std::abort();
  if (records.empty()) return;
  const std::int64_t middle = records.first_ns() + (records.last_ns() - records.first_ns()) / 2;
  for (const T& item : records.between(middle, records.last_ns())) {
    if (record_time(item) < middle || record_time(item) >= records.last_ns()) std::abort();
  }
}

// Also after its chunks were found out to be none.
void analyse_it(const run::Timeline& timeline) {
  const analyse::Analysis analysis = analyse::measure(timeline);
  (void)analyse::report_of(timeline, analysis, {});
  (void)analyse::charts(timeline, analysis);
  std::size_t steps = 0;
  analyse::RunSteps(timeline).each([&steps](const analyse::Step&, bool) {
    ++steps;
    return true;
  });
  if (steps != analysis.cut.steps.size()) std::abort();
}

void read_whole(std::string_view bytes) {
  auto reader = store::SealedReader::over(std::make_unique<MemoryFile>(bytes), "fuzzed run");
  if (!reader) return;
  std::vector<std::int64_t> times;
  std::vector<double> values;
  std::vector<store::ZoomEntry> entries;
  for (const auto& head : reader->heads()) {
    if (reader->decode(head, times, values) && times.size() != values.size()) std::abort();
    (void)reader->zoom(head, entries);
  }
  const auto timeline = store::sealed_timeline(std::move(*reader), "fuzz", "fuzzed run",
                                               {.decoded_bytes = 64U << 20});
  for (const auto& [pid, track] : timeline.processes) {
    go_over(track.phases);
    go_over(track.batches);
    go_over(track.device_phases);
    go_over(track.values);
    go_over(track.activities);
    go_over(track.host_spans);
    go_over(track.trace_windows);
    for (const run::Lane& lane : track.lanes) (void)run::ThreadSpans(track, lane.lane);
  }
  for (const auto& [key, points] : timeline.series) go_over(points);
  analyse_it(timeline);
}

void read_chunk(std::uint8_t kind, std::string_view bytes) {
  std::uint16_t count = 0;
  if (bytes.size() < sizeof count) return;
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes.remove_prefix(sizeof count);
  std::vector<std::int64_t> times;
  std::vector<double> values;
  std::vector<store::ZoomEntry> entries;
  if (kind == 1) (void)store::decode_times(bytes, count, times);
  if (kind == 2) {
    times.resize(count % (store::kMaxChunkPoints + 1), 1'000'000'000);
    if (store::decode_values(bytes, times, values) && values.size() != times.size()) std::abort();
  }
  if (kind == 3) (void)store::decode_zoom(bytes, count % (store::kMaxChunkPoints + 1), entries);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 0) {
    read_whole(rest);
  } else {
    read_chunk(data[0] % 4, rest);
  }
  return 0;
}
