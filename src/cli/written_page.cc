#include "cli/written_page.h"

#include <unistd.h>

#include "app/report_file.h"
#include "app/streamed_file.h"
#include "app/voice.h"
#include "base/file.h"
#include "cli/answer.h"

namespace flatout::cli {
namespace {

// "" = stdout.
std::string target_of(const std::string& out, const std::string& own) {
  if (out == "-") return "";
  if (!out.empty()) return out;
  return ::isatty(1) == 1 ? own : "";
}

int answer_written(const base::Result<void>& done, const std::string& target) {
  if (!done) return answer(std::unexpected(done.error()));
  app::Voice(false).note("wrote " + target);
  return 0;
}

base::Result<void> write_file(const WritePieces& write, const std::string& path) {
  auto file = app::StreamedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const auto done = write([&](std::string_view piece) { return file->write(piece); });
  return done ? file->finish() : done;
}

}  // namespace

int answer_page(const std::string& page, const std::string& out, const std::string& own) {
  const std::string target = target_of(out, own);
  if (target.empty()) return answer(page);
  return answer_written(app::write_report_file(target, page), target);
}

int answer_pieces(const WritePieces& write, const std::string& out, const std::string& own) {
  const std::string target = target_of(out, own);
  if (!target.empty()) return answer_written(write_file(write, target), target);
  const auto done =
      write([](std::string_view piece) { return base::write_all(1, piece, "stdout"); });
  return done ? 0 : answer(std::unexpected(done.error()));
}

}  // namespace flatout::cli
