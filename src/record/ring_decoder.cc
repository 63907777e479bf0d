#include "record/ring_decoder.h"

#include <cstring>
#include <utility>

#include "record/json_string.h"
#include "run/facts.h"
#include "run/plausible.h"

namespace flatout::record {
namespace {

// Bounds what a broken writer can make us remember.
constexpr std::size_t kMaxNames = 65'536;
constexpr std::size_t kMaxNameBytes = 512;

// The fixed part of a record; false when the record is too short for it.
template <typename Record>
bool read_fixed(const wire::RecordHead& head, const unsigned char* record, Record& out) {
  if (head.bytes < sizeof(Record)) return false;
  std::memcpy(&out, record, sizeof(Record));
  return true;
}

bool is_phase(std::uint8_t phase) { return phase < run::kPhaseNames.size(); }

std::string text_at(const unsigned char* record, std::size_t offset, std::size_t bytes) {
  std::string text(bytes, '\0');
  if (bytes > 0) std::memcpy(text.data(), record + offset, bytes);
  return text;
}

bool lane(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::LaneRecord in{};
  if (!read_fixed(head, record, in)) return false;
  out.lanes.push_back({.lane = head.lane, .tid = in.tid, .is_main = in.is_main != 0});
  return true;
}

bool named_value(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::ValueRecord in{};
  if (!read_fixed(head, record, in)) return false;
  if (in.name_bytes == 0 || in.name_bytes > wire::kMaxValueNameBytes ||
      in.track > wire::kMaxTrack || in.name_bytes > head.bytes - sizeof in) {
    return false;
  }
  out.values.push_back({.t_ns = head.t_ns,
                        .value = in.value,
                        .step = in.step < 0 ? run::NamedValue::kNoStep : in.step,
                        .track = in.track,
                        .name = text_at(record, sizeof in, in.name_bytes)});
  return true;
}

bool device_phase(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::DevicePhaseRecord in{};
  if (!read_fixed(head, record, in) || !run::plausible_ns(in.duration_ns)) return false;
  out.device_phases.push_back({.t_ns = head.t_ns,
                               .duration_ns = in.duration_ns,
                               .step = in.step,
                               .device = in.device,
                               .phase = static_cast<run::Phase>(head.phase)});
  return true;
}

// Device memory has a long way to go to that; a double holds each whole number below.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 53;
constexpr std::uint32_t kMostDevices = 1024;

std::optional<std::int64_t> known_count(std::uint64_t count) {
  return count < kMostBytes ? std::optional(static_cast<std::int64_t>(count)) : std::nullopt;
}

bool allocator(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::AllocatorRecord in{};
  if (!read_fixed(head, record, in) || in.device >= kMostDevices) return false;
  for (const std::uint64_t bytes :
       {in.allocated_bytes, in.reserved_bytes, in.allocated_peak_bytes, in.reserved_peak_bytes}) {
    if (bytes >= kMostBytes) return false;
  }
  out.allocators.push_back(
      {.t_ns = head.t_ns,
       .device = static_cast<int>(in.device),
       .allocated_bytes = static_cast<std::int64_t>(in.allocated_bytes),
       .reserved_bytes = static_cast<std::int64_t>(in.reserved_bytes),
       .allocated_peak_bytes = static_cast<std::int64_t>(in.allocated_peak_bytes),
       .reserved_peak_bytes = static_cast<std::int64_t>(in.reserved_peak_bytes),
       .retries = known_count(in.retries),
       .ooms = known_count(in.ooms)});
  return true;
}

}  // namespace

bool RingChunk::empty() const { return records() == 0 && trace_names.empty() && !stop; }

std::size_t RingChunk::records() const {
  return lanes.size() + phases.size() + batches.size() + device_phases.size() + values.size() +
         facts.size() + allocators.size() + activities.size() + host_spans.size() +
         trace_windows.size();
}

void RingChunk::clear() {
  lanes.clear();
  phases.clear();
  batches.clear();
  device_phases.clear();
  values.clear();
  facts.clear();
  allocators.clear();
  trace_names.clear();
  activities.clear();
  host_spans.clear();
  trace_windows.clear();
  stop = false;
}

void RingDecoder::decode(const wire::RecordHead& head, const unsigned char* record,
                         RingChunk& out) {
  using wire::RecordType;
  const auto type = static_cast<RecordType>(head.type);
  const bool has_phase = type == RecordType::kPhaseBegin || type == RecordType::kPhaseEnd ||
                         type == RecordType::kDevicePhase;
  if (has_phase && !is_phase(head.phase)) {
    ++unknown_;
    return;
  }
  if (!run::plausible_ns(head.t_ns)) {
    ++malformed_;
    return;
  }
  bool whole = true;
  switch (type) {
    case RecordType::kPhaseBegin:
    case RecordType::kPhaseEnd:
      whole = phase(head, record, out);
      break;
    case RecordType::kLane:
      whole = lane(head, record, out);
      break;
    case RecordType::kName:
      whole = name(head, record, out);
      break;
    case RecordType::kFact:
      whole = fact(head, record, out);
      break;
    case RecordType::kBatch:
      whole = batch(head, record, out);
      break;
    case RecordType::kDevicePhase:
      whole = device_phase(head, record, out);
      break;
    case RecordType::kValue:
      whole = named_value(head, record, out);
      break;
    case RecordType::kAllocator:
      whole = allocator(head, record, out);
      break;
    case RecordType::kStop:
      out.stop = true;
      break;
    default:
      ++unknown_;
  }
  if (!whole) ++malformed_;
}

bool RingDecoder::phase(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::PhaseRecord in{};
  if (!read_fixed(head, record, in)) return false;
  out.phases.push_back(
      {.t_ns = head.t_ns,
       .value = in.value,
       .flags = in.flags,
       .id = in.id,
       .lane = head.lane,
       .phase = static_cast<run::Phase>(head.phase),
       .begin = head.type == static_cast<std::uint8_t>(wire::RecordType::kPhaseBegin)});
  return true;
}

bool RingDecoder::name(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::NameRecord in{};
  if (!read_fixed(head, record, in) || in.name_bytes > head.bytes - sizeof in) return false;
  std::string text = text_at(record, sizeof in, in.name_bytes);
  run::Fact fact{.t_ns = head.t_ns,
                 .key = std::string(run::facts::kStageNamePrefix) + std::to_string(in.id),
                 .json = json_quote(text)};
  if (!learn_name(in.id, std::move(text))) return false;
  out.facts.push_back(std::move(fact));
  return true;
}

bool RingDecoder::learn_name(std::uint32_t id, std::string name) {
  if (name.size() > kMaxNameBytes) return false;
  if (names_.size() >= kMaxNames && !names_.contains(id)) return false;
  names_.insert_or_assign(id, std::move(name));
  return true;
}

bool RingDecoder::fact(const wire::RecordHead& head, const unsigned char* record,
                       RingChunk& out) const {
  wire::FactRecord in{};
  if (!read_fixed(head, record, in)) return false;
  const std::uint64_t wanted = std::uint64_t{in.key_bytes} + in.json_bytes;
  if (wanted > head.bytes - sizeof in) return false;
  out.facts.push_back({.t_ns = head.t_ns,
                       .key = text_at(record, sizeof in, in.key_bytes),
                       .json = text_at(record, sizeof in + in.key_bytes, in.json_bytes)});
  return true;
}

bool RingDecoder::batch(const wire::RecordHead& head, const unsigned char* record,
                        RingChunk& out) const {
  wire::BatchRecord in{};
  if (!read_fixed(head, record, in)) return false;
  if (in.stage_count > (head.bytes - sizeof in) / sizeof(wire::StageRecord)) return false;
  run::Batch batch{.begin_ns = in.begin_ns,
                   .end_ns = head.t_ns,
                   .cpu_ns = in.cpu_ns,
                   .collate_ns = in.collate_ns,
                   .idle_ns = in.idle_ns,
                   .read_bytes = in.read_bytes,
                   .disk_bytes = in.disk_bytes,
                   .run_delay_ns = in.run_delay_ns < 0 ? run::kUnknownNs : in.run_delay_ns,
                   .batch_bytes = in.batch_bytes,
                   .iterator = in.iterator,
                   .sequence = in.sequence,
                   .samples = in.samples,
                   .stages = {}};
  batch.stages.reserve(in.stage_count);
  for (std::uint32_t i = 0; i < in.stage_count; ++i) {
    wire::StageRecord stage{};
    std::memcpy(&stage, record + sizeof in + i * sizeof stage, sizeof stage);
    batch.stages.push_back(
        {.name = name_of(stage.name), .calls = stage.calls, .wall_ns = stage.wall_ns});
  }
  if (!run::plausible(batch)) return false;
  out.batches.push_back(std::move(batch));
  return true;
}

// A stage whose name was dropped by a full ring is named by its number.
std::string RingDecoder::name_of(std::uint32_t id) const {
  const auto found = names_.find(id);
  return found != names_.end() ? found->second : "stage " + std::to_string(id);
}

}  // namespace flatout::record
