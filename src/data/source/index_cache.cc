#define XXH_INLINE_ALL
#include "data/source/index_cache.h"

#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/file.h"

namespace flatout::data {
namespace {

// File systems tell times in steps of up to two seconds.
constexpr base::DurationNs kCoarsestTime = 2 * base::kSecond;

base::WallNs time_of(const timespec& time) {
  return static_cast<base::WallNs>(time.tv_sec) * base::kSecond + time.tv_nsec;
}

bool is_as_it_was(const std::string& path, const FolderStamp& stamp) {
  return stamp_of(path) == stamp;
}

bool is_unchanged(const FolderListing& listing) {
  return is_as_it_was(listing.root, listing.root_stamp) &&
         std::ranges::all_of(listing.folders, [&](const ListedFolder& folder) {
           return is_as_it_was(listing.root + "/" + folder.path, folder.stamp);
         });
}

bool is_settled(const FolderStamp& stamp, base::WallNs at) {
  return std::max(stamp.mtime_ns, stamp.ctime_ns) < at - kCoarsestTime;
}

std::filesystem::path variable(const char* name) {
  const char* value = std::getenv(name);
  const std::filesystem::path path(value == nullptr ? "" : value);
  return path.is_absolute() ? path : std::filesystem::path();
}

}  // namespace

std::optional<FolderStamp> stamp_of(const std::string& path) {
  struct stat facts{};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return std::nullopt;
  return FolderStamp{.mtime_ns = time_of(facts.st_mtim),
                     .ctime_ns = time_of(facts.st_ctim),
                     .device = facts.st_dev,
                     .inode = facts.st_ino};
}

IndexCache::IndexCache(std::filesystem::path folder, std::uint64_t fewest_files)
    : folder_(std::move(folder)), fewest_files_(fewest_files) {}

std::optional<IndexCache> IndexCache::of_user() {
  std::filesystem::path caches = variable("XDG_CACHE_HOME");
  if (caches.empty()) {
    const std::filesystem::path home = variable("HOME");
    if (home.empty()) return std::nullopt;
    caches = home / ".cache";
  }
  return IndexCache(caches / "flatout" / "index");
}

std::filesystem::path IndexCache::file_of(const std::string& root) const {
  char name[32];
  std::snprintf(name, sizeof name, "%016" PRIx64 ".index",
                static_cast<std::uint64_t>(XXH3_64bits(root.data(), root.size())));
  return folder_ / name;
}

std::optional<FolderListing> IndexCache::find(const std::string& root) const {
  const auto file = base::read_file(file_of(root), kMostFolderIndexBytes);
  if (!file) return std::nullopt;
  auto listing = read_folder_index(*file, root);
  if (!listing || !is_unchanged(*listing)) return std::nullopt;
  return std::move(*listing);
}

void IndexCache::keep(const FolderListing& listing, base::WallNs begun) const {
  if (listing.files() < fewest_files_ || listing.names.size() > kMostFolderIndexBytes / 2) return;
  const bool settled = is_settled(listing.root_stamp, begun) &&
                       std::ranges::all_of(listing.folders, [begun](const ListedFolder& folder) {
                         return is_settled(folder.stamp, begun);
                       });
  if (!settled) return;
  const std::string text = folder_index_text(listing);
  if (text.size() > kMostFolderIndexBytes || !base::make_private_dirs(folder_)) return;
  (void)base::write_file_atomic(file_of(listing.root), text);
}

}  // namespace flatout::data
