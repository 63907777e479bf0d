#include "cli/early_checks.h"

#include "app/report_file.h"

namespace flatout::cli {

std::optional<std::string> cannot_write(std::initializer_list<WantedFile> files) {
  for (const WantedFile& file : files) {
    if (file.path.empty()) continue;
    const auto fine = app::can_write_report_file(file.option, file.path);
    if (!fine) return fine.error().message;
  }
  return std::nullopt;
}

}  // namespace flatout::cli
