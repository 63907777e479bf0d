#include "record/trace_decoder.h"

#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "run/plausible.h"

namespace flatout::record {
namespace {

static_assert(static_cast<int>(wire::TraceEnd::kFailed) ==
              static_cast<int>(run::WindowEnd::kFailed));
static_assert(wire::kUnknownBytes == run::DeviceActivity::kUnknownBytes);

// Bounds what a broken writer can make us remember.
constexpr std::size_t kMostNamesOfRing = 1U << 18;

template <typename Record>
bool read_whole(const wire::RecordHead& head, const unsigned char* record, Record& out) {
  if (head.bytes < sizeof(Record)) return false;
  std::memcpy(&out, record, sizeof(Record));
  return true;
}

template <typename Enum>
bool read_enum(std::uint8_t value, Enum last, Enum& out) {
  if (value > static_cast<std::uint8_t>(last)) return false;
  out = static_cast<Enum>(value);
  return true;
}

bool lane_of_trace(std::uint16_t in_ring, std::uint16_t& out) {
  if (in_ring > std::numeric_limits<std::uint16_t>::max() - run::kFirstTraceLane) return false;
  out = static_cast<std::uint16_t>(run::kFirstTraceLane + in_ring);
  return true;
}

bool traced_lane(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::LaneRecord in{};
  run::Lane lane;
  if (!read_whole(head, record, in) || !lane_of_trace(head.lane, lane.lane)) return false;
  lane.tid = in.tid;
  lane.is_main = in.is_main != 0;
  out.lanes.push_back(lane);
  return true;
}

bool trace_window(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::TraceWindowRecord in{};
  if (!read_whole(head, record, in)) return false;
  run::TraceWindow window{.begin_ns = head.t_ns, .end_ns = in.end_ns, .dropped = in.dropped};
  const bool known = in.end <= static_cast<std::uint32_t>(run::WindowEnd::kFailed);
  if (!known || !run::plausible(window)) return false;
  window.end = static_cast<run::WindowEnd>(in.end);
  out.trace_windows.push_back(window);
  return true;
}

}  // namespace

bool TraceDecoder::takes(std::uint8_t type) {
  using wire::RecordType;
  switch (static_cast<RecordType>(type)) {
    case RecordType::kLane:
    case RecordType::kName:
    case RecordType::kActivity:
    case RecordType::kCall:
    case RecordType::kTraceWindow:
      return true;
    default:
      return false;
  }
}

void TraceDecoder::decode(const wire::RecordHead& head, const unsigned char* record,
                          RingChunk& out) {
  using wire::RecordType;
  bool whole = run::plausible_ns(head.t_ns);
  if (whole) {
    switch (static_cast<RecordType>(head.type)) {
      case RecordType::kLane:
        whole = traced_lane(head, record, out);
        break;
      case RecordType::kName:
        whole = name(head, record, out);
        break;
      case RecordType::kActivity:
        whole = activity(head, record, out);
        break;
      case RecordType::kCall:
        whole = call(head, record, out);
        break;
      default:
        whole = trace_window(head, record, out);
    }
  }
  if (!whole) ++malformed_;
}

bool TraceDecoder::name(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) {
  wire::NameRecord in{};
  if (!read_whole(head, record, in) || in.name_bytes > head.bytes - sizeof in) return false;
  if (numbers_.size() >= kMostNamesOfRing && !numbers_.contains(in.id)) return false;
  std::string text =
      readable_name({reinterpret_cast<const char*>(record) + sizeof in, in.name_bytes});
  const TraceNames::Numbered numbered = names_.number_of(text);
  numbers_[in.id] = numbered.number;
  if (numbered.number == 0) return true;  // no room, or no text
  out.trace_names.push_back({.in_ring = in.id,
                             .number = numbered.number,
                             .text = numbered.fresh ? std::move(text) : std::string()});
  return true;
}

bool TraceDecoder::activity(const wire::RecordHead& head, const unsigned char* record,
                            RingChunk& out) const {
  wire::ActivityRecord in{};
  if (!read_whole(head, record, in)) return false;
  run::DeviceActivity activity;
  activity.begin_ns = head.t_ns;
  activity.end_ns = in.end_ns;
  activity.correlation = in.correlation;
  activity.bytes = in.bytes;
  activity.name = number_of(in.name);
  activity.stream = in.stream;
  activity.graph = in.graph;
  activity.graph_node = in.graph_node;
  activity.device = in.device;
  activity.context = in.context;
  const bool known =
      read_enum(in.kind, run::ActivityKind::kMemset, activity.kind) &&
      read_enum(in.direction, run::CopyDirection::kDeviceToDevice, activity.direction) &&
      read_enum(in.host_memory, run::HostMemory::kPinned, activity.host_memory);
  if (!known || !run::plausible(activity)) return false;
  out.activities.push_back(activity);
  return true;
}

bool TraceDecoder::call(const wire::RecordHead& head, const unsigned char* record,
                        RingChunk& out) const {
  wire::CallRecord in{};
  if (!read_whole(head, record, in)) return false;
  run::HostSpan span;
  span.begin_ns = head.t_ns;
  span.end_ns = in.end_ns;
  span.correlation = in.correlation;
  span.name = number_of(in.name);
  const bool known =
      lane_of_trace(head.lane, span.lane) && read_enum(in.kind, run::kLastHostSpanKind, span.kind);
  if (!known || !run::plausible(span)) return false;
  out.host_spans.push_back(span);
  return true;
}

// 0 of a name whose record a full ring dropped.
std::uint32_t TraceDecoder::number_of(std::uint32_t in_ring) const {
  const auto found = numbers_.find(in_ring);
  return found != numbers_.end() ? found->second : 0;
}

}  // namespace flatout::record
