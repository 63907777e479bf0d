#include "inject/cupti/trace_ring.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "inject/process_state.h"
#include "inject/ring_environment.h"
#include "inject/ring_file.h"
#include "run/activity.h"

namespace flatout::inject::cupti {
namespace {

wire::RecordHead head_at(wire::RecordType type, std::uint16_t lane, std::size_t bytes,
                         std::int64_t at_ns) {
  return {static_cast<std::uint8_t>(type), 0, lane, static_cast<std::uint32_t>(bytes), at_ns};
}

}  // namespace

bool TraceRing::configure() {
  const char* folder = std::getenv("FLATOUT_RING_DIR");
  if (folder == nullptr || *folder == '\0' || std::strlen(folder) >= sizeof directory_) {
    return false;
  }
  std::strcpy(directory_, folder);
  const char* text = std::getenv("FLATOUT_TRACE_RING_BYTES");
  const std::size_t wanted = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  exact_ = wanted >= wire::kLeastRankRingBytes && wanted <= wire::kMaxRingBytes &&
           (wanted & (wanted - 1)) == 0;
  if (exact_) bytes_ = wanted;
  segment_ = shares_segments();
  rank_ = rank_from_environment();
  return true;
}

bool TraceRing::opens() {
  if (writer_) return true;
  if (failed_ || directory_[0] == '\0') return false;
  const RingFile file =
      create_ring(directory_, {bytes_, segment_, exact_}, wire::RingRole::kTrace, -1, rank_);
  failed_ = !file.writer && file.error != EBUSY;
  writer_ = file.writer;
  // A program that called exec() has this ring from before, where each name took more than 24
  // bytes: these numbers are new.
  if (writer_) names_.number_from(static_cast<std::uint32_t>(writer_.header()->head / 24 + 1));
  return static_cast<bool>(writer_);
}

template <typename Record>
void TraceRing::put(const Record& record) {
  unsigned char* at = writer_.reserve(sizeof record);
  if (at == nullptr) return;
  std::memcpy(at, &record, sizeof record);
  writer_.publish(sizeof record);
}

template <typename Record>
bool TraceRing::put_text(Record record, const char* a, std::size_t a_bytes, const char* b,
                         std::size_t b_bytes) {
  const std::uint32_t bytes =
      wire::padded8(static_cast<std::uint32_t>(sizeof record + a_bytes + b_bytes));
  record.head.bytes = bytes;
  unsigned char* at = writer_.reserve(bytes);
  if (at == nullptr) return false;
  std::memset(at + bytes - 8, 0, 8);
  std::memcpy(at, &record, sizeof record);
  std::memcpy(at + sizeof record, a, a_bytes);
  if (b_bytes > 0) std::memcpy(at + sizeof record + a_bytes, b, b_bytes);
  writer_.publish(bytes);
  return true;
}

// 0 where the ring has no room for the name, or the table for another one.
std::uint32_t TraceRing::announced(NameTable::Entry* name) {
  if (name == nullptr) return 0;
  if (!name->written) {
    const wire::NameRecord record{head_at(wire::RecordType::kName, 0, 0, now_ns()), name->id,
                                  name->bytes};
    name->written = put_text(record, name->text, name->bytes, nullptr, 0);
  }
  return name->written ? name->id : 0;
}

void TraceRing::activity(wire::ActivityRecord record, std::int64_t begin_ns, const char* kernel) {
  if (!opens()) return;
  if (kernel != nullptr) record.name = announced(names_.find(kernel));
  record.head = head_at(wire::RecordType::kActivity, 0, sizeof record, begin_ns);
  put(record);
}

std::uint16_t TraceRing::known_lane_of(std::int32_t tid) const {
  if (!writer_) return kNoLane;
  if (tid == last_tid_) return last_lane_;
  const wire::RingHeader* header = writer_.header();
  for (std::uint32_t i = 0; i < header->lane_count && i < wire::kRingLanes; ++i) {
    if (header->lane_tids[i] == tid) return static_cast<std::uint16_t>(i);
  }
  return kNoLane;
}

std::uint16_t TraceRing::lane_of(std::int32_t tid) {
  if (!opens()) return kNoLane;
  std::uint16_t lane = known_lane_of(tid);
  wire::RingHeader* header = writer_.header();
  if (lane == kNoLane && header->lane_count < wire::kRingLanes) {
    const wire::LaneRecord record{
        head_at(wire::RecordType::kLane, static_cast<std::uint16_t>(header->lane_count),
                sizeof record, now_ns()),
        tid, tid == static_cast<std::int32_t>(::getpid()) ? 1U : 0U};
    unsigned char* at = writer_.reserve(sizeof record);
    if (at == nullptr) return kNoLane;
    std::memcpy(at, &record, sizeof record);
    writer_.publish(sizeof record);
    lane = record.head.lane;
    header->lane_tids[lane] = tid;
    ++header->lane_count;
  }
  if (lane != kNoLane) {
    last_tid_ = tid;
    last_lane_ = lane;
  }
  return lane;
}

void TraceRing::host_span(run::HostSpanKind kind, std::uint16_t lane, std::int64_t begin_ns,
                          std::int64_t end_ns, std::uint64_t correlation, const char* name,
                          std::size_t name_bytes) {
  if (!opens()) return;
  wire::CallRecord record{};
  record.head = head_at(wire::RecordType::kCall, lane, sizeof record, begin_ns);
  record.end_ns = end_ns;
  record.correlation = correlation;
  record.name = announced(names_.find(name, name_bytes));
  record.kind = static_cast<std::uint8_t>(kind);
  put(record);
}

void TraceRing::call(std::uint16_t lane, std::int64_t begin_ns, std::int64_t end_ns,
                     std::uint64_t correlation, const char* name, std::size_t name_bytes) {
  host_span(run::HostSpanKind::kCall, lane, begin_ns, end_ns, correlation, name, name_bytes);
}

void TraceRing::range(run::HostSpanKind kind, std::uint16_t lane, std::int64_t begin_ns,
                      std::int64_t end_ns, const char* name, std::size_t name_bytes) {
  host_span(kind, lane, begin_ns, end_ns, 0, name, name_bytes);
}

void TraceRing::window(std::int64_t begin_ns, std::int64_t end_ns, std::uint64_t dropped,
                       wire::TraceEnd end) {
  if (!opens()) return;
  wire::TraceWindowRecord record{};
  record.head = head_at(wire::RecordType::kTraceWindow, 0, sizeof record, begin_ns);
  record.end_ns = end_ns;
  record.dropped = dropped;
  record.end = static_cast<std::uint32_t>(end);
  put(record);
}

void TraceRing::fact(const char* key, const char* json) {
  if (!opens()) return;
  const wire::FactRecord record{head_at(wire::RecordType::kFact, 0, 0, now_ns()),
                                static_cast<std::uint32_t>(std::strlen(key)),
                                static_cast<std::uint32_t>(std::strlen(json))};
  put_text(record, key, record.key_bytes, json, record.json_bytes);
}

}  // namespace flatout::inject::cupti
