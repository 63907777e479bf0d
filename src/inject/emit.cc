#include "inject/emit.h"

#include <cstring>
#include <utility>

#include "wire/ring_lock.h"

namespace flatout::inject {
namespace {

wire::RecordHead head_at(std::int64_t t_ns, wire::RecordType type, std::uint32_t bytes,
                         const Lane& lane) {
  return {static_cast<std::uint8_t>(type), 0, lane.index, bytes, t_ns};
}
wire::RecordHead head_of(wire::RecordType type, std::uint32_t bytes, const Lane& lane) {
  return head_at(now_ns(), type, bytes, lane);
}

template <typename Record>
void put(const Record& record, const Lane& lane) {
  wire::RingWriter* writer = ring();
  if (writer == nullptr) return;
  const wire::RingLock lock(writer->header(), lane.tid);
  if (!lock) return;
  unsigned char* at = writer->reserve(sizeof record);
  if (at == nullptr) return;
  std::memcpy(at, &record, sizeof record);
  writer->publish(sizeof record);
}

void put_phase(wire::RecordType type, run::Phase phase, const Lane& lane, std::uint32_t flags,
               std::uint32_t id, std::uint64_t value, std::int64_t since_ns = 0) {
  wire::PhaseRecord record{head_of(type, sizeof record, lane), flags, id, value};
  if (since_ns != 0) record.head.t_ns = since_ns;
  record.head.phase = static_cast<std::uint8_t>(phase);
  put(record, lane);
}

void close_innermost(Lane& lane, std::uint32_t flags, std::uint32_t id, std::uint64_t value) {
  const run::Phase phase = lane.open[--lane.depth];
  if ((lane.silent >> lane.depth & 1U) != 0) return;
  put_phase(wire::RecordType::kPhaseEnd, phase, lane, flags, id, value);
}

struct Bytes {
  const char* data;
  std::uint32_t size;
};

std::uint32_t size_with(std::uint32_t fixed, const Bytes& a, const Bytes& b = {}) {
  return wire::padded8(fixed + a.size + b.size);
}

// A record of fixed part and text, padded with 0.
template <typename Record>
bool put_locked(wire::RingWriter& writer, const Record& record, const Bytes& a,
                const Bytes& b = {}) {
  const std::uint32_t bytes = record.head.bytes;
  unsigned char* at = writer.reserve(bytes);
  if (at == nullptr) return false;
  std::memset(at + bytes - 8, 0, 8);
  std::memcpy(at, &record, sizeof record);
  std::memcpy(at + sizeof record, a.data, a.size);
  if (b.size > 0) std::memcpy(at + sizeof record + a.size, b.data, b.size);
  writer.publish(bytes);
  return true;
}

// The same under the ring's lock. False: it is not in the ring.
template <typename Record>
bool put_text(const Record& record, const Lane& lane, const Bytes& a, const Bytes& b = {}) {
  wire::RingWriter* writer = ring();
  if (writer == nullptr || record.head.bytes > wire::kMaxRecordBytes) return false;
  const wire::RingLock lock(writer->header(), lane.tid);
  return lock && put_locked(*writer, record, a, b);
}

wire::ValueRecord value_record(std::int64_t t_ns, const Lane& lane, const NamedNumber& number,
                               std::int64_t step, std::uint32_t track) {
  const std::uint32_t bytes =
      size_with(sizeof(wire::ValueRecord), {number.name, number.name_bytes});
  return {head_at(t_ns, wire::RecordType::kValue, bytes, lane), number.value, step,
          number.name_bytes, track};
}

}  // namespace

bool begin_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value) {
  Lane* here = writing_lane();
  if (here == nullptr || here->depth >= Lane::kMaxDepth) return false;
  here->silent &= ~(1U << here->depth);
  here->open[here->depth++] = phase;
  const std::int64_t since_ns = std::exchange(here->prepared_ns, 0);
  put_phase(wire::RecordType::kPhaseBegin, phase, *here, flags, id, value,
            here->prepared == phase ? since_ns : 0);
  return true;
}

bool nest_phase(run::Phase phase) {
  Lane* here = writing_lane();
  if (here == nullptr || here->depth >= Lane::kMaxDepth) return false;
  here->silent |= 1U << here->depth;
  here->open[here->depth++] = phase;
  return true;
}

void end_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value) {
  Lane* here = writing_lane();
  if (here == nullptr || !here->inside(phase)) return;
  here->prepared_ns = 0;
  while (here->open[here->depth - 1] != phase) close_innermost(*here, wire::kSkipped, 0, 0);
  close_innermost(*here, flags, id, value);
}

void prepare_phase(run::Phase phase, std::int64_t since_ns) {
  Lane* here = writing_lane();
  if (here == nullptr) return;
  here->prepared = phase;
  here->prepared_ns = since_ns;
}

void emit_span(run::Phase phase, std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t site) {
  Lane* here = writing_lane();
  if (here == nullptr) return;
  here->prepared_ns = 0;
  wire::PhaseRecord record{head_of(wire::RecordType::kPhaseBegin, sizeof record, *here), 0, site,
                           0};
  record.head.phase = static_cast<std::uint8_t>(phase);
  record.head.t_ns = begin_ns;
  put(record, *here);
  record.head.type = static_cast<std::uint8_t>(wire::RecordType::kPhaseEnd);
  record.head.t_ns = end_ns;
  put(record, *here);
}

void close_stale_phases() {
  Lane* here = writing_lane();
  if (here == nullptr) return;
  while (here->depth > 0) close_innermost(*here, wire::kSkipped, 0, 0);
}

void emit_step(std::uint64_t samples) {
  const Lane* here = writing_lane();
  if (here == nullptr) return;
  put_phase(wire::RecordType::kPhaseEnd, run::Phase::kStep, *here, wire::kMarked, 0, samples);
}

void emit_value(const char* name, std::uint32_t name_bytes, double value, std::int64_t step) {
  const Lane* here = writing_lane();
  if (here == nullptr) return;
  const NamedNumber number{name, name_bytes, value};
  put_text(value_record(now_ns(), *here, number, step, 0), *here, {name, name_bytes});
}

std::size_t emit_values(const NamedNumber* values, std::size_t count, std::int64_t step,
                        std::uint32_t track) {
  const Lane* here = writing_lane();
  wire::RingWriter* writer = here == nullptr ? nullptr : ring();
  if (writer == nullptr) return 0;
  const wire::RingLock lock(writer->header(), here->tid);
  if (!lock) return 0;
  const std::int64_t t_ns = now_ns();
  for (std::size_t i = 0; i < count; ++i) {
    const wire::ValueRecord record = value_record(t_ns, *here, values[i], step, track);
    if (put_locked(*writer, record, {values[i].name, values[i].name_bytes})) continue;
    // The first that did not fit has counted itself.
    writer->header()->dropped.fetch_add(count - i - 1, std::memory_order_relaxed);
    return i;
  }
  return count;
}

bool emit_fact(const char* key, std::uint32_t key_bytes, const char* json,
               std::uint32_t json_bytes) {
  const Lane* here = writing_lane();
  if (here == nullptr) return false;
  const Bytes a{key, key_bytes};
  const Bytes b{json, json_bytes};
  return put_text(wire::FactRecord{head_of(wire::RecordType::kFact,
                                           size_with(sizeof(wire::FactRecord), a, b), *here),
                                   key_bytes, json_bytes},
                  *here, a, b);
}

void emit_name(std::uint32_t id, const char* name, std::uint32_t name_bytes) {
  const Lane* here = writing_lane();
  if (here == nullptr) return;
  const Bytes text{name, name_bytes};
  put_text(wire::NameRecord{head_of(wire::RecordType::kName,
                                    size_with(sizeof(wire::NameRecord), text), *here),
                            id, name_bytes},
           *here, text);
}

bool emit_stop() {
  const Lane* here = writing_lane();
  if (here == nullptr || ring()->header()->stop_said.exchange(1) != 0) return false;
  put(head_of(wire::RecordType::kStop, sizeof(wire::RecordHead), *here), *here);
  return true;
}

void emit_device_phase(run::Phase phase, std::int64_t duration_ns, std::uint32_t step,
                       std::uint32_t device) {
  const Lane* here = writing_lane();
  if (here == nullptr) return;
  wire::DevicePhaseRecord record{head_of(wire::RecordType::kDevicePhase, sizeof record, *here),
                                 duration_ns, step, device};
  record.head.phase = static_cast<std::uint8_t>(phase);
  put(record, *here);
}

void emit_allocator(wire::AllocatorRecord record) {
  const Lane* here = writing_lane();
  if (here == nullptr) return;
  record.head = head_of(wire::RecordType::kAllocator, sizeof record, *here);
  put(record, *here);
}

}  // namespace flatout::inject
