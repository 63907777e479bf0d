// Records of a trace ring (wire/activity_record.h) -> run types. As RingDecoder: pure, trusts
// nothing. Names get their number in the run, lanes theirs behind run::kFirstTraceLane.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "record/ring_decoder.h"
#include "record/trace_names.h"
#include "wire/activity_record.h"

namespace flatout::record {

// One per ring. One thread.
class TraceDecoder {
 public:
  // `names`, of all rings of the run, must outlive it.
  explicit TraceDecoder(TraceNames& names) : names_(names) {}

  // Whether it is a record that means something else in a trace ring than in others, or nothing in
  // them.
  static bool takes(std::uint8_t type);
  // Adds what such a record says to `out`. `record` has head.bytes bytes.
  void decode(const wire::RecordHead& head, const unsigned char* record, RingChunk& out);

  // As if a NameRecord had said so.
  void know(std::uint32_t in_ring, std::uint32_t number) { numbers_[in_ring] = number; }

  // Too short for what they claim, of no possible time, or of a kind that there is not.
  std::uint64_t malformed() const { return malformed_; }

 private:
  bool name(const wire::RecordHead& head, const unsigned char* record, RingChunk& out);
  bool activity(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) const;
  bool call(const wire::RecordHead& head, const unsigned char* record, RingChunk& out) const;
  std::uint32_t number_of(std::uint32_t in_ring) const;

  TraceNames& names_;
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;  // ring's -> run's
  std::uint64_t malformed_ = 0;
};

}  // namespace flatout::record
