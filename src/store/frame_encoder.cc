#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>

#include "base/little_endian.h"
#include "store/frame_layout.h"
#include "store/frame_log.h"

namespace flatout::store {
namespace {

// zstd's fastest regular level: a tick has microseconds, not milliseconds.
constexpr int kZstdLevel = 1;
// Below this, zstd's own header eats what it could win.
constexpr std::size_t kLeastToCompress = 48;

}  // namespace

std::uint64_t frame_checksum(std::string_view after_checksum, std::uint64_t offset) {
  return XXH3_64bits_withSeed(after_checksum.data(), after_checksum.size(), offset);
}

bool parse_frame_header(std::string_view bytes, FrameHeader& out) {
  if (bytes.size() < kFrameHeaderBytes) return false;
  out = {.checksum = base::load<std::uint64_t>(bytes, 0),
         .type = base::load<std::uint8_t>(bytes, 12),
         .flags = base::load<std::uint8_t>(bytes, 13),
         .stored = base::load<std::uint32_t>(bytes, 16),
         .raw = base::load<std::uint32_t>(bytes, 20)};
  const bool sizes_fit = out.raw <= kMaxFrameBytes &&
                         (out.flags == kZstd ? out.stored < out.raw : out.stored == out.raw);
  return bytes.substr(kMarkerOffset, kFrameMarker.size()) == kFrameMarker && out.flags <= kZstd &&
         base::load<std::uint16_t>(bytes, 14) == 0 && sizes_fit;
}

std::string file_header(std::uint32_t version) {
  std::string out(kLogMagic);
  base::append(out, version);
  base::append(out, static_cast<std::uint32_t>(XXH3_64bits(out.data(), out.size())));
  return out;
}

base::Result<void> check_file_header(std::string_view bytes, const std::string& name) {
  using base::ErrorCode;
  if (bytes.empty()) {
    return base::fail(ErrorCode::kInvalid,
                      name + " is empty: nothing was recorded; remove its run with 'flatout rm'");
  }
  const auto magic = bytes.substr(0, kLogMagic.size());
  if (magic != kLogMagic.substr(0, magic.size())) {
    return base::fail(ErrorCode::kInvalid,
                      name + " is not a flatout log; give a folder that 'flatout run' made");
  }
  if (bytes.size() < kFileHeaderBytes) {
    return base::fail(ErrorCode::kInvalid, name +
                                               " was cut short before its first frame; remove "
                                               "its run with 'flatout rm'");
  }
  if (base::load<std::uint32_t>(bytes, 12) !=
      static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), 12))) {
    return base::fail(ErrorCode::kCorrupt,
                      "the first 16 bytes of " + name + " are damaged; restore it from a copy");
  }
  const auto version = base::load<std::uint32_t>(bytes, 8);
  if (version != kLogVersion) {
    return base::fail(ErrorCode::kUnavailable,
                      name + " has log version " + std::to_string(version) +
                          ", this flatout reads " + std::to_string(kLogVersion) +
                          "; read it with a newer flatout");
  }
  return {};
}

struct FrameEncoder::Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  Compressor() = default;
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { ZSTD_freeCCtx(context); }
};

FrameEncoder::FrameEncoder() : compressor_(std::make_unique<Compressor>()) {}
FrameEncoder::~FrameEncoder() = default;

// The payload in its shortest form; sets `flags`.
std::string_view FrameEncoder::shortest(std::string_view payload, std::uint8_t& flags) {
  if (payload.size() < kLeastToCompress || compressor_->context == nullptr) return payload;
  scratch_.resize(ZSTD_compressBound(payload.size()));
  const std::size_t n = ZSTD_compressCCtx(compressor_->context, scratch_.data(), scratch_.size(),
                                          payload.data(), payload.size(), kZstdLevel);
  if (ZSTD_isError(n) != 0 || n >= payload.size()) return payload;
  flags = kZstd;
  return std::string_view(scratch_).substr(0, n);
}

base::Result<void> FrameEncoder::append(std::string& out, std::uint64_t offset, FrameType type,
                                        std::string_view payload) {
  if (payload.size() > kMaxFrameBytes) {
    return base::fail(base::ErrorCode::kTooLarge,
                      "a record of " + std::to_string(payload.size()) +
                          " bytes does not fit into a frame of the log; it is left out");
  }
  std::uint8_t flags = 0;
  const auto stored = shortest(payload, flags);
  const std::size_t begin = out.size();
  out.append(kChecksumBytes, '\0');
  out.append(kFrameMarker);
  base::append(out, type);
  base::append(out, flags);
  base::append(out, std::uint16_t{0});
  base::append(out, static_cast<std::uint32_t>(stored.size()));
  base::append(out, static_cast<std::uint32_t>(payload.size()));
  out.append(stored);
  const std::uint64_t checksum =
      frame_checksum(std::string_view(out).substr(begin + kChecksumBytes), offset);
  std::memcpy(out.data() + begin, &checksum, sizeof checksum);
  return {};
}

std::size_t whole_frames(std::string_view frames, std::size_t limit, bool has_file_header) {
  limit = std::min(limit, frames.size());
  std::size_t end = has_file_header ? kFileHeaderBytes : 0;
  if (end > limit) return 0;
  FrameHeader header;
  while (parse_frame_header(frames.substr(end), header) && header.frame_bytes() <= limit - end) {
    end += header.frame_bytes();
  }
  return end;
}

}  // namespace flatout::store
