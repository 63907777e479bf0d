#include "store/staging.h"

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "base/file.h"
#include "store/frame_log.h"
#include "store/json_fields.h"
#include "store/sealed/packing.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::Result;

// f_type values from linux/magic.h and the file systems' own sources.
constexpr std::array<std::pair<long, const char*>, 11> kNetworkTypes = {{{0x6969, "NFS"},
                                                                         {0xFF534D42, "CIFS"},
                                                                         {0xFE534D42, "SMB"},
                                                                         {0x517B, "SMB"},
                                                                         {0x0BD00BD0, "Lustre"},
                                                                         {0x47504653, "GPFS"},
                                                                         {0x19830326, "BeeGFS"},
                                                                         {0x00C36400, "CephFS"},
                                                                         {0x01021997, "9p"},
                                                                         {0x5346414F, "AFS"},
                                                                         {0x65735546, "FUSE"}}};

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string own_name() { return "flatout-" + std::to_string(::getuid()); }

std::optional<fs::path> private_folder(const fs::path& parent, const FileSystemType& type) {
  if (parent.empty() || !parent.is_absolute() || network_file_system(parent, type)) {
    return std::nullopt;
  }
  fs::path folder = parent / own_name();
  (void)::mkdir(folder.c_str(), 0700);
  if (!base::is_private_folder(folder)) return std::nullopt;
  return folder;
}

struct Staged {
  std::string host;
  std::string log;
};

std::optional<Staged> read_staged(const fs::path& folder) {
  const auto text = base::read_file(folder / kStagedFileName, 16U << 10);
  if (!text) return std::nullopt;
  Staged staged;
  Fields fields(*text, "staged");
  fields.require("host", staged.host);
  fields.require("log", staged.log);
  auto done = fields.done(std::move(staged));
  if (!done) return std::nullopt;
  return std::move(*done);
}

// <anything>/flatout-<uid>/<id>-<8 hex>/log.flo, in a folder that is ours.
bool is_place_of(const fs::path& log, const std::string& id) {
  const fs::path place = log.parent_path();
  const std::string name = place.filename().string();
  return log.is_absolute() && log.lexically_normal() == log && log.filename() == kLogFileName &&
         name.size() == id.size() + 9 && name.starts_with(id + "-") &&
         place.parent_path().filename() == own_name() &&
         base::is_private_folder(place.parent_path()) && base::is_private_folder(place);
}

}  // namespace

std::optional<long> file_system_type(const fs::path& path) {
  struct statfs st{};
  if (::statfs(path.c_str(), &st) != 0) return std::nullopt;
  return static_cast<long>(st.f_type);
}

std::optional<std::string> network_file_system(const fs::path& path, const FileSystemType& type) {
  fs::path at = path;
  auto found = type(at);
  while (!found && at.has_relative_path()) {
    at = at.parent_path();
    found = type(at);
  }
  if (!found) return std::nullopt;
  // f_type is signed on some machines.
  const auto magic = static_cast<std::uint32_t>(*found);
  for (const auto& [known, name] : kNetworkTypes) {
    if (magic == static_cast<std::uint32_t>(known)) return name;
  }
  return std::nullopt;
}

std::optional<fs::path> staging_root(const Home& home, const Environment& environment,
                                     const FileSystemType& type) {
  return staging_root(home, environment, type, "/var/tmp");
}

std::optional<fs::path> staging_root(const Home& home, const Environment& environment,
                                     const FileSystemType& type, const fs::path& var_tmp) {
  if (!network_file_system(home.runs(), type)) return std::nullopt;
  if (auto folder = private_folder(var_tmp, type)) return folder;
  const char* runtime = environment("XDG_RUNTIME_DIR");
  return private_folder(runtime == nullptr ? "" : runtime, type);
}

fs::path staged_place(const fs::path& root, const Home& home, std::string_view id) {
  char tail[16];
  std::snprintf(tail, sizeof tail, "-%08x",
                static_cast<unsigned>(checksum_of(home.root().string(), 0) & 0xffffffff));
  return root / (std::string(id) + tail) / kLogFileName;
}

Result<void> write_staged(Disk& disk, const fs::path& folder, const fs::path& log) {
  if (auto made = disk.make_dir(log.parent_path()); !made) {
    if (made.error().code != base::ErrorCode::kExists ||
        !base::is_private_folder(log.parent_path())) {
      return made;
    }
  }
  auto file = disk.create(folder / kStagedFileName);
  if (!file && file.error().code == base::ErrorCode::kExists) return {};
  if (!file) return std::unexpected(file.error());
  const std::string text = dump({{"host", host_name()}, {"log", log.string()}}) + "\n";
  const auto written = (*file)->write_at(0, text);
  if (!written) return std::unexpected(written.error());
  return (*file)->sync();
}

std::optional<fs::path> staged_log(const fs::path& folder) {
  const auto staged = read_staged(folder);
  if (!staged || staged->host != host_name()) return std::nullopt;
  if (!is_place_of(staged->log, folder.filename().string())) return std::nullopt;
  return fs::path(staged->log);
}

std::optional<std::string> staged_elsewhere(const fs::path& folder) {
  const auto staged = read_staged(folder);
  if (!staged || staged->host == host_name()) return std::nullopt;
  return "the recording of " + folder.filename().string() + " lies on the machine " + staged->host +
         " until its run has ended; run 'flatout ls' there";
}

Result<void> remove_staged(Disk& disk, const fs::path& folder) {
  const auto gone = [](const Result<void>& done) {
    return done || done.error().code == base::ErrorCode::kNotFound;
  };
  if (const auto log = staged_log(folder)) {
    if (auto done = disk.remove(*log); !gone(done)) return done;
    (void)::rmdir(log->parent_path().c_str());
  }
  if (auto done = disk.remove(folder / kStagedFileName); !gone(done)) return done;
  return {};
}

}  // namespace flatout::store
