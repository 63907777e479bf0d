// Blobs of a sealed run: compressed when that makes them smaller, and
// checksummed. Internal to store/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace flatout::store {

// XXH3-64. The seed ties bytes to their place, so that two blobs of the same
// file cannot be taken for each other.
std::int64_t checksum_of(std::string_view bytes, std::uint64_t seed);

// Keeps zstd's contexts, so reuse it. One thread.
class Packer {
 public:
  Packer();
  ~Packer();
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // `raw` itself, or shorter. Valid until the next call.
  std::string_view pack(std::string_view raw);
  // The `raw_bytes` bytes that were packed into `stored`; false when it does
  // not give just these. Allocates no more than that. Valid until the next call.
  bool unpack(std::string_view stored, std::size_t raw_bytes, std::string_view& raw);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
  std::string packed_;
  std::string unpacked_;
};

}  // namespace flatout::store
