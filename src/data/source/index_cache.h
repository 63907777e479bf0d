// Listings of folders, kept from one program to the next.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/time.h"
#include "data/source/folder_listing.h"

namespace flatout::data {

// One file a folder, named after its path. Nothing here is an error: what cannot be read, is
// damaged or outdated, or cannot be written, is as if it was not there.
class IndexCache {
 public:
  // A folder with fewer files is listed as fast as its index is read.
  static constexpr std::uint64_t kFewestFiles = 10'000;

  explicit IndexCache(std::filesystem::path folder, std::uint64_t fewest_files = kFewestFiles);

  // flatout/index in the user's cache folder (XDG_CACHE_HOME, or ~/.cache); nothing where there is
  // none.
  static std::optional<IndexCache> of_user();

  // What was kept of `root`, as long as none of its folders has changed since.
  std::optional<FolderListing> find(const std::string& root) const;

  // Keeps a listing that was begun at `begun` (the clock of files, CLOCK_REALTIME), but for one
  // with few files, or with a folder that changed right before: another change might show the same
  // time.
  void keep(const FolderListing& listing, base::WallNs begun) const;

 private:
  std::filesystem::path file_of(const std::string& root) const;

  std::filesystem::path folder_;
  std::uint64_t fewest_files_;
};

// Of a folder as it is now; nothing where there is none.
std::optional<FolderStamp> stamp_of(const std::string& path);

}  // namespace flatout::data
