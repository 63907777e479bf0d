// What a folder of class folders held when it was looked through, and how that is kept: a file of
// its own, so that the next look costs one stat() a folder instead of reading all their names.
// Pure: nothing here touches files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::data {

// What changes when entries are added to a folder, removed or renamed. Taken before it was read.
struct FolderStamp {
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  bool operator==(const FolderStamp&) const = default;
};

struct ListedFolder {
  std::string path;  // below the root; a class's own folder has no slash in it
  FolderStamp stamp;
  std::uint64_t files = 0;  // pictures that lie right in it
  bool operator==(const ListedFolder&) const = default;
};

// Folders in torchvision's order, class by class: each class's own folder comes before those in it.
struct FolderListing {
  std::string root;
  FolderStamp root_stamp;
  std::vector<ListedFolder> folders = {};
  std::string names = {};  // of the pictures, folder by folder, each ended by a zero byte

  std::uint64_t files() const;
};

// No listing that is kept has more bytes: about 30 million files.
constexpr std::size_t kMostFolderIndexBytes = std::size_t{1} << 30;

std::string folder_index_text(const FolderListing& listing);

// kCorrupt where it is damaged, of another version, or not of `root`; what is given is whole: as
// many names as the folders have files, none of them empty or with a slash, at least one in each
// class.
base::Result<FolderListing> read_folder_index(std::string_view file, std::string_view root);

}  // namespace flatout::data
