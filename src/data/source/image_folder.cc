#include "data/source/image_folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace flatout::data {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::array<std::string_view, 9> kEndings = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                      ".pgm", ".tif",  ".tiff", ".webp"};

bool is_picture(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
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
  if (folder == nullptr) return base::fail_errno(errno, path);
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
  if (err != 0) return base::fail_errno(err, path);
  std::ranges::sort(out.folders);
  std::ranges::sort(out.files);
  return out;
}

using Identity = std::pair<dev_t, ino_t>;

// A folder below a class: its path from the root, and its pictures.
using Folders = std::vector<std::pair<std::string, std::vector<std::string>>>;

class FolderWalk {
 public:
  explicit FolderWalk(std::string root) : root_(std::move(root)) {}

  Result<void> enter(const std::string& below) {
    const std::string path = root_ + "/" + below;
    struct stat facts{};
    if (::stat(path.c_str(), &facts) != 0) return base::fail_errno(errno, path);
    const Identity identity{facts.st_dev, facts.st_ino};
    if (std::ranges::find(inside_, identity) != inside_.end()) {
      return base::fail(ErrorCode::kInvalid,
                        path + ": a link to a folder that it lies in; remove it");
    }
    auto entries = list(path);
    if (!entries) return std::unexpected(entries.error());
    inside_.push_back(identity);
    for (const std::string& folder : entries->folders) {
      if (auto done = enter(below + "/" + folder); !done) return done;
    }
    inside_.pop_back();
    std::erase_if(entries->files, [](const std::string& name) { return !is_picture(name); });
    found_.emplace_back(below, std::move(entries->files));
    return {};
  }

  Folders take() {
    std::ranges::sort(found_, {}, &Folders::value_type::first);
    return std::exchange(found_, {});
  }

 private:
  std::string root_;
  std::vector<Identity> inside_;
  Folders found_;
};

Result<void> add_class(const std::string& root, const std::string& name, std::int64_t label,
                       FileList& files) {
  FolderWalk walk(root);
  if (auto done = walk.enter(name); !done) return done;
  const std::int64_t before = files.size();
  for (const auto& [folder, pictures] : walk.take()) {
    for (const std::string& picture : pictures) files.add(folder + "/" + picture, label);
  }
  if (files.size() > before) return {};
  return base::fail(
      ErrorCode::kNotFound,
      root + "/" + name +
          ": a class folder without a picture (.jpg, .png, ...); remove it or fill it");
}

}  // namespace

Result<ImageFolder> open_image_folder(const std::filesystem::path& root) {
  const auto top = list(root.string());
  if (!top) return std::unexpected(top.error());
  if (top->folders.empty())
    return base::fail(
        ErrorCode::kNotFound,
        root.string() + ": no class folder in it; pictures lie in one folder a class");
  ImageFolder out{top->folders, std::make_unique<FileList>(root.string())};
  for (std::size_t label = 0; label < out.classes.size(); ++label) {
    if (auto done = add_class(root.string(), out.classes[label], static_cast<std::int64_t>(label),
                              *out.files);
        !done) {
      return std::unexpected(done.error());
    }
  }
  return out;
}

}  // namespace flatout::data
