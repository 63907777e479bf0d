// A page of memory by which a tuner drives a program that runs: it asks for blocks of steps under
// one setting or another, and the program answers with what they took. A file that both map.
// std and POSIX only.
//
// One request at a time. The tuner writes what it asks for, then adds 1 to `asked`; the program
// carries it out at the ends of its steps, writes the answer, then sets `answered` to the number
// that it carried out. Whoever waits for a number reads it with acquire, whoever sets it releases.
// Neither side trusts what the other one wrote: lengths are bounded by the reader.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace flatout::wire {

inline constexpr std::uint64_t kControlMagic = 0x676170'6c74'636f66;  // "foctlpag"
inline constexpr std::uint32_t kControlVersion = 2;
inline constexpr std::uint32_t kMaxControlText = 16U << 10;

enum class ControlRequest : std::uint32_t {
  kBlock = 1,  // so many steps under the plan in `text`
  kEnd = 2,    // the process ends as a trial does after its last step
  kRest = 3,   // it waits at the end of the step for the next request; answered when it waits
  kLetGo = 4,  // it is driven no more, and ends after as many steps as one that never was
};

// How a block ended.
enum class BlockEnd : std::uint32_t {
  kMeasured = 1,
  kDisturbed = 2,  // again and again an epoch or an evaluation began in it
  kFailed = 3,     // the settings could not be put in place; the answer's text says why
};

// A block that is a run from one state of the training, which its first one takes and a block that
// is none puts back.
enum TrainingRun : std::uint32_t {
  kFromState = 1,
  kSameBatches = 2,  // those of the first run, and the same random numbers
  kStays = 4,        // no run: these settings stay, and no other ones come
};

// The tuner asks the recorder to end the recording, and the recorder says what it did.
enum class RecordingState : std::uint32_t {
  kOn = 0,
  kEndAsked = 1,
  kEnded = 2,  // its result is in the trial's result file
};

struct ControlPage {
  // Written by the tuner before the program starts.
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t bytes;  // of the page

  char run[64];  // the id that the run is stored under, ended by 0; written by its recorder

  // The process that answers, 0 = none yet; and how many others wanted to, the ranks.
  std::atomic<std::int32_t> pid;
  std::atomic<std::uint32_t> others;

  // A request.
  std::atomic<std::uint32_t> asked;
  ControlRequest request;
  std::uint64_t settle_steps;  // after the switch, before the block begins
  std::uint64_t block_steps;   // at least 1
  std::int64_t least_ns;       // the block goes on until it took that long, too
  std::uint32_t text_bytes;
  char text[kMaxControlText];  // JSON: knob -> value, all that shall be set

  // The answer.
  std::atomic<std::uint32_t> answered;
  std::atomic<std::uint64_t> steps_closed;  // since the process came, also between requests
  BlockEnd end;
  std::uint32_t restarts;  // blocks that were begun anew, as something disturbed them
  std::uint64_t steps;     // in the block
  std::int64_t block_ns;   // which took so long
  std::int64_t switch_ns;  // putting the settings in place
  std::int64_t settle_ns;  // from then to the block's begin
  std::uint32_t answer_bytes;
  char answer[kMaxControlText];  // JSON: knob -> what became of it

  std::uint32_t training;     // of a request: TrainingRun bits, 0 = the block is none
  std::uint32_t with_epochs;  // of a request: 1 = epochs and evaluations are part of the block

  // Between the tuner and the recorder, while the process waits.
  std::atomic<RecordingState> recording;
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace flatout::wire
