// The frame log: an append-only file of checksummed frames, described byte for
// byte in docs/formats/frame-log.md. A frame's checksum is seeded with its
// offset in the file, so a frame is valid at its own place only: bytes inside
// a payload, or left over from elsewhere, can never be mistaken for a frame
// when a reader looks for the next whole one after damage.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::store {

constexpr std::string_view kLogFileName = "log.flo";
constexpr std::string_view kLogMagic{"FLOLOG\x1a\n", 8};
constexpr std::uint32_t kLogVersion = 1;
constexpr std::size_t kFileHeaderBytes = 16;
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr std::size_t kMaxFrameBytes = 4U << 20;  // raw, so that a reader's memory is bounded

// Part of the file format: append, never renumber.
enum class FrameType : std::uint8_t {
  kInfo = 1,  // first frame of a run, once
  kProc = 2,
  kLane = 3,
  kPhases = 4,
  kBatches = 5,
  kDevicePhases = 6,
  kFact = 7,
  kSamples = 8,
  kCounts = 9,
  kEnd = 10,        // last frame of a run that ended under flatout's eyes
  kDropped = 11,    // what could not be kept, cumulative
  kRecovered = 12,  // what follows was recovered after the recorder died
  kDevice = 13,
  kValues = 14,
  kTraceNames = 15,
  kActivities = 16,
  kHostSpans = 17,
  kTraceWindows = 18,
};

// Some of them.
class FrameTypes {
 public:
  static constexpr FrameTypes all() { return FrameTypes(-1); }
  static constexpr FrameTypes only(std::initializer_list<FrameType> types) {
    std::int64_t bits = 0;
    for (const FrameType type : types) bits |= bit(static_cast<std::int64_t>(type));
    return FrameTypes(bits);
  }
  constexpr FrameTypes without(FrameType type) const {
    return FrameTypes(bits_ & ~bit(static_cast<std::int64_t>(type)));
  }
  // Of a type that this flatout does not know, too.
  constexpr bool has(std::int64_t type) const { return bits_ == -1 || (bits_ & bit(type)) != 0; }
  constexpr std::int64_t bits() const { return bits_; }  // -1: all

 private:
  explicit constexpr FrameTypes(std::int64_t bits) : bits_(bits) {}
  static constexpr std::int64_t bit(std::int64_t type) {
    return type >= 0 && type < 63 ? std::int64_t{1} << type : 0;
  }
  std::int64_t bits_;
};

// The 16 bytes that open a log.
std::string file_header(std::uint32_t version = kLogVersion);

// Turns payloads into frames. Keeps a compressor, so reuse it. One thread.
class FrameEncoder {
 public:
  FrameEncoder();
  ~FrameEncoder();
  FrameEncoder(const FrameEncoder&) = delete;
  FrameEncoder& operator=(const FrameEncoder&) = delete;

  // Appends to `out` the frame that will stand at `offset` of the log. The
  // payload is compressed when that makes it smaller. kTooLarge above
  // kMaxFrameBytes; `out` is then unchanged.
  base::Result<void> append(std::string& out, std::uint64_t offset, FrameType type,
                            std::string_view payload);

 private:
  struct Compressor;
  std::string_view shortest(std::string_view payload, std::uint8_t& flags);
  std::unique_ptr<Compressor> compressor_;
  std::string scratch_;
};

// Length of the longest prefix of `frames` that is whole frames and at most
// `limit` bytes. `frames` must be what FrameEncoder made (or start with the
// file header when `has_file_header`).
std::size_t whole_frames(std::string_view frames, std::size_t limit, bool has_file_header);

// Where a log is read from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Bytes read, fewer than `n` only at the end.
  virtual base::Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) = 0;
};

// Reads memory that must outlive it.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  base::Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) override;

 private:
  std::string_view bytes_;
};

struct Frame {
  FrameType type{};
  std::uint64_t offset = 0;  // of its header
  std::string_view payload;  // decompressed; valid until the next call
};

// Bytes that are not part of any whole frame.
struct Damage {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool at_end = false;     // nothing whole follows
  bool cut_short = false;  // and it is a frame whose end is missing, as a killed writer leaves it
  std::string text;        // one line that says what was lost
};

// Streams the frames of a log in order. Memory is bounded by one frame
// (stored and raw: at most 8 MiB) and a 64 KiB window. Damaged bytes are
// skipped up to the next whole frame and reported by damage(). One thread.
class FrameReader {
 public:
  // The payload of the frame at `offset`, where a reader has met it before; false where it is no
  // longer whole.
  static bool payload_at(ByteSource& source, std::uint64_t offset, FrameType type,
                         std::string& out);

  // kInvalid: empty, or not a flatout log; kUnavailable: a newer version;
  // the message names `name` and the next step. `source` must outlive it.
  static base::Result<FrameReader> open(ByteSource& source, std::string name);

  // Reads only the last whole frame of `type` within the last `window` bytes
  // of a log of `log_bytes`. Absent when there is none.
  static std::optional<std::string> find_last(ByteSource& source, std::uint64_t log_bytes,
                                              FrameType type, std::size_t window = 64U << 10);

  // Bytes of all payloads of a log of `log_bytes` after decompression, by the
  // word of the headers alone: what reading them will cost. Counts on until
  // there are more than `enough`; from damage on, bytes as they stand.
  static std::uint64_t payload_bytes(ByteSource& source, std::uint64_t log_bytes,
                                     std::uint64_t enough = UINT64_MAX);

  FrameReader(FrameReader&&) noexcept;
  FrameReader& operator=(FrameReader&&) noexcept;
  ~FrameReader();

  // The next whole frame, or nothing at the end. An Error is one of the
  // operating system's (kIo) and ends the reading.
  base::Result<std::optional<Frame>> next();
  // From now on next() passes over frames of other types, by the word of their headers: what is
  // damaged in them is not seen.
  void want(FrameTypes types);
  // After the end: next() looks behind it again, where a writer may have gone on. What was reported
  // as damaged there is forgotten.
  void go_on();
  // next() gives the frame that was met at `offset` of the log.
  void seek(std::uint64_t offset);

  const std::vector<Damage>& damage() const;
  // End of the last whole frame read so far: where a writer may go on.
  std::uint64_t end_of_frames() const;

 private:
  struct State;
  explicit FrameReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace flatout::store
