// Writes whole inputs for the fuzz targets, one file each, into folders named
// after them below argv[1]. Made from our own encoders, so that seeds follow
// the formats and no binary file needs to be kept.
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "store/codec.h"
#include "store/disk.h"
#include "store/frame_log.h"
#include "store/sealed/point_codec.h"
#include "store/sealed/point_stats.h"
#include "store/sealed/sealer.h"
#include "wire/record.h"

namespace {

using flatout::store::FrameType;

struct Payload {
  FrameType type;
  std::string bytes;
};

std::vector<Payload> payloads() {
  using namespace flatout;
  run::RunInfo info;
  info.id = "ab2c";
  info.command = {"python", "train.py"};
  info.cpus = 4;
  run::Proc proc;
  proc.pid = 7;
  proc.role = run::ProcRole::kWorker;
  proc.command = "python train.py";
  const std::vector<run::PhaseEvent> phases{
      {.t_ns = 1000, .phase = run::Phase::kDataWait, .begin = true},
      {.t_ns = 5000, .value = 32, .phase = run::Phase::kDataWait}};
  const std::vector<run::Batch> batches{{.begin_ns = 1,
                                         .end_ns = 90,
                                         .cpu_ns = 80,
                                         .samples = 32,
                                         .stages = {{"JPEG decode", 32, 40}, {"ToTensor", 32, 9}}}};
  const std::vector<run::DevicePhase> device{{.t_ns = 9, .duration_ns = 4, .step = 1}};
  const std::vector<run::NamedValue> values{{.t_ns = 9, .value = 0.5, .step = 1, .name = "loss"}};
  const std::vector<run::Sample> samples{{.t_ns = 10, .value = 0.5},
                                         {.t_ns = 20, .value = 1e9, .source = 7}};
  const run::Lane lane{.lane = 0, .tid = 7, .is_main = true};
  const run::Fact fact{.t_ns = 3, .key = "loader", .json = R"({"workers":2,"built_at":"/a.py:4"})"};
  const run::RunEnd end{.t_ns = 99, .signal = 9, .survivors = {8, 9}};
  return {{FrameType::kInfo, store::encode_info(info)},
          {FrameType::kProc, store::encode_proc(proc)},
          {FrameType::kLane, store::encode_lane(7, lane)},
          {FrameType::kPhases, store::encode_phases(7, phases)},
          {FrameType::kBatches, store::encode_batches(7, batches)},
          {FrameType::kDevicePhases, store::encode_device_phases(7, device)},
          {FrameType::kValues, store::encode_values(7, values)},
          {FrameType::kFact, store::encode_fact(7, fact)},
          {FrameType::kSamples, store::encode_samples(samples)},
          {FrameType::kCounts, store::encode_counts({})},
          {FrameType::kEnd, store::encode_end(end)},
          {FrameType::kDropped, store::encode_dropped({.records = 3, .bytes = 70})},
          {FrameType::kRecovered, store::encode_recovered({.wall_ns = 5})}};
}

bool write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

// One seed a payload, and one that is a whole log; see log_fuzz.cc for the first byte.
bool write_log_seeds(const std::string& folder) {
  std::string log(1, '\0');
  std::string frames = flatout::store::file_header();
  flatout::store::FrameEncoder encoder;
  bool ok = true;
  for (const Payload& payload : payloads()) {
    const auto type = static_cast<char>(payload.type);
    ok &= write_file(folder + "/payload" + std::to_string(static_cast<int>(payload.type)),
                     type + payload.bytes);
    ok &= encoder.append(frames, frames.size(), payload.type, payload.bytes).has_value();
  }
  return ok && write_file(folder + "/whole", log + frames);
}

// A small sealed run, and a chunk of each coding; see sealed_fuzz.cc.
bool write_sealed_seeds(const std::string& folder) {
  using namespace flatout;
  const std::string path = folder + "/made.sqlite";
  std::remove(path.c_str());
  auto file = store::system_disk().create(path);
  if (!file) return false;
  {
    auto writer = store::SealedWriter::create(std::move(*file), path, 0);
    if (!writer) return false;
    store::Sealer sealer(*writer);
    for (const Payload& payload : payloads()) {
      if (!sealer.add({.type = payload.type, .offset = 0, .payload = payload.bytes})) return false;
    }
    if (!sealer.finish()) return false;
  }
  const auto whole = base::read_file(path);
  std::remove(path.c_str());
  if (!whole || !write_file(folder + "/whole", std::string(1, '\0') + *whole)) return false;
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

template <typename T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_padded(std::string& out, std::string_view text) {
  out += text;
  out.append(flatout::wire::padded8(static_cast<std::uint32_t>(text.size())) - text.size(), '\0');
}

flatout::wire::RecordHead head(flatout::wire::RecordType type, std::size_t bytes) {
  return {static_cast<std::uint8_t>(type), 1, 0, static_cast<std::uint32_t>(bytes), 1000};
}

// head and tail, then one record of every kind; see ring_fuzz.cc.
bool write_ring_seed(const std::string& folder) {
  using namespace flatout::wire;
  std::string ring;
  put(ring, LaneRecord{head(RecordType::kLane, sizeof(LaneRecord)), 7, 1});
  put(ring, PhaseRecord{head(RecordType::kPhaseBegin, sizeof(PhaseRecord)), kGradEnabled, 1, 0});
  put(ring, PhaseRecord{head(RecordType::kPhaseEnd, sizeof(PhaseRecord)), 0, 1, 32});
  put(ring, NameRecord{head(RecordType::kName, sizeof(NameRecord) + 16), 5, 11});
  put_padded(ring, "JPEG decode");
  put(ring, FactRecord{head(RecordType::kFact, sizeof(FactRecord) + 24), 6, 13});
  put_padded(ring, R"(loader{"workers":2})");
  BatchRecord batch{};
  batch.head = head(RecordType::kBatch, sizeof(BatchRecord) + sizeof(StageRecord));
  batch.samples = 32;
  batch.stage_count = 1;
  put(ring, batch);
  put(ring, StageRecord{5, 32, 900});
  put(ring, DevicePhaseRecord{head(RecordType::kDevicePhase, sizeof(DevicePhaseRecord)), 5, 1, 0});
  put(ring, head(RecordType::kStop, sizeof(RecordHead)));
  std::string input;
  put(input, static_cast<std::uint64_t>(ring.size()));
  put(input, std::uint64_t{0});
  return write_file(folder + "/every_record", input + ring);
}

bool make_folder(const std::string& path) {
  return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string root = argv[1];
  const bool ok = make_folder(root) && make_folder(root + "/log") && make_folder(root + "/ring") &&
                  make_folder(root + "/sealed") && write_sealed_seeds(root + "/sealed") &&
                  write_log_seeds(root + "/log") && write_ring_seed(root + "/ring");
  if (!ok) std::fprintf(stderr, "seeds: cannot write below %s\n", root.c_str());
  return ok ? 0 : 1;
}
