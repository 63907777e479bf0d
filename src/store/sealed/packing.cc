#include "store/sealed/packing.h"

#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace flatout::store {
namespace {

// Above 3 the series of real runs hardly shrink further, at twice the time.
constexpr int kLevel = 3;

}  // namespace

std::int64_t checksum_of(std::string_view bytes, std::uint64_t seed) {
  return static_cast<std::int64_t>(XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed));
}

struct Packer::Contexts {
  ZSTD_CCtx* compress = ZSTD_createCCtx();
  ZSTD_DCtx* decompress = ZSTD_createDCtx();
  Contexts() = default;
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;
  ~Contexts() {
    ZSTD_freeCCtx(compress);
    ZSTD_freeDCtx(decompress);
  }
};

Packer::Packer() : contexts_(std::make_unique<Contexts>()) {}
Packer::~Packer() = default;

std::string_view Packer::pack(std::string_view raw) {
  if (raw.size() < 16) return raw;  // smaller than zstd's own header saves
  packed_.resize(ZSTD_compressBound(raw.size()));
  const std::size_t n = ZSTD_compressCCtx(contexts_->compress, packed_.data(), packed_.size(),
                                          raw.data(), raw.size(), kLevel);
  if (ZSTD_isError(n) != 0 || n >= raw.size()) return raw;
  return std::string_view(packed_).substr(0, n);
}

bool Packer::unpack(std::string_view stored, std::size_t raw_bytes, std::string_view& raw) {
  raw = stored;
  if (stored.size() == raw_bytes) return true;
  if (stored.size() > raw_bytes) return false;
  unpacked_.resize(raw_bytes);
  const std::size_t n = ZSTD_decompressDCtx(contexts_->decompress, unpacked_.data(), raw_bytes,
                                            stored.data(), stored.size());
  raw = unpacked_;
  return ZSTD_isError(n) == 0 && n == raw_bytes;
}

}  // namespace flatout::store
