// Wire records of one ring -> run types. Pure: no file, no clock. Trusts
// nothing: every size is held against the record's own bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "run/activity.h"
#include "run/event.h"
#include "wire/record.h"

namespace flatout::record {

// wire::AllocatorRecord.
struct AllocatorReading {
  std::int64_t t_ns = 0;
  int device = 0;  // as CUDA counts it in the process
  std::int64_t allocated_bytes = 0, reserved_bytes = 0;
  std::int64_t allocated_peak_bytes = 0, reserved_peak_bytes = 0;
  std::optional<std::int64_t> retries = {}, ooms = {};
  friend bool operator==(const AllocatorReading&, const AllocatorReading&) = default;
};

// What a piece of one ring said, in the order of writing within each kind. The
// name of a stage is passed on as a fact too (facts::kStageNamePrefix), so that
// it is still known after the recorder was killed.
struct RingChunk {
  std::vector<run::Lane> lanes;
  std::vector<run::PhaseEvent> phases;
  std::vector<run::Batch> batches;
  std::vector<run::DevicePhase> device_phases;
  std::vector<run::NamedValue> values;
  std::vector<run::Fact> facts;
  std::vector<AllocatorReading> allocators;
  // Of a trace ring: see trace_decoder.h.
  std::vector<run::TraceName> trace_names;
  std::vector<run::DeviceActivity> activities;
  std::vector<run::HostSpan> host_spans;
  std::vector<run::TraceWindow> trace_windows;
  bool stop = false;  // a kStop record was among them

  bool empty() const;
  void clear();
  std::size_t records() const;  // all but the names of a trace
};

// One per ring, since names are numbered by its writer. One thread.
class RingDecoder {
 public:
  // Adds what `record` says to `out`. `record` has head.bytes bytes; only
  // those are read, each once.
  void decode(const wire::RecordHead& head, const unsigned char* record, RingChunk& out);

  // As if a NameRecord had said so.
  bool learn_name(std::uint32_t id, std::string name);

  std::uint64_t unknown() const { return unknown_; }  // of a type or phase that we do not know
  std::uint64_t malformed() const {
    return malformed_;
  }  // too short for what they claim, or of no possible time

 private:
  bool phase(const wire::RecordHead& head, const unsigned char* record, RingChunk& out);
  bool name(const wire::RecordHead& head, const unsigned char* record, RingChunk& out);
  bool fact(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) const;
  bool batch(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) const;
  std::string name_of(std::uint32_t id) const;

  std::unordered_map<std::uint32_t, std::string> names_;
  std::uint64_t unknown_ = 0;
  std::uint64_t malformed_ = 0;
};

}  // namespace flatout::record
