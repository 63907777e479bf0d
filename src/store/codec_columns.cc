// The half of the codec that is columns. A column holds one field of all
// items, so that zstd sees like beside like; times are differences to the item
// before, which are small.
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "run/phase.h"
#include "store/codec.h"
#include "store/varint.h"

namespace flatout::store {
namespace {

using base::Result;

std::unexpected<base::Error> corrupt(const char* what) {
  return base::fail(base::ErrorCode::kCorrupt, std::string(what) + " record does not fit its form");
}

template <typename T>
Result<T> whole(const ByteReader& in, T value, const char* what) {
  if (!in.ok() || !in.at_end()) return corrupt(what);
  return value;
}

void put_head(std::string& out, pid_t pid, std::size_t count) {
  put_signed(out, pid);
  put_varint(out, count);
}

pid_t get_pid(ByteReader& in) {
  const std::int64_t pid = in.signed_varint();
  return std::in_range<pid_t>(pid) ? static_cast<pid_t>(pid) : -1;
}

run::Phase get_phase(std::uint8_t byte, bool& ok) {
  ok = ok && byte < run::kPhaseNames.size();
  return static_cast<run::Phase>(byte);
}

// The first byte of a phase event: phase, begin, and which columns it is in.
constexpr std::uint8_t kPhaseBits = 0x0f;
constexpr std::uint8_t kBegin = 0x10;
constexpr std::uint8_t kOtherLane = 0x20;  // another lane than the event before
constexpr std::uint8_t kHasFlags = 0x40;
constexpr std::uint8_t kHasDetail = 0x80;  // value and id
static_assert(run::kPhaseNames.size() <= kPhaseBits + 1);

// Names of stages within one payload, each written once.
constexpr std::size_t kMaxNameBytes = 256;
// A small payload that names one long stage over and over must not fill memory.
constexpr std::size_t kMaxNameBytesDecoded = 64U << 20;

}  // namespace

std::string encode_phases(pid_t pid, std::span<const run::PhaseEvent> events) {
  std::string out;
  std::string times;
  std::string lanes;
  std::string flags;
  std::string details;
  put_head(out, pid, events.size());
  run::PhaseEvent last;
  for (const auto& event : events) {
    const bool detail = event.value != 0 || event.id != 0;
    out.push_back(
        static_cast<char>(static_cast<std::uint8_t>(event.phase) | (event.begin ? kBegin : 0) |
                          (event.lane != last.lane ? kOtherLane : 0) |
                          (event.flags != 0 ? kHasFlags : 0) | (detail ? kHasDetail : 0)));
    put_signed(times, difference(event.t_ns, last.t_ns));
    if (event.lane != last.lane) put_varint(lanes, event.lane);
    if (event.flags != 0) put_varint(flags, event.flags);
    if (detail) {
      put_varint(details, event.id);
      put_varint(details, event.value);
    }
    last = event;
  }
  return out + times + lanes + flags + details;
}

Result<OfProcess<std::vector<run::PhaseEvent>>> decode_phases(std::string_view payload) {
  ByteReader in(payload);
  OfProcess<std::vector<run::PhaseEvent>> out{.pid = get_pid(in), .value = {}};
  const std::size_t count = in.count(2);
  const auto heads = in.bytes(count);
  if (!in.ok() || out.pid < 0) return corrupt("phases");
  out.value.resize(count);
  bool phases_fit = true;
  std::int64_t t_ns = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto head = static_cast<std::uint8_t>(heads[i]);
    t_ns = sum(t_ns, in.signed_varint());
    out.value[i].t_ns = t_ns;
    out.value[i].phase = get_phase(head & kPhaseBits, phases_fit);
    out.value[i].begin = (head & kBegin) != 0;
  }
  const auto has = [&](std::size_t i, std::uint8_t bit) {
    return (static_cast<std::uint8_t>(heads[i]) & bit) != 0;
  };
  std::uint16_t lane = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (has(i, kOtherLane)) lane = static_cast<std::uint16_t>(in.at_most(UINT16_MAX));
    out.value[i].lane = lane;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (has(i, kHasFlags)) out.value[i].flags = in.u32();
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!has(i, kHasDetail)) continue;
    out.value[i].id = in.u32();
    out.value[i].value = in.varint();
  }
  if (!phases_fit) return corrupt("phases");
  return whole(in, std::move(out), "phases");
}

namespace {

class NameTable {
 public:
  std::size_t index(const std::string& name) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (*names_[i] == name) return i;
    }
    names_.push_back(&name);
    return names_.size() - 1;
  }
  std::string encoded() const {
    std::string out;
    put_varint(out, names_.size());
    for (const auto* name : names_) {
      const auto part = std::string_view(*name).substr(0, kMaxNameBytes);
      put_varint(out, part.size());
      out.append(part);
    }
    return out;
  }

 private:
  std::vector<const std::string*> names_;
};

bool get_names(ByteReader& in, std::vector<std::string>& names) {
  names.resize(in.count(1));
  for (auto& name : names) name = in.bytes(static_cast<std::size_t>(in.at_most(kMaxNameBytes)));
  return in.ok();
}

// All fields of batches but their stages: times, then counts. kUnknownBytes is
// the largest integer; one more wraps to 0 and takes one byte.
void put_batch(std::string& out, const run::Batch& batch, const run::Batch& last) {
  put_signed(out, difference(batch.end_ns, last.end_ns));
  put_signed(out, difference(batch.end_ns, batch.begin_ns));
  put_signed(out, batch.cpu_ns);
  put_signed(out, batch.collate_ns);
  put_signed(out, batch.idle_ns);
  put_varint(out, batch.read_bytes + 1);
  put_varint(out, batch.disk_bytes + 1);
  put_signed(out, batch.run_delay_ns);
  put_varint(out, batch.batch_bytes);
  put_varint(out, batch.iterator);
  put_varint(out, batch.sequence);
  put_varint(out, batch.samples);
}

void get_batch(ByteReader& in, run::Batch& batch, std::int64_t last_end_ns) {
  batch.end_ns = sum(last_end_ns, in.signed_varint());
  batch.begin_ns = difference(batch.end_ns, in.signed_varint());
  batch.cpu_ns = in.signed_varint();
  batch.collate_ns = in.signed_varint();
  batch.idle_ns = in.signed_varint();
  batch.read_bytes = in.varint() - 1;
  batch.disk_bytes = in.varint() - 1;
  batch.run_delay_ns = in.signed_varint();
  batch.batch_bytes = in.varint();
  batch.iterator = in.u32();
  batch.sequence = in.u32();
  batch.samples = in.u32();
}
constexpr std::size_t kLeastBatchBytes = 13;  // twelve fields and the number of stages

}  // namespace

std::string encode_batches(pid_t pid, std::span<const run::Batch> batches) {
  NameTable names;
  std::string rows;
  run::Batch last;
  for (const auto& batch : batches) {
    put_batch(rows, batch, last);
    put_varint(rows, batch.stages.size());
    for (const auto& stage : batch.stages) {
      put_varint(rows, names.index(stage.name));
      put_varint(rows, stage.calls);
      put_signed(rows, stage.wall_ns);
    }
    last.end_ns = batch.end_ns;
  }
  std::string out;
  put_head(out, pid, batches.size());
  return out + names.encoded() + rows;
}

Result<OfProcess<std::vector<run::Batch>>> decode_batches(std::string_view payload) {
  ByteReader in(payload);
  OfProcess<std::vector<run::Batch>> out{.pid = get_pid(in), .value = {}};
  const std::size_t count = in.count(kLeastBatchBytes);
  std::vector<std::string> names;
  if (!get_names(in, names) || out.pid < 0) return corrupt("batches");
  std::size_t name_bytes = 0;
  std::int64_t last_end_ns = 0;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    auto& batch = out.value.emplace_back();
    get_batch(in, batch, last_end_ns);
    last_end_ns = batch.end_ns;
    batch.stages.resize(in.count(3));
    for (auto& stage : batch.stages) {
      const std::size_t name = static_cast<std::size_t>(in.varint());
      if (!in.ok() || name >= names.size()) return corrupt("batches");
      name_bytes += names[name].size();
      if (name_bytes > kMaxNameBytesDecoded) return corrupt("batches");
      stage.name = names[name];
      stage.calls = in.u32();
      stage.wall_ns = in.signed_varint();
    }
  }
  return whole(in, std::move(out), "batches");
}

std::string encode_device_phases(pid_t pid, std::span<const run::DevicePhase> phases) {
  std::string out;
  put_head(out, pid, phases.size());
  run::DevicePhase last;
  for (const auto& phase : phases) {
    out.push_back(static_cast<char>(phase.phase));
    put_signed(out, difference(phase.t_ns, last.t_ns));
    put_signed(out, phase.duration_ns);
    put_signed(out, difference(phase.step, last.step));
    put_varint(out, phase.device);
    last = phase;
  }
  return out;
}

Result<OfProcess<std::vector<run::DevicePhase>>> decode_device_phases(std::string_view payload) {
  ByteReader in(payload);
  OfProcess<std::vector<run::DevicePhase>> out{.pid = get_pid(in), .value = {}};
  const std::size_t count = in.count(5);
  bool fits = out.pid >= 0;
  run::DevicePhase last;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    last.phase = get_phase(in.byte(), fits);
    last.t_ns = sum(last.t_ns, in.signed_varint());
    last.duration_ns = in.signed_varint();
    const std::int64_t step = sum(last.step, in.signed_varint());
    fits = fits && std::in_range<std::uint32_t>(step);
    last.step = static_cast<std::uint32_t>(step);
    last.device = in.u32();
    out.value.push_back(last);
  }
  if (!fits) return corrupt("device phases");
  return whole(in, std::move(out), "device phases");
}

namespace {

// Whole numbers within kExactInteger are short.
bool is_short(double value) {
  return value >= -kExactInteger && value <= kExactInteger &&
         std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(value))) ==
             std::bit_cast<std::uint64_t>(value);  // keeps -0.0 apart from 0.0
}

}  // namespace

// Columns: time, source, metric with a bit that says how its value is written,
// whole values, and all other values byte plane by byte plane, so that signs
// and exponents, which are alike, stand together.
std::string encode_samples(std::span<const run::Sample> samples) {
  std::string out;
  std::string sources;
  std::string metrics;
  std::string integers;
  std::vector<std::uint64_t> doubles;
  put_varint(out, samples.size());
  run::Sample last;
  for (const auto& sample : samples) {
    const bool integer = is_short(sample.value);
    put_signed(out, difference(sample.t_ns, last.t_ns));
    put_signed(sources, difference(sample.source, last.source));
    put_varint(metrics, static_cast<std::uint64_t>(sample.metric) << 1 | (integer ? 1 : 0));
    if (integer) {
      put_signed(integers, static_cast<std::int64_t>(sample.value));
    } else {
      doubles.push_back(std::bit_cast<std::uint64_t>(sample.value));
    }
    last = sample;
  }
  out += sources + metrics + integers;
  for (int plane = 7; plane >= 0; --plane) {
    for (const auto bits : doubles) out.push_back(static_cast<char>(bits >> (8 * plane) & 0xff));
  }
  return out;
}

Result<std::vector<run::Sample>> decode_samples(std::string_view payload) {
  ByteReader in(payload);
  std::vector<run::Sample> out(in.count(4));
  std::int64_t t_ns = 0;
  for (auto& sample : out) sample.t_ns = t_ns = sum(t_ns, in.signed_varint());
  std::int64_t source = 0;
  for (auto& sample : out) {
    source = sum(source, in.signed_varint());
    if (!std::in_range<std::int32_t>(source)) return corrupt("samples");
    sample.source = static_cast<std::int32_t>(source);
  }
  std::vector<std::uint8_t> integer(out.size());
  std::size_t doubles = out.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t head = in.at_most(2 * std::uint64_t{UINT16_MAX} + 1);
    out[i].metric = static_cast<run::Metric>(head >> 1);
    integer[i] = head & 1;
    doubles -= integer[i];
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (integer[i] != 0) out[i].value = static_cast<double>(in.signed_varint());
  }
  const auto planes = in.bytes(doubles * 8);
  if (!in.ok()) return corrupt("samples");
  std::size_t next = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (integer[i] != 0) continue;
    std::uint64_t bits = 0;
    for (std::size_t plane = 0; plane < 8; ++plane) {
      bits = bits << 8 | static_cast<std::uint8_t>(planes[plane * doubles + next]);
    }
    out[i].value = std::bit_cast<double>(bits);
    ++next;
  }
  return whole(in, std::move(out), "samples");
}

}  // namespace flatout::store
