// Compressed files for tests and seeds.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <string>

namespace flatout::data {

inline std::string gzipped(const std::string& plain) {
  z_stream state{};
  (void)::deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&state, plain.size()) + 64, '\0');
  std::string from = plain;
  state.next_in = reinterpret_cast<Bytef*>(from.data());
  state.avail_in = static_cast<uInt>(from.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  (void)::deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  ::deflateEnd(&state);
  return out;
}

inline std::string zstd_of(const std::string& plain) {
  std::string out(::ZSTD_compressBound(plain.size()), '\0');
  ZSTD_CCtx* context = ::ZSTD_createCCtx();
  ::ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  out.resize(::ZSTD_compress2(context, out.data(), out.size(), plain.data(), plain.size()));
  ::ZSTD_freeCCtx(context);
  return out;
}

}  // namespace flatout::data
