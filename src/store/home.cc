#include "store/home.h"

#include <sys/random.h>

#include <algorithm>
#include <system_error>

#include "store/frame_log.h"
#include "store/run_family.h"
#include "store/seal.h"
#include "store/staging.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;

constexpr std::string_view kIdAlphabet = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::size_t kShortestId = 4;
constexpr std::size_t kLongestId = 26;
constexpr int kTriesPerLength = 4;

std::string_view text_of(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

}  // namespace

bool is_run_id(std::string_view text) {
  return text.size() >= kShortestId && text.size() <= kLongestId &&
         text.find_first_not_of(kIdAlphabet) == std::string_view::npos;
}

std::string random_run_id(std::size_t length) {
  std::string id(length, '\0');
  // Up to 256 bytes come whole or, only before the kernel's pool is ready, not
  // at all; mkdir decides about uniqueness anyhow.
  while (::getrandom(id.data(), id.size(), 0) < 0) {
  }
  for (char& c : id) c = kIdAlphabet[static_cast<unsigned char>(c) % kIdAlphabet.size()];
  return id;
}

Home Home::at(const fs::path& root) {
  std::error_code err;
  const auto absolute = fs::absolute(root, err);
  return Home(err ? root : absolute.lexically_normal());
}

Result<Home> Home::resolve(const Environment& environment) {
  if (const auto home = text_of(environment, "FLATOUT_HOME"); !home.empty()) return at(home);
  const fs::path xdg(text_of(environment, "XDG_DATA_HOME"));
  if (xdg.is_absolute()) return at(xdg / "flatout");
  if (const auto home = text_of(environment, "HOME"); !home.empty()) {
    return at(fs::path(home) / ".local" / "share" / "flatout");
  }
  return base::fail(ErrorCode::kNotFound,
                    "no place for runs: HOME is not set; set FLATOUT_HOME or give --home");
}

fs::path Home::log(std::string_view id) const { return folder(id) / kLogFileName; }

Result<std::string> Home::create_run(Disk& disk) const {
  if (auto made = disk.make_parents(runs()); !made) return std::unexpected(made.error());
  for (std::size_t length = kShortestId; length <= kLongestId; ++length) {
    for (int i = 0; i < kTriesPerLength; ++i) {
      std::string id = random_run_id(length);
      const auto made = disk.make_dir(folder(id));
      if (made) return id;
      if (made.error().code != ErrorCode::kExists) return std::unexpected(made.error());
    }
  }
  return base::fail(ErrorCode::kExists,
                    "no free run id in " + runs().string() + "; remove old runs with 'flatout rm'");
}

// A run that a recorder has begun is empty, or holds one of these.
bool may_be_recording(const fs::path& folder) {
  std::error_code ignored;
  for (const std::string_view name :
       {kSealedFileName, kLogFileName, kStagedFileName, kTuneJournalName, kSearchJournalName}) {
    if (fs::symlink_status(folder / name, ignored).type() != fs::file_type::not_found) return true;
  }
  return fs::directory_iterator(folder, ignored) == fs::directory_iterator();
}

Result<std::vector<std::string>> Home::ids() const {
  std::vector<std::string> out;
  std::error_code err;
  fs::directory_iterator it(runs(), err);
  if (err == std::errc::no_such_file_or_directory) return out;
  for (; !err && it != fs::directory_iterator(); it.increment(err)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (is_run_id(name) && it->symlink_status(ignored).type() == fs::file_type::directory &&
        may_be_recording(it->path())) {
      out.push_back(name);
    }
  }
  if (err) return base::fail_errno(err.value(), "cannot list " + runs().string());
  return out;
}

bool Home::has(std::string_view id) const {
  std::error_code ignored;
  return is_run_id(id) &&
         fs::symlink_status(folder(id), ignored).type() == fs::file_type::directory &&
         may_be_recording(folder(id));
}

}  // namespace flatout::store
