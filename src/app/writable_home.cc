#include "app/writable_home.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "app/stored_runs.h"
#include "base/file.h"
#include "base/new_file.h"

namespace flatout::app {
namespace {

// As much as the beginning of a recording; a full disk often still takes an empty file.
constexpr std::size_t kProbeBytes = 64 << 10;

base::Result<void> can_be_written(const store::Home& home) {
  std::error_code failed;
  std::filesystem::create_directories(home.runs(), failed);
  if (failed) {
    return base::fail(base::ErrorCode::kIo,
                      "cannot create " + home.runs().string() + ": " + failed.message());
  }
  auto file = base::NewFile::beside(home.runs() / "probe", 0600);
  if (!file) return std::unexpected(file.error());
  return base::write_all(file->fd(), std::string(kProbeBytes, '\0'), home.runs().string());
}

base::Result<store::Home> home_of(const std::string& option) {
  auto home = open_home(option);
  if (!home) return home;
  if (const auto done = can_be_written(*home); !done) return std::unexpected(done.error());
  return home;
}

}  // namespace

std::optional<std::filesystem::path> folder_in_place_of_home() {
  const char* const set = std::getenv("TMPDIR");
  const std::filesystem::path root = set != nullptr && *set == '/' ? set : "/tmp";
  auto other = root / ("flatout-home-" + std::to_string(::getuid()));
  (void)::mkdir(other.c_str(), 0700);
  if (!base::is_private_folder(other)) return std::nullopt;
  return other;
}

base::Result<store::Home> writable_home(const std::string& option, Voice& voice) {
  auto home = home_of(option);
  if (home) return home;
  const auto other = folder_in_place_of_home();
  if (!other) return home;
  auto instead = store::Home::at(*other);
  if (!can_be_written(instead)) return home;
  voice.error(home.error().message + "; the trials are kept in " + other->string() +
              " instead: read them with flatout ls --tree --home " + other->string());
  return instead;
}

}  // namespace flatout::app
