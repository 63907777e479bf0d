// Any bytes as a compressed file, by their first ones: what comes of them is the same in pieces of
// any size, and is given within bounds.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "data/source/compressed_file.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kMostBytes = std::size_t{1} << 16;  // a small input can be a large file

struct Plain {
  std::string bytes;
  bool whole = false;  // the end was reached, without an error
};

Plain read_in_pieces(int file, Compression how, std::size_t piece_bytes) {
  auto from = CompressedFile::open(flatout::base::UniqueFd(::dup(file)), how, "fuzzed");
  if (!from) std::abort();
  Plain out;
  std::vector<std::byte> piece(piece_bytes);  // as large as it may be, for the sanitizer
  while (out.bytes.size() < kMostBytes) {
    const auto got = from->read(piece);
    if (!got) return out;
    if (*got > piece_bytes) std::abort();
    out.bytes.append(reinterpret_cast<const char*>(piece.data()), *got);
    out.whole = *got < piece_bytes;
    if (out.whole) return out;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = ::memfd_create("compressed", MFD_CLOEXEC);
  if (file < 0 || ::ftruncate(file, 0) != 0) std::abort();
  if (::pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  const auto how = compression_of(file, "fuzzed");
  if (!how || *how == Compression::kNone) return 0;
  const Plain large = read_in_pieces(file, *how, kMostBytes);
  const Plain small = read_in_pieces(file, *how, 1 + size % 1000);
  // libzstd compares a frame's size with what it said where the room takes all of it, and passes
  // over that in pieces where the last block is empty.
  const bool comparable = *how == Compression::kGzip && large.bytes.size() < kMostBytes &&
                          small.bytes.size() < kMostBytes;
  if (comparable && large.whole != small.whole) std::abort();
  // An error comes with the piece that it lies in, and that is lost.
  const std::size_t both = std::min(large.bytes.size(), small.bytes.size());
  if (large.bytes.compare(0, both, small.bytes, 0, both) != 0) std::abort();
  return 0;
}
