// The codec of kernel traces. Each kind has a column of heads, a byte an item, that says what is as
// in the item before or absent; then a column for each field, of times and correlations the
// difference to the item before. About 10 bytes an item before zstd (docs/formats/frame-log.md).
#include <algorithm>
#include <limits>
#include <utility>

#include "store/codec.h"
#include "store/json_fields.h"
#include "store/varint.h"

namespace flatout::store {
namespace {

using base::Result;

std::unexpected<base::Error> corrupt_trace(const char* what) {
  return base::fail(base::ErrorCode::kCorrupt, std::string(what) + " record does not fit its form");
}

void put_trace_head(std::string& out, pid_t pid, std::size_t count) {
  put_signed(out, pid);
  put_varint(out, count);
}

pid_t get_trace_pid(ByteReader& in) {
  const std::int64_t pid = in.signed_varint();
  return std::in_range<pid_t>(pid) ? static_cast<pid_t>(pid) : -1;
}

// Heads of an activity: kind, direction, host_memory of two bits each, then:
constexpr std::uint8_t kSized = 0x40;      // it has bytes
constexpr std::uint8_t kElsewhere = 0x80;  // on another device or stream than the one before

// Of a host span: kind of two bits, then:
constexpr std::uint8_t kCorrelated = 0x04;
constexpr std::uint8_t kOnOtherLane = 0x08;
constexpr std::uint8_t kFurtherKind = 0x10;  // the third bit of the kind
constexpr std::uint8_t kKnownSpanBits = 0x1f;

std::uint64_t correlation_step(std::uint64_t now, std::uint64_t before) {
  return fold(static_cast<std::int64_t>(now - before));
}
std::uint64_t correlation_after(std::uint64_t before, std::uint64_t step) {
  return before + static_cast<std::uint64_t>(unfold(step));
}

// Contexts and graphs hardly change from one activity to the next: how many in a row have the same.
// Where no activity has one, nothing is written, as before there were any.
std::string encode_origins(std::span<const run::DeviceActivity> activities) {
  std::string runs, nodes;
  bool any = false;
  for (std::size_t i = 0; i < activities.size();) {
    const run::DeviceActivity& first = activities[i];
    std::size_t past = i;
    while (past < activities.size() && activities[past].context == first.context &&
           activities[past].graph == first.graph) {
      ++past;
    }
    put_varint(runs, past - i);
    put_varint(runs, first.context);
    put_varint(runs, first.graph);
    any = any || first.context != 0 || first.graph != 0;
    i = past;
  }
  std::int64_t last = 0;
  for (const run::DeviceActivity& item : activities) {
    if (item.graph == 0) continue;
    put_signed(nodes, item.graph_node - last);
    last = item.graph_node;
  }
  return any ? runs + nodes : std::string();
}

bool decode_origins(ByteReader& in, std::span<run::DeviceActivity> items) {
  for (std::size_t i = 0; i < items.size();) {
    const std::uint64_t count = in.varint();
    const auto context = static_cast<std::uint16_t>(in.at_most(UINT16_MAX));
    const std::uint32_t graph = in.u32();
    if (!in.ok() || count == 0 || count > items.size() - i) return false;
    for (std::uint64_t k = 0; k < count; ++k, ++i) {
      items[i].context = context;
      items[i].graph = graph;
    }
  }
  std::int64_t last = 0;
  for (run::DeviceActivity& item : items) {
    if (item.graph == 0) continue;
    last = sum(last, in.signed_varint());
    if (!std::in_range<std::uint32_t>(last)) return false;
    item.graph_node = static_cast<std::uint32_t>(last);
  }
  return true;
}

template <typename Item>
void get_times(ByteReader& in, std::vector<Item>& items) {
  std::int64_t begin_ns = 0;
  for (Item& item : items) item.begin_ns = begin_ns = sum(begin_ns, in.signed_varint());
  for (Item& item : items) item.end_ns = sum(item.begin_ns, in.signed_varint());
}

template <typename T>
Result<OfProcess<std::vector<T>>> whole_items(const ByteReader& in, OfProcess<std::vector<T>> items,
                                              const char* what) {
  if (!in.ok() || !in.at_end() || items.pid < 0) return corrupt_trace(what);
  return items;
}

}  // namespace

std::string encode_activities(pid_t pid, std::span<const run::DeviceActivity> activities) {
  std::string out, begins, lengths, correlations, names, places, sizes;
  put_trace_head(out, pid, activities.size());
  run::DeviceActivity last;
  for (const run::DeviceActivity& item : activities) {
    const bool elsewhere = item.device != last.device || item.stream != last.stream;
    const bool sized = item.bytes != run::DeviceActivity::kUnknownBytes;
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(item.kind) |
                                    static_cast<std::uint8_t>(item.direction) << 2 |
                                    static_cast<std::uint8_t>(item.host_memory) << 4 |
                                    (sized ? kSized : 0) | (elsewhere ? kElsewhere : 0)));
    put_signed(begins, difference(item.begin_ns, last.begin_ns));
    put_signed(lengths, difference(item.end_ns, item.begin_ns));
    put_varint(correlations, correlation_step(item.correlation, last.correlation));
    put_varint(names, item.name);
    if (elsewhere) {
      put_varint(places, item.device);
      put_varint(places, item.stream);
    }
    if (sized) put_varint(sizes, item.bytes);
    last = item;
  }
  return out + begins + lengths + correlations + names + places + sizes +
         encode_origins(activities);
}

Result<OfProcess<std::vector<run::DeviceActivity>>> decode_activities(std::string_view payload) {
  ByteReader in(payload);
  OfProcess<std::vector<run::DeviceActivity>> out{.pid = get_trace_pid(in), .value = {}};
  const std::size_t count = in.count(5);
  const auto heads = in.bytes(count);
  if (!in.ok() || out.pid < 0) return corrupt_trace("activities");
  out.value.resize(count);
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto head = static_cast<std::uint8_t>(heads[i]);
    run::DeviceActivity& item = out.value[i];
    item.kind = static_cast<run::ActivityKind>(head & 3);
    item.direction = static_cast<run::CopyDirection>(head >> 2 & 3);
    item.host_memory = static_cast<run::HostMemory>(head >> 4 & 3);
    fits = fits && item.kind <= run::ActivityKind::kMemset &&
           item.host_memory <= run::HostMemory::kPinned;
  }
  const auto has = [&](std::size_t i, std::uint8_t bit) {
    return (static_cast<std::uint8_t>(heads[i]) & bit) != 0;
  };
  get_times(in, out.value);
  std::uint64_t correlation = 0;
  for (auto& item : out.value) {
    item.correlation = correlation = correlation_after(correlation, in.varint());
  }
  for (auto& item : out.value) item.name = in.u32();
  run::DeviceActivity last;
  for (std::size_t i = 0; i < count; ++i) {
    if (has(i, kElsewhere)) {
      last.device = static_cast<std::uint16_t>(in.at_most(UINT16_MAX));
      last.stream = in.u32();
    }
    out.value[i].device = last.device;
    out.value[i].stream = last.stream;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (has(i, kSized)) out.value[i].bytes = in.varint();
  }
  if (in.ok() && !in.at_end()) fits = decode_origins(in, out.value) && fits;
  if (!fits) return corrupt_trace("activities");
  return whole_items(in, std::move(out), "activities");
}

std::string encode_host_spans(pid_t pid, std::span<const run::HostSpan> spans) {
  std::string out, begins, lengths, correlations, names, lanes;
  put_trace_head(out, pid, spans.size());
  run::HostSpan last;
  for (const run::HostSpan& item : spans) {
    const bool other = item.lane != last.lane;
    const auto kind = static_cast<std::uint8_t>(item.kind);
    out.push_back(static_cast<char>((kind & 3) | ((kind & 4) != 0 ? kFurtherKind : 0) |
                                    (item.correlation != 0 ? kCorrelated : 0) |
                                    (other ? kOnOtherLane : 0)));
    put_signed(begins, difference(item.begin_ns, last.begin_ns));
    put_signed(lengths, difference(item.end_ns, item.begin_ns));
    if (item.correlation != 0) {
      put_varint(correlations, correlation_step(item.correlation, last.correlation));
      last.correlation = item.correlation;
    }
    put_varint(names, item.name);
    if (other) put_varint(lanes, item.lane);
    last.begin_ns = item.begin_ns;
    last.lane = item.lane;
  }
  return out + begins + lengths + correlations + names + lanes;
}

Result<OfProcess<std::vector<run::HostSpan>>> decode_host_spans(std::string_view payload) {
  ByteReader in(payload);
  OfProcess<std::vector<run::HostSpan>> out{.pid = get_trace_pid(in), .value = {}};
  const std::size_t count = in.count(4);
  const auto heads = in.bytes(count);
  if (!in.ok() || out.pid < 0) return corrupt_trace("host spans");
  out.value.resize(count);
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto head = static_cast<std::uint8_t>(heads[i]);
    fits = fits && (head & ~kKnownSpanBits) == 0;
    const int kind = (head & 3) | ((head & kFurtherKind) != 0 ? 4 : 0);
    fits = fits && kind <= static_cast<int>(run::kLastHostSpanKind);
    out.value[i].kind = fits ? static_cast<run::HostSpanKind>(kind) : run::HostSpanKind::kOp;
  }
  const auto has = [&](std::size_t i, std::uint8_t bit) {
    return (static_cast<std::uint8_t>(heads[i]) & bit) != 0;
  };
  get_times(in, out.value);
  std::uint64_t correlation = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!has(i, kCorrelated)) continue;
    out.value[i].correlation = correlation = correlation_after(correlation, in.varint());
  }
  for (auto& item : out.value) item.name = in.u32();
  std::uint16_t lane = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (has(i, kOnOtherLane)) lane = static_cast<std::uint16_t>(in.at_most(UINT16_MAX));
    out.value[i].lane = lane;
  }
  if (!fits) return corrupt_trace("host spans");
  return whole_items(in, std::move(out), "host spans");
}

std::string encode_trace_windows(pid_t pid, std::span<const run::TraceWindow> windows) {
  std::string out;
  put_trace_head(out, pid, windows.size());
  std::int64_t last_ns = 0;
  for (const run::TraceWindow& window : windows) {
    out.push_back(static_cast<char>(window.end));
    put_signed(out, difference(window.begin_ns, last_ns));
    put_signed(out, difference(window.end_ns, window.begin_ns));
    put_varint(out, window.dropped);
    last_ns = window.begin_ns;
  }
  return out;
}

Result<OfProcess<std::vector<run::TraceWindow>>> decode_trace_windows(std::string_view payload) {
  ByteReader in(payload);
  OfProcess<std::vector<run::TraceWindow>> out{.pid = get_trace_pid(in), .value = {}};
  out.value.resize(in.count(4));
  std::int64_t last_ns = 0;
  for (run::TraceWindow& window : out.value) {
    const std::uint8_t end = in.byte();
    if (end > static_cast<std::uint8_t>(run::WindowEnd::kFailed)) return corrupt_trace("windows");
    window.end = static_cast<run::WindowEnd>(end);
    window.begin_ns = last_ns = sum(last_ns, in.signed_varint());
    window.end_ns = sum(window.begin_ns, in.signed_varint());
    window.dropped = in.varint();
  }
  return whole_items(in, std::move(out), "windows");
}

std::string encode_trace_names(pid_t pid, std::span<const run::TraceName> names) {
  Json out = Json::object();
  out["pid"] = pid;
  Json& list = out["names"] = Json::array();
  for (const run::TraceName& name : names) {
    Json item = Json::array({name.in_ring, name.number});
    if (!name.text.empty()) item.push_back(name.text);
    list.push_back(std::move(item));
  }
  return dump(out);
}

Result<OfProcess<std::vector<run::TraceName>>> decode_trace_names(std::string_view payload) {
  const std::optional<Json> in = parse_shallow(payload);
  if (!in || !in->is_object()) return corrupt_trace("names");
  const auto pid = in->find("pid");
  const auto names = in->find("names");
  const auto number = [](const Json& value, std::uint64_t most) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() <= most;
  };
  if (pid == in->end() || names == in->end() || !names->is_array() ||
      !number(*pid, std::numeric_limits<pid_t>::max())) {
    return corrupt_trace("names");
  }
  OfProcess<std::vector<run::TraceName>> out{.pid = pid->get<pid_t>(), .value = {}};
  for (const Json& item : *names) {
    const bool fits = item.is_array() && (item.size() == 2 || item.size() == 3) &&
                      number(item[0], UINT32_MAX) && number(item[1], UINT32_MAX) &&
                      (item.size() == 2 || item[2].is_string());
    if (!fits) return corrupt_trace("names");
    out.value.push_back({.in_ring = item[0].get<std::uint32_t>(),
                         .number = item[1].get<std::uint32_t>(),
                         .text = item.size() == 3 ? item[2].get<std::string>() : std::string()});
  }
  return out;
}

}  // namespace flatout::store
