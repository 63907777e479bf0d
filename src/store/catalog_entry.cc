#include "store/catalog_entry.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/joined.h"
#include "store/folder_size.h"
#include "store/log_file.h"
#include "store/seal.h"
#include "store/sealed/packing.h"

namespace flatout::store {

namespace fs = std::filesystem;

namespace {

// Part of every stamp that a catalog holds: another one has all rows made anew.
constexpr std::uint64_t kStampSeed = 2;

}  // namespace

std::int64_t stamp_of(const fs::path& folder) {
  std::string text;
  const std::array<fs::path, 3> files = {log_path(folder), folder / kSealedFileName,
                                         folder / kMetaFileName};
  for (const auto& file : files) {
    struct stat st{};
    if (::lstat(file.c_str(), &st) != 0) st = {};
    text += std::to_string(st.st_size) + ' ' + std::to_string(st.st_mtim.tv_sec) + '.' +
            std::to_string(st.st_mtim.tv_nsec) + ' ' + std::to_string(st.st_ino) + ';';
  }
  return checksum_of(text, kStampSeed);
}

CatalogEntry read_entry(const Home& home, const std::string& id, const Viewpoint& from) {
  CatalogEntry entry;
  entry.id = id;
  entry.bytes = folder_bytes(home.folder(id));
  entry.meta = read_meta(home.folder(id)).value_or(RunMeta{});
  const auto summary = read_summary(home.folder(id), from);
  if (!summary) {
    entry.problem = summary.error().message;
    return entry;
  }
  const run::RunInfo& info = summary->info;
  entry.name = info.name;
  entry.state = summary->state;
  entry.started_wall_ns = info.started_wall_ns;
  entry.command = base::joined(info.command);
  entry.host = info.host;
  entry.parent = info.parent.value_or("");
  entry.sealed = summary->sealed;
  if (summary->end) {
    entry.duration_ns = summary->end->t_ns - info.started_ns;
  } else {
    const bool running = summary->state == run::RunState::kRunning;
    const base::WallNs until = running ? from.wall_ns : summary->log_changed_ns;
    entry.duration_ns = std::max<base::DurationNs>(until - info.started_wall_ns, 0);
  }
  return entry;
}

bool is_young(const fs::path& folder, const Viewpoint& from) {
  constexpr base::DurationNs kYoung = 60 * base::kSecond;
  struct stat st{};
  if (::lstat(folder.c_str(), &st) != 0) return false;
  const base::WallNs changed = (st.st_mtim.tv_sec * base::kSecond) + st.st_mtim.tv_nsec;
  return std::abs(from.wall_ns - changed) < kYoung;
}

// A recorder makes the folder first, then an empty log.
bool has_nothing(const fs::path& folder) {
  struct stat st{};
  if (::lstat((folder / kSealedFileName).c_str(), &st) == 0) return false;
  return ::lstat(log_path(folder).c_str(), &st) != 0 || st.st_size == 0;
}

// State and duration of a run that goes on change without any file doing so.
bool may_keep(const CatalogEntry& entry) {
  return entry.problem.empty() && entry.state != run::RunState::kRunning;
}

}  // namespace flatout::store
