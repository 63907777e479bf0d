// Writes records into this process's ring. Each returns at once; without a
// ring nothing happens. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/process_state.h"
#include "wire/record.h"

namespace flatout::inject {

// Opens `phase` on the calling thread. Returns false when it was not recorded
// (no ring, nesting too deep): then do not call end_phase.
bool begin_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value);

// Opens `phase`, which is open already, without a record: the outer one goes on.
// False when nested too deep.
bool nest_phase(run::Phase phase);

// Closes the innermost open `phase` of the calling thread and, with
// wire::kSkipped, whatever is open inside it. Ignored when it is not open.
void end_phase(run::Phase phase, std::uint32_t flags, std::uint32_t id, std::uint64_t value);

// The next phase on this thread has begun already, at since_ns, if it is `phase`.
void prepare_phase(run::Phase phase, std::int64_t since_ns);

// A whole span that has just ended, with times of its own; nothing may have
// been written on this thread since begin_ns. site: of wait_sites.h, 0 = not known.
void emit_span(run::Phase phase, std::int64_t begin_ns, std::int64_t end_ns,
               std::uint32_t site = 0);

// Closes all phases that are open on the calling thread: a draw cannot happen
// inside a step's other phases, so what is still open was left by an exception.
void close_stale_phases();

// False: it is not in the ring (none, a full one, or a fact beyond wire::kMaxRecordBytes).
bool emit_fact(const char* key, std::uint32_t key_bytes, const char* json,
               std::uint32_t json_bytes);
void emit_name(std::uint32_t id, const char* name, std::uint32_t name_bytes);
// Once a process, whoever asks: true for the first.
bool emit_stop();
// The program's own mark: a step of so many samples (0 = not known) ends here.
void emit_step(std::uint64_t samples);
// 1 to wire::kMaxValueNameBytes bytes of name; step: wire::kNoStep = none.
void emit_value(const char* name, std::uint32_t name_bytes, double value, std::int64_t step);
struct NamedNumber {
  const char* name;
  std::uint32_t name_bytes;
  double value;
};
// Several at one time, of a tracked run of this process (at most wire::kMaxTrack). How many the
// ring took: the first ones.
std::size_t emit_values(const NamedNumber* values, std::size_t count, std::int64_t step,
                        std::uint32_t track);
void emit_device_phase(run::Phase phase, std::int64_t duration_ns, std::uint32_t step,
                       std::uint32_t device);
// All but `head` is filled in.
void emit_allocator(wire::AllocatorRecord record);

}  // namespace flatout::inject
