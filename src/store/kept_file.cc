#include "store/kept_file.h"

#include <xxhash.h>

#include <array>
#include <cstdio>

#include "base/file.h"
#include "store/run_meta.h"

namespace flatout::store {
namespace {

std::string plain_extension(std::string_view text) {
  constexpr std::size_t kLongest = 8;
  std::string out;
  for (const char c : text) {
    const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z',
               digit = c >= '0' && c <= '9';
    if (out.size() < kLongest && (lower || digit)) out += c;
    if (out.size() < kLongest && upper) out += static_cast<char>(c - 'A' + 'a');
  }
  return out.empty() ? "bin" : out;
}

}  // namespace

base::Result<std::string> keep_file(const std::filesystem::path& run_folder, std::string_view bytes,
                                    std::string_view extension) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  std::array<char, 33> hex{};
  std::snprintf(hex.data(), hex.size(), "%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  const std::string name = std::string(hex.data()) + "." + plain_extension(extension);
  const std::filesystem::path folder = run_folder / kTrackedFolderName;
  if (auto made = base::make_private_dirs(folder); !made) return std::unexpected(made.error());
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(folder / name, ignored))) return name;
  if (auto done = base::write_file_atomic(folder / name, bytes); !done) {
    return std::unexpected(done.error());
  }
  return name;
}

}  // namespace flatout::store
