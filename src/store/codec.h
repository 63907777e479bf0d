// Nouns of run/ to frame payloads and back. What is stated seldom is JSON, so
// that a log can be read by eye; what comes by the thousand is columns of
// variable-length integers (docs/formats/frame-log.md). Pure; any thread.
//
// Decoders trust nothing: kCorrupt names what does not fit. Unknown JSON keys
// are ignored, absent ones keep the noun's default. Text that is not UTF-8 is
// stored with U+FFFD in place of each bad byte.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "run/activity.h"
#include "run/device.h"
#include "run/event.h"
#include "run/run.h"
#include "run/sample.h"
#include "run/sink.h"

namespace flatout::store {

// Things that belong to one process.
template <typename T>
struct OfProcess {
  pid_t pid = 0;
  T value;
};

// What could not be kept because neither disk nor memory had room.
struct Dropped {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // encoded
  friend bool operator==(const Dropped&, const Dropped&) = default;
};

// When the rest of a lost run was recovered.
struct Recovered {
  std::int64_t wall_ns = 0;
  friend bool operator==(const Recovered&, const Recovered&) = default;
};

// Most items one payload may hold; a longer span is written as several frames.
constexpr std::size_t kMaxItems = 32U << 10;

std::string encode_info(const run::RunInfo& info);
std::string encode_proc(const run::Proc& proc);
std::string encode_lane(pid_t pid, const run::Lane& lane);
std::string encode_fact(pid_t pid, const run::Fact& fact);
std::string encode_device(const run::Device& device);
// JSON; at most kMaxItems.
std::string encode_trace_names(pid_t pid, std::span<const run::TraceName> names);
std::string encode_counts(const run::RingCounts& counts);
std::string encode_end(const run::RunEnd& end);
std::string encode_dropped(const Dropped& dropped);
std::string encode_recovered(const Recovered& recovered);

// At most kMaxItems each.
std::string encode_phases(pid_t pid, std::span<const run::PhaseEvent> events);
std::string encode_batches(pid_t pid, std::span<const run::Batch> batches);
std::string encode_device_phases(pid_t pid, std::span<const run::DevicePhase> phases);
std::string encode_values(pid_t pid, std::span<const run::NamedValue> values);
std::string encode_activities(pid_t pid, std::span<const run::DeviceActivity> activities);
std::string encode_host_spans(pid_t pid, std::span<const run::HostSpan> spans);
std::string encode_trace_windows(pid_t pid, std::span<const run::TraceWindow> windows);
std::string encode_samples(std::span<const run::Sample> samples);

base::Result<run::RunInfo> decode_info(std::string_view payload);
base::Result<run::Proc> decode_proc(std::string_view payload);
base::Result<OfProcess<run::Lane>> decode_lane(std::string_view payload);
base::Result<OfProcess<run::Fact>> decode_fact(std::string_view payload);
base::Result<run::Device> decode_device(std::string_view payload);
base::Result<OfProcess<std::vector<run::TraceName>>> decode_trace_names(std::string_view payload);
base::Result<run::RingCounts> decode_counts(std::string_view payload);
base::Result<run::RunEnd> decode_end(std::string_view payload);
base::Result<Dropped> decode_dropped(std::string_view payload);
base::Result<Recovered> decode_recovered(std::string_view payload);

base::Result<OfProcess<std::vector<run::PhaseEvent>>> decode_phases(std::string_view payload);
base::Result<OfProcess<std::vector<run::Batch>>> decode_batches(std::string_view payload);
base::Result<OfProcess<std::vector<run::DevicePhase>>> decode_device_phases(
    std::string_view payload);
base::Result<OfProcess<std::vector<run::NamedValue>>> decode_values(std::string_view payload);
base::Result<OfProcess<std::vector<run::DeviceActivity>>> decode_activities(
    std::string_view payload);
base::Result<OfProcess<std::vector<run::HostSpan>>> decode_host_spans(std::string_view payload);
base::Result<OfProcess<std::vector<run::TraceWindow>>> decode_trace_windows(
    std::string_view payload);
base::Result<std::vector<run::Sample>> decode_samples(std::string_view payload);

}  // namespace flatout::store
