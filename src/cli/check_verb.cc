#include <string>

#include "app/check_run.h"
#include "app/report_file.h"
#include "app/voice.h"
#include "cli/answer.h"
#include "cli/early_checks.h"
#include "cli/exit_status.h"
#include "cli/report_style.h"
#include "cli/verbs.h"
#include "report/check_view.h"

namespace flatout::cli {
namespace {

int not_checked(const std::string& why) {
  app::Voice(false).error(why);
  return kNotChecked;
}

std::string viewed(const run::CheckReport& report, const std::string& format,
                   const report::Style& style) {
  if (format == "json") return report::check_json(report);
  if (format == "markdown") return report::check_markdown(report);
  if (format == "junit") return report::check_junit(report);
  return report::check_text(report, style);
}

}  // namespace

int check_verb(const CheckOptions& options) {
  const bool to_file = is_file(options.out);
  if (to_file) {
    if (const auto refused = cannot_write({{"--out", options.out}})) return not_checked(*refused);
  }
  const auto checked = app::check_run(
      {options.home, options.run, options.budget, options.baseline, options.rules_off});
  if (!checked) return not_checked(checked.error().message);
  const report::Style style = report_style(1);
  if (to_file) {
    const std::string page = viewed(*checked, options.format, {});
    if (const auto done = app::write_report_file(options.out, page); !done) {
      return not_checked(done.error().message);
    }
  }
  const std::string format = to_file ? "text" : options.format;
  const std::string page = viewed(*checked, format, style);
  const int written = format == "text" ? answer_styled(page) : answer(page);
  if (written != 0) return kNotChecked;
  return checked->passed ? 0 : kOverBudget;
}

}  // namespace flatout::cli
