#include "seed_records.h"

#include <cstdint>

#include "analyse/device/gpu_fixture.h"
#include "analyse/loop_fixture.h"
#include "store/codec.h"
#include "store/store_fixture.h"
#include "store/trace_fixture.h"

namespace flatout::fuzz {
namespace {

template <typename T>
std::vector<T> all_of(const run::Records<T>& records) {
  std::vector<T> out;
  for (const T& record : records) out.push_back(record);
  return out;
}

// Everything that a recorder would have written of it, in any order.
std::vector<Record> records_of(const run::Timeline& timeline) {
  std::vector<Record> out = {{store::FrameType::kInfo, store::encode_info(timeline.info)}};
  for (const auto& [pid, track] : timeline.processes) {
    out.push_back({store::FrameType::kProc, store::encode_proc(track.proc)});
    for (const auto& lane : track.lanes) {
      out.push_back({store::FrameType::kLane, store::encode_lane(pid, lane)});
    }
    for (const auto& fact : track.facts) {
      out.push_back({store::FrameType::kFact, store::encode_fact(pid, fact)});
    }
    out.push_back({store::FrameType::kPhases, store::encode_phases(pid, all_of(track.phases))});
    out.push_back({store::FrameType::kBatches, store::encode_batches(pid, all_of(track.batches))});
  }
  std::vector<run::Sample> samples;
  for (const auto& [key, points] : timeline.series) {
    for (const auto& point : points) {
      samples.push_back({point.t_ns, point.value, key.source, key.metric});
    }
  }
  out.push_back({store::FrameType::kSamples, store::encode_samples(samples)});
  for (const auto& [index, device] : timeline.devices) {
    out.push_back({store::FrameType::kDevice, store::encode_device(device)});
  }
  return out;
}

}  // namespace

std::vector<Record> each_type() {
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
  const store::SampleTrace trace = store::sample_trace(120, 1000);
  const std::vector<run::Sample> samples{{.t_ns = 10, .value = 0.5},
                                         {.t_ns = 20, .value = 1e9, .source = 7}};
  const run::Lane lane{.lane = 0, .tid = 7, .is_main = true};
  const run::Fact fact{.t_ns = 3, .key = "loader", .json = R"({"workers":2,"built_at":"/a.py:4"})"};
  const run::RunEnd end{.t_ns = 99, .signal = 9, .survivors = {8, 9}};
  return {{store::FrameType::kInfo, store::encode_info(info)},
          {store::FrameType::kProc, store::encode_proc(proc)},
          {store::FrameType::kLane, store::encode_lane(7, lane)},
          {store::FrameType::kPhases, store::encode_phases(7, phases)},
          {store::FrameType::kBatches, store::encode_batches(7, batches)},
          {store::FrameType::kDevicePhases, store::encode_device_phases(7, device)},
          {store::FrameType::kValues, store::encode_values(7, values)},
          {store::FrameType::kTraceNames, store::encode_trace_names(7, trace.names)},
          {store::FrameType::kActivities, store::encode_activities(7, trace.activities)},
          {store::FrameType::kHostSpans, store::encode_host_spans(7, trace.spans)},
          {store::FrameType::kTraceWindows, store::encode_trace_windows(7, trace.windows)},
          {store::FrameType::kFact, store::encode_fact(7, fact)},
          {store::FrameType::kSamples, store::encode_samples(samples)},
          {store::FrameType::kCounts, store::encode_counts({})},
          {store::FrameType::kEnd, store::encode_end(end)},
          {store::FrameType::kDropped, store::encode_dropped({.records = 3, .bytes = 70})},
          {store::FrameType::kRecovered, store::encode_recovered({.wall_ns = 5})}};
}

std::vector<Record> loaded_run() {
  const auto run = analyse::run_of({.steps = 40,
                                    .workers = 2,
                                    .wait = 9,
                                    .save = 3,
                                    .epoch = 10,
                                    .gap = 30,
                                    .batch_wall = 30,
                                    .batch_cpu = 25,
                                    .collate = 2,
                                    .hand_over = 1});
  return records_of(run.timeline());
}

// The native engine makes the batches, and tells what its threads do.
std::vector<Record> engine_run() {
  auto run = analyse::run_of({.steps = 40, .wait = 9});
  auto& facts = run.timeline().processes[analyse::TimelineBuilder::kPid].facts;
  facts.erase_if([](const run::Fact& fact) { return fact.key == "loader"; });
  facts.push_back({0, "loader", R"({"loader":1,"workers":0,"engine":"native"})"});
  for (const char* figures :
       {R"({"loader":1,"threads":2,"read_busy_ns":5,"read_blocked_ns":6,"consumer_wait_ns":1e8})",
        R"({"loader":1,"threads":2,"read_busy_ns":5e8,"read_blocked_ns":7e8,"idle_starved_ns":7,)"
        R"("decode_busy_ns":9e8,"decode_blocked_ns":0,"consumer_wait_ns":4e8})"}) {
    facts.push_back({analyse::ns(600), "engine", figures});
  }
  return records_of(run.timeline());
}

// Torch makes the batches; the engine's speed on their files was measured.
std::vector<Record> measured_run() {
  auto run = analyse::run_of({.steps = 40, .wait = 30, .batch_wall = 28, .batch_cpu = 25});
  auto& facts = run.timeline().processes[analyse::TimelineBuilder::kPid].facts;
  facts.erase_if([](const run::Fact& fact) { return fact.key == "loader"; });
  facts.push_back({0, "loader", R"({"loader":1,"workers":0,"batch_size":32,"native_refusal":""})"});
  facts.push_back(
      {analyse::ns(60), "loader_files",
       R"({"loader":1,"samples":9,"folder":"/d","files":["1.jpg"],"places":[[0,1,2]]})"});
  facts.push_back({analyse::ns(600), "engine_speed",
                   R"({"pid":100,"loader":1,"samples_per_s":900,"cpu_ms":2,"threads":2,)"
                   R"("seconds":0.7,"files":1,"size":[224,224]})"});
  return records_of(run.timeline());
}

std::vector<Record> device_run() {
  const auto run = analyse::gpu_run({.steps = 40}, {.utilization = 0.4, .thermal = 0.5});
  auto records = records_of(run.timeline());
  records.push_back(
      {store::FrameType::kDevicePhases,
       store::encode_device_phases(analyse::TimelineBuilder::kPid, store::sample_device_phases())});
  records.push_back({store::FrameType::kValues, store::encode_values(7, store::sample_values())});
  const store::SampleTrace trace = store::sample_trace(300, analyse::ns(100));
  constexpr auto kPid = analyse::TimelineBuilder::kPid;
  records.push_back({store::FrameType::kTraceNames, store::encode_trace_names(kPid, trace.names)});
  records.push_back(
      {store::FrameType::kActivities, store::encode_activities(kPid, trace.activities)});
  records.push_back({store::FrameType::kHostSpans, store::encode_host_spans(kPid, trace.spans)});
  records.push_back(
      {store::FrameType::kTraceWindows, store::encode_trace_windows(kPid, trace.windows)});
  return records;
}

std::string joined(const std::vector<Record>& records) {
  std::string out;
  for (const Record& record : records) {
    const auto size = static_cast<std::uint16_t>(record.payload.size());
    out += static_cast<char>(record.type);
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += record.payload;
  }
  return out;
}

}  // namespace flatout::fuzz
