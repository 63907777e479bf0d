#include "data/source/compressed_file.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "data/source/compressed_stream.h"
#include "data/source/file_part.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

namespace {

constexpr std::size_t kInputBytes = std::size_t{64} << 10;

bool begins(std::span<const std::byte> bytes, std::string_view with) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
      .starts_with(with);
}

// "\x50\x2a\x4d\x18" to "\x5f...": a part that readers of Zstandard pass over.
bool is_skippable(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && (std::to_integer<unsigned>(bytes[0]) & 0xf0U) == 0x50 &&
         begins(bytes.subspan(1), "\x2a\x4d\x18");
}

}  // namespace

Result<Compression> compression_of(int fd, const std::string& path) {
  std::array<std::byte, 6> start{};
  const auto got = read_at(fd, 0, start, path);
  if (!got) return std::unexpected(got.error());
  const auto bytes = std::span<const std::byte>(start).first(*got);
  if (begins(bytes, "\x1f\x8b")) return Compression::kGzip;
  if (begins(bytes, "\x28\xb5\x2f\xfd") || is_skippable(bytes)) return Compression::kZstd;
  const bool xz = begins(bytes,
                         "\xfd"
                         "7zXZ");
  if (!xz && !begins(bytes, "BZh")) return Compression::kNone;
  return base::fail(ErrorCode::kInvalid, path + ": compressed with " + (xz ? "xz" : "bzip2") +
                                             "; unpack it, or compress it with gzip or zstd");
}

struct CompressedFile::Parts {
  base::UniqueFd file;
  std::string path;
  std::unique_ptr<Stream> stream;
  std::vector<std::byte> input = std::vector<std::byte>(kInputBytes);
  std::size_t begin = 0;  // of what is left in `input`
  std::size_t end = 0;
  std::uint64_t at = 0;  // of the file, behind `input`

  std::span<const std::byte> left() const { return std::span(input).subspan(begin, end - begin); }
  std::uint64_t taken() const { return at - (end - begin); }

  // False where the file ends.
  Result<bool> refill() {
    const auto got = read_at(file.get(), at, input, path);
    if (!got) return std::unexpected(got.error());
    begin = 0;
    end = *got;
    at += *got;
    return *got > 0;
  }

  std::unexpected<base::Error> corrupt(const std::string& what) const {
    return base::fail(ErrorCode::kCorrupt, path + ": at byte " + std::to_string(taken()) +
                                               " of the compressed file: " + what +
                                               "; copy it again");
  }

  // True where all that is left of the file are zeros, as tapes and some tools fill it up.
  Result<bool> only_zeros_left() {
    for (;;) {
      if (!std::ranges::all_of(left(), [](std::byte one) { return one == std::byte{0}; }))
        return false;
      const auto more = refill();
      if (!more) return std::unexpected(more.error());
      if (!*more) return true;
    }
  }
};

CompressedFile::CompressedFile(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CompressedFile::CompressedFile(CompressedFile&&) noexcept = default;
CompressedFile& CompressedFile::operator=(CompressedFile&&) noexcept = default;
CompressedFile::~CompressedFile() = default;

std::uint64_t CompressedFile::taken() const { return parts_->taken(); }

Result<CompressedFile> CompressedFile::open(base::UniqueFd file, Compression how,
                                            std::string path) {
  auto parts = std::make_unique<Parts>();
  parts->file = std::move(file);
  parts->path = std::move(path);
  parts->stream = how == Compression::kGzip ? gzip_stream() : zstd_stream();
  if (parts->stream == nullptr)
    return base::fail(ErrorCode::kUnavailable, parts->path + ": no memory to decompress it");
  return CompressedFile(std::move(parts));
}

Result<std::size_t> CompressedFile::read(std::span<std::byte> room) {
  Parts& parts = *parts_;
  std::size_t done = 0;
  while (done < room.size()) {
    if (parts.begin == parts.end) {
      const auto more = parts.refill();
      if (!more) return std::unexpected(more.error());
      if (!*more && parts.stream->between_parts()) return done;
      // What is left within the stream may still come.
      if (!*more && !parts.stream->has_output()) return parts.corrupt("it is cut off");
    }
    if (parts.stream->between_parts() && parts.taken() > 0 && !parts.stream->begins(parts.left())) {
      const auto zeros = parts.only_zeros_left();
      if (!zeros) return std::unexpected(zeros.error());
      if (*zeros) return done;
      return parts.corrupt("behind its end there is something else");
    }
    const Stream::Step step = parts.stream->step(parts.left(), room.subspan(done));
    parts.begin += step.taken;
    done += step.given;
    if (!step.wrong.empty()) return parts.corrupt(step.wrong);
  }
  return done;
}

}  // namespace flatout::data
