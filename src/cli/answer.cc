#include "cli/answer.h"

#include "app/voice.h"
#include "base/file.h"
#include "base/printable.h"

namespace flatout::cli {

int answer(const base::Result<std::string>& text) {
  if (!text) return answer_styled(text);
  return answer_styled(base::printable(*text));
}

int answer_styled(const base::Result<std::string>& text) {
  const auto done = text ? base::write_all(1, *text, "stdout") : std::unexpected(text.error());
  if (done) return 0;
  app::Voice(false).error(done.error().message);
  return 1;
}

}  // namespace flatout::cli
