#define XXH_INLINE_ALL
#include "data/source/folder_listing.h"

#include <xxhash.h>

#include <cstring>
#include <optional>
#include <utility>

#include "base/little_endian.h"

namespace flatout::data {
namespace {

using base::append;
using base::load;

constexpr std::string_view kMagic = "FLOFOLDR";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kListingChecksumOffset = 56;
constexpr std::size_t kStampBytes = 32;
constexpr std::size_t kFolderBytes = kStampBytes + 8;
constexpr std::string_view kZero("\0", 1);

// Of all of a file but the checksum itself.
std::uint64_t checksum(std::string_view file) {
  return XXH3_64bits_withSeed(file.data() + kHeaderBytes, file.size() - kHeaderBytes,
                              XXH3_64bits(file.data(), kListingChecksumOffset));
}

void append(std::string& out, const FolderStamp& stamp) {
  append(out, stamp.mtime_ns);
  append(out, stamp.ctime_ns);
  append(out, stamp.device);
  append(out, stamp.inode);
}

FolderStamp stamp_at(std::string_view file, std::size_t at) {
  return {load<std::int64_t>(file, at), load<std::int64_t>(file, at + 8),
          load<std::uint64_t>(file, at + 16), load<std::uint64_t>(file, at + 24)};
}

// The next of texts that end with zero bytes; nothing where none ends.
std::optional<std::string_view> next_text(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return text;
}

bool is_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

// Names with slashes between them.
bool is_path(std::string_view path) {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (!is_name(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

// Each class has its own folder, then those in it, and a picture.
bool are_classes(const std::vector<ListedFolder>& folders) {
  std::string_view own;
  std::uint64_t pictures = 1;
  for (const ListedFolder& folder : folders) {
    const std::string_view name = std::string_view(folder.path).substr(0, folder.path.find('/'));
    if (name.size() == folder.path.size()) {
      if (pictures == 0) return false;
      own = name;
      pictures = 0;
    } else if (name != own) {
      return false;
    }
    pictures += folder.files;
  }
  return !folders.empty() && pictures > 0;
}

bool are_names(std::string_view names, std::uint64_t count) {
  for (; count > 0; --count) {
    const auto name = next_text(names);
    if (!name || !is_name(*name)) return false;
  }
  return names.empty();
}

std::unexpected<base::Error> corrupt(const char* why) {
  return base::fail(base::ErrorCode::kCorrupt, why);
}

}  // namespace

std::uint64_t FolderListing::files() const {
  std::uint64_t count = 0;
  for (const ListedFolder& folder : folders) count += folder.files;
  return count;
}

std::string folder_index_text(const FolderListing& listing) {
  std::string out(kMagic);
  append(out, kVersion);
  append(out, static_cast<std::uint32_t>(listing.folders.size()));
  append(out, static_cast<std::uint64_t>(listing.root.size()));
  std::uint64_t path_bytes = 0;
  for (const ListedFolder& folder : listing.folders) path_bytes += folder.path.size() + 1;
  append(out, path_bytes);
  out.resize(kHeaderBytes);
  append(out, listing.root_stamp);
  for (const ListedFolder& folder : listing.folders) {
    append(out, folder.stamp);
    append(out, folder.files);
  }
  out += listing.root;
  for (const ListedFolder& folder : listing.folders) (out += folder.path) += kZero;
  out += listing.names;
  const std::uint64_t sum = checksum(out);
  std::memcpy(out.data() + kListingChecksumOffset, &sum, sizeof sum);
  return out;
}

base::Result<FolderListing> read_folder_index(std::string_view file, std::string_view root) {
  if (file.size() < kHeaderBytes + kStampBytes || !file.starts_with(kMagic) ||
      load<std::uint32_t>(file, 8) != kVersion)
    return corrupt("is no index of a folder that this flatout reads");
  if (load<std::uint64_t>(file, kListingChecksumOffset) != checksum(file))
    return corrupt("is damaged: its checksum is another one");
  const auto count = load<std::uint32_t>(file, 12);
  const auto root_bytes = load<std::uint64_t>(file, 16);
  const auto path_bytes = load<std::uint64_t>(file, 24);
  std::string_view rest = file.substr(kHeaderBytes + kStampBytes);
  if (rest.size() / kFolderBytes < count) return corrupt("ends before its folders do");
  const std::string_view records = rest.substr(0, count * kFolderBytes);
  rest.remove_prefix(records.size());
  if (root_bytes > rest.size() || path_bytes > rest.size() - root_bytes)
    return corrupt("ends before its paths do");
  if (rest.substr(0, root_bytes) != root) return corrupt("is of another folder");
  std::string_view paths = rest.substr(root_bytes, path_bytes);
  FolderListing out{.root = std::string(root), .root_stamp = stamp_at(file, kHeaderBytes)};
  std::uint64_t files = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto path = next_text(paths);
    if (!path || !is_path(*path)) return corrupt("has a folder without a name");
    const auto inside = load<std::uint64_t>(records, i * kFolderBytes + kStampBytes);
    if (inside > rest.size()) return corrupt("ends before its names do");
    files += inside;
    out.folders.push_back({std::string(*path), stamp_at(records, i * kFolderBytes), inside});
  }
  out.names = rest.substr(root_bytes + path_bytes);
  if (!paths.empty() || !are_classes(out.folders) || !are_names(out.names, files))
    return corrupt("is not what this flatout writes");
  return out;
}

}  // namespace flatout::data
