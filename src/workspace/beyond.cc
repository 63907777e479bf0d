#include "workspace/beyond.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>

#include "launch/plan.h"
#include "workspace/mounts.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;

// hier(7) and file-hierarchy(7): of the system, or made up by the kernel, or for what
// is thrown away. A program's own output does not belong there.
constexpr std::string_view kSystem[] = {
    "bin", "boot", "dev", "efi",  "etc",  "lib", "lib32", "lib64", "libx32", "lost+found",
    "nix", "proc", "run", "sbin", "snap", "sys", "tmp",   "usr",   "var"};

constexpr std::size_t kMostEntries = 2000;  // looked at in one folder
constexpr int kDepth = 2;                   // /scratch/group/me
constexpr std::size_t kMostNamed = 16;

struct Cache {
  std::string_view variable;  // "" = only by custom
  std::string_view at_home;   // below $HOME where the variable is not set; "" = nowhere
};
// Each by its project's own documentation of these names.
constexpr Cache kCaches[] = {
    {"XDG_CACHE_HOME", ".cache"},  // base directory specification of freedesktop.org
    {"HF_HOME", ""},               // the five of Hugging Face lie in .cache else
    {"HF_HUB_CACHE", ""},
    {"HF_DATASETS_CACHE", ""},
    {"HUGGINGFACE_HUB_CACHE", ""},
    {"TRANSFORMERS_CACHE", ""},
    {"TORCH_HOME", ""},
    {"TORCH_EXTENSIONS_DIR", ""},
    {"TORCHINDUCTOR_CACHE_DIR", ""},
    {"TRITON_CACHE_DIR", ".triton"},
    {"CUDA_CACHE_PATH", ".nv"},
    {"KERAS_HOME", ".keras"},
    {"NLTK_DATA", "nltk_data"},
    {"TFDS_DATA_DIR", "tensorflow_datasets"},
    {"KAGGLEHUB_CACHE", ""},
    {"MPLCONFIGDIR", ".config/matplotlib"},
    {"NUMBA_CACHE_DIR", ""},
    {"TMPDIR", ""},
};

std::optional<fs::path> real_folder(const fs::path& path) {
  std::error_code err;
  fs::path out = fs::canonical(path, err);
  if (err || !fs::is_directory(out, err)) return std::nullopt;
  return out;
}

bool is_system(const fs::path& path, const fs::path& root) {
  const fs::path relative = relative_below(path, root);
  if (relative.empty()) return true;  // the root itself, or nothing below it
  return std::ranges::find(kSystem, relative.begin()->native()) != std::end(kSystem);
}

bool has_disk(const fs::path& path) {
  struct statfs info{};
  if (::statfs(path.c_str(), &info) != 0) return false;
  return info.f_blocks > 0 || static_cast<std::uint32_t>(info.f_type) == TMPFS_MAGIC;
}

class Search {
 public:
  Search(const BeyondRoots& roots) : roots_(roots) {}

  // The topmost folders of the user's at `dir` or below it.
  void take(const fs::path& dir, int depth) {
    struct stat info{};
    if (::lstat(dir.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return;
    const bool own = info.st_uid == roots_.uid && info.st_gid == roots_.gid;
    if (roots_.uid == 0 || (own && ::access(dir.c_str(), W_OK | X_OK) == 0)) {
      found.push_back(dir);
    } else if (depth > 0) {
      each_in(dir, [&](const fs::path& below) { take(below, depth - 1); });
    }
  }

  template <typename Each>
  static void each_in(const fs::path& dir, const Each& each) {
    std::error_code err;
    std::size_t seen = 0;
    fs::directory_iterator entries(dir, err);
    for (; !err && entries != fs::directory_iterator() && ++seen <= kMostEntries;
         entries.increment(err)) {
      each(entries->path());
    }
  }

  std::vector<fs::path> found;

 private:
  const BeyondRoots& roots_;
};

// Sorted, none in another.
std::vector<fs::path> topmost(std::vector<fs::path> paths) {
  std::ranges::sort(paths);
  std::vector<fs::path> out;
  for (fs::path& path : paths) {
    if (std::ranges::none_of(out, [&](const auto& top) { return in_or_same(path, top); })) {
      out.push_back(std::move(path));
    }
  }
  return out;
}

}  // namespace

BeyondRoots::BeyondRoots() : uid(::geteuid()), gid(::getegid()) {}

std::vector<fs::path> paths_named(std::span<const std::string> command) {
  std::vector<fs::path> out;
  for (const std::string& word : command) {
    const auto equals = word.find("=/");
    const std::size_t start = word.starts_with('/') ? 0 : equals + 1;
    if (start == 0 && !word.starts_with('/')) continue;  // npos + 1
    if (out.size() >= kMostNamed) break;
    fs::path path = fs::path(word.substr(start)).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();  // "/a/"
    out.push_back(std::move(path));
  }
  return out;
}

std::vector<fs::path> folders_named(std::span<const std::string> command) {
  std::vector<fs::path> out;
  for (const fs::path& path : paths_named(command)) {
    auto folder = real_folder(path);
    if (!folder) folder = real_folder(path.parent_path());
    if (folder && std::ranges::find(out, *folder) == out.end()) out.push_back(*folder);
  }
  return out;
}

std::vector<fs::path> caches(std::span<const std::string> env) {
  const std::string_view home = launch::env_value(env, "HOME").value_or("");
  std::vector<fs::path> found;
  for (const Cache& cache : kCaches) {
    const auto said = launch::env_value(env, cache.variable);
    fs::path path;
    if (said && said->starts_with('/')) {
      path = *said;
    } else if (home.starts_with('/') && !cache.at_home.empty()) {
      path = fs::path(home) / cache.at_home;
    }
    if (path.empty()) continue;
    if (auto folder = real_folder(path)) found.push_back(std::move(*folder));
  }
  return topmost(std::move(found));
}

std::vector<fs::path> folders_beyond(const fs::path& cwd, std::span<const std::string> env,
                                     std::span<const std::string> command,
                                     std::span<const fs::path> real, const BeyondRoots& roots) {
  Search search(roots);
  Search::each_in(roots.root, [&](const fs::path& dir) {
    if (!is_system(dir, roots.root)) search.take(dir, kDepth);
  });
  for (const fs::path& mount : mounts_below(roots.root, roots.mountinfo)) {
    if (!is_system(mount, roots.root) && has_disk(mount)) search.take(mount, kDepth);
  }
  // In a home of the system's own (/var/lib/me) nothing else looks.
  const std::string home(launch::env_value(env, "HOME").value_or(""));
  if (home.starts_with('/')) {
    if (const auto folder = real_folder(home)) search.take(*folder, 0);
  }
  for (const fs::path& named : folders_named(command)) {
    const fs::path first = *relative_below(named, "/").begin();
    const bool temporary = first == "tmp" || first == "var";
    const bool itself = named == "/tmp" || named == "/var/tmp" || named == "/var";
    if (itself || (!temporary && is_system(named, "/"))) continue;
    search.take(named, 0);
  }
  std::vector<fs::path> found = topmost(std::move(search.found));
  std::erase_if(found, [&](const fs::path& dir) {
    return in_or_same(dir, cwd) || dir == "/" ||
           std::ranges::any_of(real, [&](const auto& kept) { return in_or_same(dir, kept); });
  });
  return found;
}

}  // namespace flatout::workspace
