#include "cli/early_checks.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/report_file.h"
#include "app/stored_runs.h"

namespace flatout::cli {

namespace {

namespace fs = std::filesystem;

// Whether the file's folder is not there, and will be as soon as the home is made.
bool comes_with_home(const std::string& file, const std::optional<std::string>& option) {
  if (!option) return false;
  const auto home = app::open_home(*option);
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, error), error).parent_path();
  if (error || !home || fs::exists(folder, error)) return false;
  const fs::path root = fs::weakly_canonical(home->root(), error);
  return !error && std::ranges::mismatch(folder, root).in1 == folder.end();
}

}  // namespace

std::optional<std::string> cannot_write(std::initializer_list<WantedFile> files,
                                        const std::optional<std::string>& home) {
  for (const WantedFile& file : files) {
    if (file.path.empty() || comes_with_home(file.path, home)) continue;
    const auto fine = app::can_write_report_file(file.option, file.path);
    if (!fine) return fine.error().message;
  }
  return std::nullopt;
}

}  // namespace flatout::cli
