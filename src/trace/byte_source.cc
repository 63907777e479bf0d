#include "trace/byte_source.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/input_file.h"

namespace flatout::trace {
namespace {

constexpr std::size_t kCompressedBytes = std::size_t{64} << 10;

// The text of traces is 10 to 40 times as large as what gzip makes of it. What is far beyond that
// was made to fill memory, of which each event takes as much as its text.
constexpr std::uint64_t kMostTimes = 100;
constexpr std::uint64_t kAlwaysBytes = std::uint64_t{64} << 20;

class FileBytes : public ByteSource {
 public:
  FileBytes(base::UniqueFd file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}

  base::Result<std::size_t> read(std::span<char> into) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), into.data(), into.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return base::fail_errno(errno, "cannot read " + name_);
    }
  }

 private:
  base::UniqueFd file_;
  std::string name_;
};

class GzipBytes : public ByteSource {
 public:
  GzipBytes(std::unique_ptr<ByteSource> file, std::string name)
      : file_(std::move(file)), name_(std::move(name)), compressed_(kCompressedBytes) {
    constexpr int kGzipAlone = 15 + 16;  // zlib.h: the largest window, and gzip's header
    ready_ = ::inflateInit2(&state_, kGzipAlone) == Z_OK;
  }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;
  ~GzipBytes() override {
    if (ready_) ::inflateEnd(&state_);
  }

  base::Result<std::size_t> read(std::span<char> into) override {
    if (!ready_) return base::fail(base::ErrorCode::kUnavailable, "no memory to unpack " + name_);
    state_.next_out = reinterpret_cast<Bytef*>(into.data());
    state_.avail_out = static_cast<uInt>(std::min(into.size(), std::size_t{1} << 30));
    const uInt asked = state_.avail_out;
    while (!over_ && state_.avail_out == asked) {
      if (state_.avail_in == 0) {
        const auto more = refill();
        if (!more) return std::unexpected(more.error());
        if (*more == 0) {
          if (!between_members_) return damaged("ends early");
          over_ = true;
          break;
        }
      }
      if (const auto problem = unpack(); !problem.empty()) return damaged(problem);
    }
    unpacked_ += asked - state_.avail_out;
    if (unpacked_ > kAlwaysBytes + kMostTimes * packed_) return too_large();
    return asked - state_.avail_out;
  }

 private:
  base::Result<std::size_t> refill() {
    auto got = file_->read(compressed_);
    if (!got) return got;
    state_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    state_.avail_in = static_cast<uInt>(*got);
    packed_ += *got;
    return got;
  }

  // Why it cannot, "" = it could.
  std::string unpack() {
    const int code = ::inflate(&state_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      between_members_ = true;
      members_ = true;
      return ::inflateReset(&state_) == Z_OK ? "" : "cannot be unpacked";
    }
    if (code == Z_OK || code == Z_BUF_ERROR) {
      between_members_ = false;
      return "";
    }
    if (between_members_ && members_) {  // zeros and other fill after the last member
      over_ = true;
      return "";
    }
    return "is damaged";
  }

  std::unexpected<base::Error> damaged(const std::string& how) const {
    return base::fail(base::ErrorCode::kCorrupt, "the compressed file " + name_ + " " + how);
  }

  std::unexpected<base::Error> too_large() const {
    return base::fail(base::ErrorCode::kTooLarge,
                      "the compressed file " + name_ + " unpacks to more than " +
                          std::to_string(kMostTimes) +
                          " times its size, as no trace does; if you trust it, unpack it with "
                          "gunzip and name the result");
  }

  std::unique_ptr<ByteSource> file_;
  std::string name_;
  std::vector<char> compressed_;
  std::uint64_t packed_ = 0, unpacked_ = 0;  // bytes so far
  z_stream state_{};
  bool ready_ = false;
  bool over_ = false;
  bool between_members_ = false;
  bool members_ = false;
};

}  // namespace

base::Result<std::size_t> MemoryBytes::read(std::span<char> into) {
  const std::size_t count = std::min(into.size(), left_.size());
  std::ranges::copy(left_.substr(0, count), into.begin());
  left_.remove_prefix(count);
  return count;
}

base::Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path) {
  auto opened = base::open_input(path);
  if (!opened) return std::unexpected(opened.error());
  base::UniqueFd& file = *opened;
  unsigned char magic[2] = {};
  const ssize_t got = ::pread(file.get(), magic, sizeof magic, 0);
  if (got < 0 && errno != ESPIPE) return base::fail_errno(errno, "cannot read " + path.string());
  const bool gzip = got == 2 && magic[0] == 0x1F && magic[1] == 0x8B;
  auto plain = std::make_unique<FileBytes>(std::move(file), path.string());
  if (!gzip) return plain;
  return std::make_unique<GzipBytes>(std::move(plain), path.string());
}

}  // namespace flatout::trace
