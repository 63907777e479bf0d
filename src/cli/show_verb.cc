#include "base/file.h"
#include "cli/describe.h"
#include "cli/stored_runs.h"
#include "cli/verbs.h"
#include "cli/voice.h"
#include "report/show.h"

namespace flatout::cli {

int show_verb(const ShowOptions& options) {
  Voice voice(false);
  const auto home = open_home(options.home);
  if (!home) {
    voice.error(home.error().message);
    return 1;
  }
  const auto timeline = load_run(*home, options.run);
  if (!timeline) {
    voice.error(timeline.error().message);
    return 1;
  }
  const run::Description shown = describe(*timeline, home->folder(timeline->info.id));
  const std::string text =
      options.format == Format::kJson ? report::to_json(shown) : report::to_text(shown);
  if (const auto done = base::write_all(1, text, "stdout"); !done) {
    voice.error(done.error().message);
    return 1;
  }
  return 0;
}

}  // namespace flatout::cli
