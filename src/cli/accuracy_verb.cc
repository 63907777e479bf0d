// Predicted against measured over all tunes of a store.
#include <algorithm>
#include <utility>

#include "app/stored_runs.h"
#include "apply/accuracy.h"
#include "base/file.h"
#include "cli/answer.h"
#include "cli/report_style.h"
#include "cli/verbs.h"
#include "report/accuracy_view.h"
#include "trial/tune_journal.h"

namespace flatout::cli {
namespace {

base::Result<run::Accuracy> accuracy_in(const store::Home& home) {
  const auto ids = home.ids();
  if (!ids) return std::unexpected(ids.error());
  std::vector<apply::StoredTune> tunes;
  std::vector<std::string> problems;
  for (const auto& id : *ids) {
    const auto file = home.folder(id) / trial::kTuneFile;
    const auto text = base::read_file(file, apply::kMostTuneBytes);
    if (!text && text.error().code == base::ErrorCode::kNotFound) continue;
    auto tune = text ? apply::parse_tune(*text, file.string())
                     : base::Result<apply::StoredTune>(std::unexpected(text.error()));
    if (tune) {
      tunes.push_back(std::move(*tune));
    } else {
      problems.push_back(tune.error().message);
    }
  }
  run::Accuracy out = apply::accuracy_of(tunes);
  std::ranges::sort(problems);
  out.problems = std::move(problems);
  return out;
}

}  // namespace

int accuracy_verb(const AccuracyOptions& options) {
  const auto home = app::open_home(options.home);
  if (!home) return answer(std::unexpected(home.error()));
  const auto accuracy = accuracy_in(*home);
  if (!accuracy) return answer(std::unexpected(accuracy.error()));
  if (options.format == Format::kJson) return answer(report::accuracy_to_json(*accuracy));
  return answer_styled(report::accuracy_to_text(*accuracy, report_table_style(1)));
}

}  // namespace flatout::cli
