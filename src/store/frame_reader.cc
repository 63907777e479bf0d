#include <zstd.h>

#include <algorithm>
#include <utility>

#include "store/frame_layout.h"
#include "store/frame_log.h"

namespace flatout::store {
namespace {

using base::Result;

constexpr std::size_t kWindowBytes = 64U << 10;
// What a reader spends on bytes that look like frames and are not. Chance
// gives one in 4 GiB; only a file made to waste our time has thousands.
constexpr std::uint64_t kSearchBudgetBytes = 64U << 20;
constexpr std::uint64_t kCandidateBytes = 1024;
// Beyond this many, damaged places are reported as one.
constexpr std::size_t kMaxDamage = 32;

enum class Found { kWhole, kEnd, kCutShort, kDamaged };

}  // namespace

Result<std::size_t> MemorySource::read_at(std::uint64_t offset, char* out, std::size_t n) {
  if (offset >= bytes_.size()) return std::size_t{0};
  const auto part = bytes_.substr(static_cast<std::size_t>(offset), n);
  std::copy(part.begin(), part.end(), out);
  return part.size();
}

struct FrameReader::State {
  State(ByteSource& from, std::string called) : source(from), name(std::move(called)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ZSTD_freeDCtx(decompressor); }

  Result<std::string_view> view(std::uint64_t at, std::size_t n);
  Result<Found> frame_at(std::uint64_t at, Frame& out, std::size_t& frame_bytes);
  bool open_payload(const FrameHeader& header, std::string_view stored, Frame& out);
  Result<std::optional<std::uint64_t>> search(std::uint64_t from, std::uint64_t& end);
  bool grew_whole(std::uint64_t at);
  std::size_t unwanted_bytes();
  void report(std::uint64_t from, std::uint64_t to, bool at_end, bool cut_short);

  ByteSource& source;
  std::string name;
  std::uint64_t offset = kFileHeaderBytes;
  std::uint64_t end_of_frames = kFileHeaderBytes;
  bool finished = false;
  FrameTypes wanted = FrameTypes::all();
  std::string window;  // bytes of the log from window_at on
  std::uint64_t window_at = 0;
  std::string raw;  // decompressed payload
  ZSTD_DCtx* decompressor = nullptr;
  std::uint64_t budget = kSearchBudgetBytes;
  std::vector<Damage> damage;
};

// `n` bytes at `at`, fewer only at the end of the log. Valid until the next call.
Result<std::string_view> FrameReader::State::view(std::uint64_t at, std::size_t n) {
  const bool held = at >= window_at && at - window_at <= window.size() &&
                    n <= window.size() - static_cast<std::size_t>(at - window_at);
  if (!held) {
    window.resize(std::max(n, kWindowBytes));
    const auto got = source.read_at(at, window.data(), window.size());
    if (!got) {
      window.clear();
      return std::unexpected(got.error());
    }
    window.resize(*got);
    window_at = at;
  }
  return std::string_view(window).substr(static_cast<std::size_t>(at - window_at), n);
}

bool FrameReader::State::open_payload(const FrameHeader& header, std::string_view stored,
                                      Frame& out) {
  out.type = static_cast<FrameType>(header.type);
  out.payload = stored;
  if (header.flags != kZstd) return true;
  if (decompressor == nullptr) decompressor = ZSTD_createDCtx();
  raw.resize(header.raw);
  const std::size_t n =
      ZSTD_decompressDCtx(decompressor, raw.data(), raw.size(), stored.data(), stored.size());
  out.payload = raw;
  return ZSTD_isError(n) == 0 && n == header.raw;
}

Result<Found> FrameReader::State::frame_at(std::uint64_t at, Frame& out, std::size_t& frame_bytes) {
  const auto head = view(at, kFrameHeaderBytes);
  if (!head) return std::unexpected(head.error());
  if (head->empty()) return Found::kEnd;
  if (head->size() < kFrameHeaderBytes) return Found::kCutShort;
  FrameHeader header;
  if (!parse_frame_header(*head, header)) return Found::kDamaged;
  frame_bytes = header.frame_bytes();
  const auto bytes = view(at, frame_bytes);
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->size() < frame_bytes) return Found::kCutShort;
  if (frame_checksum(bytes->substr(kChecksumBytes), at) != header.checksum) return Found::kDamaged;
  out.offset = at;
  return open_payload(header, bytes->substr(kFrameHeaderBytes), out) ? Found::kWhole
                                                                     : Found::kDamaged;
}

// Offset of the first whole frame after `from`; `end` becomes the end of what
// was searched.
Result<std::optional<std::uint64_t>> FrameReader::State::search(std::uint64_t from,
                                                                std::uint64_t& end) {
  std::string chunk;
  std::uint64_t at = from + 1 + kMarkerOffset;
  for (;;) {
    chunk.resize(kWindowBytes);
    const auto got = source.read_at(at, chunk.data(), chunk.size());
    if (!got) return std::unexpected(got.error());
    chunk.resize(*got);
    if (!chunk.empty()) end = std::max(end, at + chunk.size());
    for (auto hit = chunk.find(kFrameMarker); hit != std::string::npos;
         hit = chunk.find(kFrameMarker, hit + 1)) {
      Frame frame;
      std::size_t frame_bytes = 0;
      const std::uint64_t candidate = at + hit - kMarkerOffset;
      const auto found = frame_at(candidate, frame, frame_bytes);
      if (!found) return std::unexpected(found.error());
      if (*found == Found::kWhole) return candidate;
      const std::uint64_t cost = frame_bytes + kCandidateBytes;
      if (cost > budget) return std::optional<std::uint64_t>();
      budget -= cost;
    }
    if (chunk.size() < kWindowBytes) return std::optional<std::uint64_t>();
    at += chunk.size() - (kFrameMarker.size() - 1);
  }
}

// Whether the frame at `at`, read anew, is whole: beside a writer, what was its
// last half-written frame has others behind it by the time they are searched.
bool FrameReader::State::grew_whole(std::uint64_t at) {
  Frame frame;
  std::size_t frame_bytes = 0;
  window.clear();
  const auto found = frame_at(at, frame, frame_bytes);
  return found && *found == Found::kWhole;
}

// Length of a frame at `offset` that nobody wants; 0 where there is none, or where what follows it
// is no frame, so that its length may be wrong.
std::size_t FrameReader::State::unwanted_bytes() {
  if (wanted.bits() == -1) return 0;
  FrameHeader header;
  const auto head = view(offset, kFrameHeaderBytes);
  if (!head || !parse_frame_header(*head, header) || wanted.has(header.type)) return 0;
  const std::size_t bytes = header.frame_bytes();
  const auto behind = view(offset + bytes, kFrameHeaderBytes);
  return behind && parse_frame_header(*behind, header) ? bytes : 0;
}

void FrameReader::State::report(std::uint64_t from, std::uint64_t to, bool at_end, bool cut_short) {
  if (damage.size() == kMaxDamage) {
    auto& last = damage.back();
    last.bytes = to - last.offset;
    last.at_end = at_end;
    last.cut_short = cut_short;
    last.text = name + ": more damaged places from offset " + std::to_string(last.offset) + " to " +
                std::to_string(to) + "; what is whole between them was read";
    return;
  }
  const std::string bytes = std::to_string(to - from) + " bytes";
  const std::string where = std::to_string(from);
  std::string text = name + ": ";
  if (at_end && cut_short) {
    text += "the last frame, " + bytes + " at offset " + where +
            ", was cut short and is left out; all before it was read";
  } else if (at_end) {
    text += bytes + " from offset " + where +
            " to the end are damaged and left out; all before them was read";
  } else {
    text += bytes + " at offset " + where +
            " are damaged and left out; reading went on at offset " + std::to_string(to);
  }
  damage.push_back({.offset = from,
                    .bytes = to - from,
                    .at_end = at_end,
                    .cut_short = cut_short,
                    .text = std::move(text)});
}

FrameReader::FrameReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
FrameReader::FrameReader(FrameReader&&) noexcept = default;
FrameReader& FrameReader::operator=(FrameReader&&) noexcept = default;
FrameReader::~FrameReader() = default;

Result<FrameReader> FrameReader::open(ByteSource& source, std::string name) {
  auto state = std::make_unique<State>(source, std::move(name));
  const auto head = state->view(0, kFileHeaderBytes);
  if (!head) return std::unexpected(head.error());
  if (auto fits = check_file_header(*head, state->name); !fits) {
    return std::unexpected(fits.error());
  }
  return FrameReader(std::move(state));
}

Result<std::optional<Frame>> FrameReader::next() {
  State& s = *state_;
  while (!s.finished) {
    if (const std::size_t unwanted = s.unwanted_bytes(); unwanted > 0) {
      s.offset += unwanted;
      s.end_of_frames = s.offset;
      continue;
    }
    Frame frame;
    std::size_t frame_bytes = 0;
    const auto found = s.frame_at(s.offset, frame, frame_bytes);
    if (!found) return std::unexpected(found.error());
    if (*found == Found::kWhole) {
      s.offset += frame_bytes;
      s.end_of_frames = s.offset;
      return frame;
    }
    if (*found == Found::kEnd) break;
    std::uint64_t end = s.offset;
    const auto next = s.search(s.offset, end);
    if (!next) return std::unexpected(next.error());
    if (*next && s.grew_whole(s.offset)) continue;
    if (!*next) {
      // The end that was searched starts 9 bytes on: a shorter rest counts too.
      const auto rest = s.view(s.offset, kFrameHeaderBytes);
      if (rest) end = std::max(end, s.offset + rest->size());
      s.report(s.offset, end, true, *found == Found::kCutShort);
      break;
    }
    s.report(s.offset, **next, false, false);
    s.offset = **next;
  }
  s.finished = true;
  return std::optional<Frame>();
}

void FrameReader::go_on() {
  State& s = *state_;
  s.finished = false;
  s.window.clear();  // it ends where the log did
  if (!s.damage.empty() && s.damage.back().at_end) s.damage.pop_back();
}

void FrameReader::want(FrameTypes types) { state_->wanted = types; }

void FrameReader::seek(std::uint64_t offset) {
  state_->finished = false;
  state_->offset = offset;
}

const std::vector<Damage>& FrameReader::damage() const { return state_->damage; }
std::uint64_t FrameReader::end_of_frames() const { return state_->end_of_frames; }

std::optional<std::string> FrameReader::find_last(ByteSource& source, std::uint64_t log_bytes,
                                                  FrameType type, std::size_t window) {
  const std::uint64_t from = std::max<std::uint64_t>(
      kFileHeaderBytes, log_bytes - std::min<std::uint64_t>(log_bytes, window));
  std::string tail(window, '\0');
  const auto got = source.read_at(from, tail.data(), tail.size());
  if (!got) return std::nullopt;
  tail.resize(*got);
  State state(source, "");
  state.window = tail;
  state.window_at = from;
  for (auto hit = tail.rfind(kFrameMarker); hit != std::string::npos && hit >= kMarkerOffset;
       hit = tail.rfind(kFrameMarker, hit - 1)) {
    Frame frame;
    std::size_t frame_bytes = 0;
    const auto found = state.frame_at(from + hit - kMarkerOffset, frame, frame_bytes);
    if (found && *found == Found::kWhole && frame.type == type) return std::string(frame.payload);
    if (frame_bytes + kCandidateBytes > state.budget) return std::nullopt;
    state.budget -= frame_bytes + kCandidateBytes;
  }
  return std::nullopt;
}

bool FrameReader::payload_at(ByteSource& source, std::uint64_t offset, FrameType type,
                             std::string& out) {
  State state(source, "");
  Frame frame;
  std::size_t frame_bytes = 0;
  const auto found = state.frame_at(offset, frame, frame_bytes);
  if (!found || *found != Found::kWhole || frame.type != type) return false;
  out = frame.payload;
  return true;
}

std::uint64_t FrameReader::payload_bytes(ByteSource& source, std::uint64_t log_bytes,
                                         std::uint64_t enough) {
  State state(source, "");
  std::uint64_t sum = 0;
  for (std::uint64_t at = kFileHeaderBytes; at < log_bytes && sum <= enough;) {
    const auto head = state.view(at, kFrameHeaderBytes);
    FrameHeader header;
    if (!head || !parse_frame_header(*head, header)) return sum + (log_bytes - at);
    sum += header.raw;
    at += header.frame_bytes();
  }
  return sum;
}

}  // namespace flatout::store
