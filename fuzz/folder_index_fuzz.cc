// Any bytes as a kept listing of a folder, behind a right checksum: what is taken is whole, leads
// to nothing outside of the folder, and is written again alike.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "data/source/folder_listing.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kChecksumOffset = 56;
constexpr std::string_view kRoot = "/set";

void seal(std::string& file) {
  if (file.size() < kHeaderBytes) return;
  const std::uint64_t sum =
      XXH3_64bits_withSeed(file.data() + kHeaderBytes, file.size() - kHeaderBytes,
                           XXH3_64bits(file.data(), kChecksumOffset));
  std::memcpy(file.data() + kChecksumOffset, &sum, sizeof sum);
}

bool leads_outside(const ListedFolder& folder) {
  const std::string path = "/" + folder.path + "/";
  return path.find("/../") != std::string::npos || path.find("//") != std::string::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string file(reinterpret_cast<const char*>(data), size);
  seal(file);
  const auto listing = read_folder_index(file, kRoot);
  if (!listing) return 0;
  const auto names = static_cast<std::uint64_t>(std::ranges::count(listing->names, '\0'));
  if (names != listing->files() || std::ranges::any_of(listing->folders, leads_outside))
    std::abort();
  if (listing->names.find('/') != std::string::npos) std::abort();
  const std::string written = folder_index_text(*listing);
  const auto again = read_folder_index(written, kRoot);
  if (!again || again->folders != listing->folders || again->names != listing->names) std::abort();
  return 0;
}
