#include "cli/written_page.h"

#include <unistd.h>

#include "app/report_file.h"
#include "app/voice.h"
#include "cli/answer.h"

namespace flatout::cli {

int answer_page(const std::string& page, const std::string& out, const std::string& own) {
  const std::string target = out == "-" ? "" : !out.empty() ? out : ::isatty(1) == 1 ? own : "";
  if (target.empty()) return answer(page);
  if (const auto done = app::write_report_file(target, page); !done) {
    return answer(std::unexpected(done.error()));
  }
  app::Voice(false).note("wrote " + target);
  return 0;
}

}  // namespace flatout::cli
