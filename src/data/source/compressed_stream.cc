#include "data/source/compressed_stream.h"

#define ZLIB_CONST  // its pointer to what is read is one to const
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>

namespace flatout::data {
namespace {

using Stream = CompressedFile::Stream;

constexpr int kGzipWindow = 15 + 16;  // 32 KiB, with the headers and checksums of gzip
constexpr int kMostZstdWindowLog = 27;
constexpr std::byte kGzipBegin{0x1f};

class Gzip final : public Stream {
 public:
  Gzip() { open_ = ::inflateInit2(&state_, kGzipWindow) == Z_OK; }
  ~Gzip() override {
    if (open_) ::inflateEnd(&state_);
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  bool is_open() const { return open_; }

  Step step(std::span<const std::byte> from, std::span<std::byte> room) override {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    from = from.first(std::min(from.size(), kMost));
    room = room.first(std::min(room.size(), kMost));
    if (between_) (void)::inflateReset(&state_);
    between_ = false;
    state_.next_in = reinterpret_cast<const Bytef*>(from.data());
    state_.avail_in = static_cast<uInt>(from.size());
    state_.next_out = reinterpret_cast<Bytef*>(room.data());
    state_.avail_out = static_cast<uInt>(room.size());
    const int status = ::inflate(&state_, Z_NO_FLUSH);
    between_ = status == Z_STREAM_END;
    full_ = state_.avail_out == 0 && !between_;
    Step out{from.size() - state_.avail_in, room.size() - state_.avail_out};
    // Z_BUF_ERROR: nothing to do with what there is.
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      out.wrong = state_.msg != nullptr ? state_.msg : "it cannot be decompressed";
    return out;
  }

  bool between_parts() const override { return between_; }
  bool has_output() const override { return full_; }
  bool begins(std::span<const std::byte> bytes) const override { return bytes[0] == kGzipBegin; }

 private:
  z_stream state_{};
  bool open_ = false;
  bool between_ = true;
  bool full_ = false;
};

class Zstd final : public Stream {
 public:
  Zstd() : state_(::ZSTD_createDCtx()) {
    if (state_ != nullptr)
      (void)::ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, kMostZstdWindowLog);
  }
  ~Zstd() override { ::ZSTD_freeDCtx(state_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  bool is_open() const { return state_ != nullptr; }

  Step step(std::span<const std::byte> from, std::span<std::byte> room) override {
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t status = ::ZSTD_decompressStream(state_, &out, &in);
    Step done{in.pos, out.pos};
    if (::ZSTD_isError(status) != 0) {
      done.wrong = ::ZSTD_getErrorName(status);
      return done;
    }
    between_ = status == 0;
    full_ = out.pos == out.size && !between_;
    return done;
  }

  bool between_parts() const override { return between_; }
  bool has_output() const override { return full_; }
  // A frame, or one that is passed over (0x50 to 0x5f).
  bool begins(std::span<const std::byte> bytes) const override {
    return bytes[0] == std::byte{0x28} || (bytes[0] & std::byte{0xf0}) == std::byte{0x50};
  }

 private:
  ZSTD_DCtx* state_;
  bool between_ = true;
  bool full_ = false;
};

template <typename Kind>
std::unique_ptr<Stream> opened() {
  auto out = std::make_unique<Kind>();
  return out->is_open() ? std::move(out) : nullptr;
}

}  // namespace

std::unique_ptr<Stream> gzip_stream() { return opened<Gzip>(); }
std::unique_ptr<Stream> zstd_stream() { return opened<Zstd>(); }

}  // namespace flatout::data
