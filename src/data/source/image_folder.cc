#include "data/source/image_folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "data/source/file_part.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::array<std::string_view, 9> kEndings = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                      ".pgm", ".tif",  ".tiff", ".webp"};

bool is_picture_file(std::string_view name) {
  const std::string lower = base::lowered(name);
  return std::ranges::any_of(
      kEndings, [&](std::string_view ending) { return std::string_view(lower).ends_with(ending); });
}

struct Entries {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};

bool is_folder(const dirent& entry, const std::string& path) {
  if (entry.d_type != DT_UNKNOWN && entry.d_type != DT_LNK) return entry.d_type == DT_DIR;
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

Result<Entries> list(const std::string& path) {
  DIR* folder = ::opendir(path.c_str());
  if (folder == nullptr) return fail_file(errno, path);
  Entries out;
  errno = 0;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    (is_folder(*entry, path + "/" + name) ? out.folders : out.files).push_back(name);
    errno = 0;
  }
  const int err = errno;
  ::closedir(folder);
  if (err != 0) return fail_file(err, path);
  std::ranges::sort(out.folders);
  std::ranges::sort(out.files);
  return out;
}

// A folder of a class and its pictures.
struct Folder {
  ListedFolder facts;
  std::vector<std::string> pictures;
};

bool is_same(const FolderStamp& a, const FolderStamp& b) {
  return a.device == b.device && a.inode == b.inode;
}

Result<FolderStamp> stamped(const std::string& path) {
  const auto stamp = stamp_of(path);
  if (!stamp) return fail_file(errno, path);
  return *stamp;
}

class FolderWalk {
 public:
  explicit FolderWalk(std::string root) : root_(std::move(root)) {}

  Result<void> enter(const std::string& below) {
    const std::string path = root_ + "/" + below;
    const auto stamp = stamped(path);
    if (!stamp) return std::unexpected(stamp.error());
    if (std::ranges::any_of(inside_, [&](const auto& outer) { return is_same(outer, *stamp); })) {
      return base::fail(ErrorCode::kInvalid,
                        path + ": a link to a folder that it lies in; remove it");
    }
    auto entries = list(path);
    if (!entries) return std::unexpected(entries.error());
    inside_.push_back(*stamp);
    for (const std::string& folder : entries->folders) {
      if (auto done = enter(below + "/" + folder); !done) return done;
    }
    inside_.pop_back();
    std::erase_if(entries->files, [](const std::string& name) { return !is_picture_file(name); });
    found_.push_back({{below, *stamp, entries->files.size()}, std::move(entries->files)});
    return {};
  }

  std::vector<Folder> take() {
    std::ranges::sort(found_, {}, [](const Folder& folder) { return folder.facts.path; });
    return std::exchange(found_, {});
  }

 private:
  std::string root_;
  std::vector<FolderStamp> inside_;
  std::vector<Folder> found_;
};

Result<void> add_class(const std::string& name, FolderListing& out) {
  FolderWalk walk(out.root);
  if (auto done = walk.enter(name); !done) return done;
  const std::size_t before = out.names.size();
  for (Folder& folder : walk.take()) {
    for (const std::string& picture : folder.pictures) (out.names += picture) += '\0';
    out.folders.push_back(std::move(folder.facts));
  }
  if (out.names.size() > before) return {};
  return base::fail(
      ErrorCode::kNotFound,
      out.root + "/" + name +
          ": a class folder without a picture (.jpg, .png, ...); remove it or fill it");
}

Result<FolderListing> look_through(const std::string& root) {
  const auto stamp = stamped(root);
  if (!stamp) return std::unexpected(stamp.error());
  const auto top = list(root);
  if (!top) return std::unexpected(top.error());
  if (top->folders.empty())
    return base::fail(ErrorCode::kNotFound,
                      root + ": no class folder in it; pictures lie in one folder a class");
  FolderListing out{.root = root, .root_stamp = *stamp};
  for (const std::string& name : top->folders) {
    if (auto done = add_class(name, out); !done) return std::unexpected(done.error());
  }
  return out;
}

}  // namespace

ImageFolder image_folder_of(const FolderListing& listing) {
  ImageFolder out{{}, std::make_unique<FileList>(listing.root)};
  std::uint64_t path_bytes = listing.names.size();  // a slash takes the place of each zero byte
  for (const ListedFolder& folder : listing.folders)
    path_bytes += folder.files * folder.path.size();
  out.files->reserve(listing.files(), path_bytes);
  std::string_view names = listing.names;
  std::string path;
  for (const ListedFolder& folder : listing.folders) {
    if (folder.path.find('/') == std::string::npos) out.classes.push_back(folder.path);
    for (std::uint64_t i = 0; i < folder.files; ++i) {
      const std::size_t end = names.find('\0');
      ((path = folder.path) += '/') += names.substr(0, end);
      out.files->add(path, static_cast<std::int64_t>(out.classes.size()) - 1);
      names.remove_prefix(end + 1);
    }
  }
  return out;
}

Result<ImageFolder> open_image_folder(const std::filesystem::path& root, const IndexCache* cache) {
  // An index is of a whole path, whatever the program's current folder is.
  const std::string path = cache != nullptr ? std::filesystem::absolute(root).string() : "";
  if (cache != nullptr) {
    if (auto kept = cache->find(path)) {
      kept->root = root.string();
      return image_folder_of(*kept);
    }
  }
  const base::WallNs begun = base::read_clock_ns(CLOCK_REALTIME);
  auto listing = look_through(root.string());
  if (!listing) return std::unexpected(listing.error());
  ImageFolder out = image_folder_of(*listing);
  if (cache != nullptr) {
    listing->root = path;
    cache->keep(*listing, begun);
  }
  return out;
}

}  // namespace flatout::data
