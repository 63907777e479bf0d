#include "app/describe.h"
#include "app/stored_runs.h"
#include "cli/answer.h"
#include "cli/report_style.h"
#include "cli/verbs.h"
#include "report/show.h"

namespace flatout::cli {
namespace {

base::Result<std::string> shown(const ShowOptions& options) {
  const auto run = app::open_run(options.home, options.run);
  if (!run) return std::unexpected(run.error());
  const run::Description description = app::describe(run->timeline, run->folder);
  return options.format == Format::kJson ? report::to_json(description)
                                         : report::to_text(description, report_style(1));
}

}  // namespace

int show_verb(const ShowOptions& options) {
  return options.format == Format::kJson ? answer(shown(options)) : answer_styled(shown(options));
}

}  // namespace flatout::cli
