// What to type next.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "report/text_parts.h"

namespace flatout::report {
namespace {

// Its trials need steps, hooks and a program whose settings flatout knows; a run under a plan was
// tuned already.
bool can_be_tuned(const run::Report& report) {
  const bool over = report.state == run::RunState::kFinished || report.stopped_after.has_value() ||
                    report.state == run::RunState::kKilled;
  const bool knobs = report.loader || report.model ||
                     program_name(report.run.command).ends_with(".py") ||
                     (!report.run.command.empty() && report.run.command[0].contains("python"));
  return over && knobs && report.steps && report.steps->source.empty() && !report.failure &&
         !report.run.plan_json && !report.run.parent && report.run.hooks_off.empty() &&
         report.run.trace_file.empty();
}

void add_command(std::string_view label, const std::vector<std::string>& words, Page& page) {
  const std::string lead = toned(Tone::kHeading, label) + " ";
  page.add({.rank = kAlways, .lines = command_lines(lead, words, page.style())});
}

}  // namespace

std::vector<std::string> typed_command(const std::vector<std::string>& stored) {
  const bool masked =
      std::ranges::any_of(stored, [](const std::string& word) { return word.contains("****"); });
  const bool alone = stored.size() == 1 && stored[0].contains("python");
  if (stored.empty() || masked || alone) return {"CMD"};
  return stored;
}

void add_closing(const run::Report& report, bool stored, const std::string& home, Page& page) {
  const std::string id = shorten(cleaned(report.run.id, page.style()), 12);
  if (can_be_tuned(report)) {
    std::vector<std::string> words = {"flatout", "tune", "--"};
    std::ranges::move(typed_command(report.run.command), std::back_inserter(words));
    add_command("Next:", words, page);
  }
  if (!stored) return;
  const auto add_report = [&](std::string_view label, const char* format) {
    add_command(label, with_home({"flatout", "report", id, "--format", format}, home), page);
  };
  if (report.steps && !report.failure) add_report("Charts:", "html");
  add_report("Full report:", "json");
}

}  // namespace flatout::report
