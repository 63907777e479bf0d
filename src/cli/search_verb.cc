// The story of one search: the space, a launcher, the loop, and what is handed on.
#include <filesystem>
#include <string>
#include <utility>

#include "app/report_file.h"
#include "app/stored_runs.h"
#include "app/voice.h"
#include "app/writable_home.h"
#include "apply/plan_file.h"
#include "apply/search/arguments.h"
#include "apply/search/searcher.h"
#include "apply/search/space.h"
#include "apply/time_text.h"
#include "base/file.h"
#include "base/joined.h"
#include "base/new_file.h"
#include "base/shell_word.h"
#include "base/time.h"
#include "cli/early_checks.h"
#include "cli/exit_status.h"
#include "cli/report_style.h"
#include "cli/search_voice.h"
#include "cli/verbs.h"
#include "launch/nested.h"
#include "launch/secrets.h"
#include "report/html/html.h"
#include "report/layout.h"
#include "report/search_json.h"
#include "report/search_text.h"
#include "report/text_parts.h"
#include "trial/launchers.h"
#include "trial/search_journal.h"
#include "trial/search_trials.h"

namespace flatout::cli {
namespace {

using base::Result;

void add_notes(run::SearchReport& found, const trial::SearchTrials& trials) {
  if (trials.place().empty()) {
    found.notes.emplace_back("no trial was made");
  } else if (trials.place() == "folder") {
    found.notes.emplace_back("the trials ran in this folder itself");
  } else {
    found.notes.push_back("the trials ran in a throwaway " + trials.place() + " of this folder");
  }
  for (const auto& note : trials.notes()) found.notes.push_back(note);
  if (!trials.written().inside.empty() && trials.place() != "folder") {
    found.notes.push_back("they wrote, and it was thrown away: " +
                          base::joined(trials.written().inside));
  }
  if (!trials.written().lasting.empty()) {
    found.notes.push_back("they wrote outside this folder, and it lasts: " +
                          base::joined(trials.written().lasting));
  }
}

// Where the best point has knobs, they go into a plan: they are no words of a command.
Result<std::string> write_plan(const run::SearchReport& found, const apply::SetUp& setup,
                               const trial::SearchOptions& options) {
  if (setup.plan.entries.empty()) return std::string();
  const std::filesystem::path file = options.plan_file;
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    const std::filesystem::path old = file.string() + ".old";
    std::filesystem::rename(file, old, error);
    if (error) return base::fail(base::ErrorCode::kIo, old.string() + ": " + error.message());
  }
  run::Plan plan = setup.plan;
  plan.made_by = std::string("flatout ") + FLATOUT_VERSION + " search " + found.id;
  const auto text = apply::plan_text(plan, {"The knobs of the best point of flatout search."});
  if (auto written = base::write_file_atomic(file, text); !written) {
    return std::unexpected(written.error());
  }
  return options.plan_file;
}

std::string command_line(const apply::SetUp& setup, const std::string& plan_file) {
  if (plan_file.empty()) return apply::shell_line(setup);
  apply::SetUp planned = setup;
  const std::vector<std::string> before = {"flatout", "run", "--plan", plan_file, "--"};
  planned.command.insert(planned.command.begin(), before.begin(), before.end());
  return apply::shell_line(planned);
}

int hand_on(run::SearchReport found, const trial::SearchOptions& options, const store::Home& home,
            const trial::SearchTrials& trials, SearchVoice& said, app::Voice& voice) {
  int status = 0;
  add_notes(found, trials);
  std::string command;
  std::string plan_file;
  report::PageContext context{.version = FLATOUT_VERSION,
                              .command = launch::stored_command(options.command, options.argv)};
  if (const auto* best = run::best_point(found)) {
    const auto setup = apply::set_up(options.command, best->settings);
    if (auto written = write_plan(found, setup, options); written) {
      plan_file = *written;
    } else {
      voice.error("the plan is not written: " + written.error().message);
      status = 1;
    }
    command = command_line(setup, plan_file);
    const auto typed = report::typed_command(context.command);
    context.best = command_line(apply::set_up(typed, best->settings), plan_file);
    context.plan_file = plan_file;
  }
  said.finished(
      report::search_closing(found, command, report_table_style(1), app::home_to_name(home)));
  const std::string json = report::search_to_json(found, command, plan_file);
  if (!found.id.empty()) {
    const auto kept =
        base::write_private_file(home.folder(found.id) / store::kSearchReportName, json);
    if (!kept) voice.note("flatout report will not know of it: " + kept.error().message);
  }
  if (!options.json_file.empty()) {
    const auto written = app::write_report_file(options.json_file, json);
    if (!written) {
      voice.error(written.error().message);
      status = 1;
    }
  }
  if (!options.html_file.empty()) {
    const auto written = app::write_report_file(options.html_file, report::to_html(found, context));
    if (!written) {
      voice.error(written.error().message);
      status = 1;
    }
  }
  return found.interrupted ? kInterrupted : status;
}

// The space, and its text as a journal keeps it.
struct Searched {
  apply::SearchSpace space;
  std::string text;
};

Result<Searched> read_searched(const std::string& file) {
  auto text = base::read_file(file, apply::kMaxSpaceBytes);
  if (!text) return std::unexpected(text.error());
  auto space = apply::parse_space(*text, file);
  if (!space) return std::unexpected(space.error());
  return Searched{.space = std::move(*space), .text = std::move(*text)};
}

// Where it was interrupted and has something to go on with.
void say_how_to_go_on(const trial::SearchOptions& options, const store::Home& home,
                      const trial::StoredSearch& stored, SearchVoice& said) {
  if (!stored.id()) return;
  apply::SetUp again = apply::set_up(options.command, {});
  std::vector<std::string> before = report::with_home(
      {"flatout", "search", "--resume", options.space_file}, app::home_to_name(home));
  if (options.in_place) before.emplace_back("--in-place");
  if (!options.capture.empty()) {
    before.push_back("--capture=" + base::joined(options.capture, ","));
  }
  before.emplace_back("--");
  again.command.insert(again.command.begin(), before.begin(), before.end());
  said.line("go on:    " +
            base::shown_shell_line(apply::shell_line(again), report_table_style(1).unicode));
}

// Without trials: what the first line says.
run::SearchReport planned(const apply::SearchSpace& space, int slots) {
  run::SearchReport out;
  out.objective = space.objective;
  out.steps = space.steps;
  out.reduction = space.reduction;
  out.slots = slots;
  return out;
}

int search_in(const trial::SearchOptions& options, const Searched& searched,
              const store::Home& home, trial::PlacedHere placed, trial::TrialJob job,
              app::Voice& voice) {
  const apply::SearchSpace& space = searched.space;
  apply::JournalHead head = trial::search_head(options, searched.text);
  std::optional<trial::InterruptedSearch> earlier;
  if (options.resume) {
    auto found = trial::find_interrupted_search(home, head);
    if (!found) {
      voice.error("--resume: " + found.error().message);
      return 1;
    }
    earlier = std::move(*found);
    job.parent = earlier->id;
  }
  const trial::StopSignals signals;
  trial::PlacedTrials places(*placed.launcher, signals, placed.folder.path());
  if (options.launcher.kind != "local") {
    if (const auto seen = trial::probe_launcher(places, job); !seen) {
      voice.error(seen.error().message);
      return signals.asked() ? kInterrupted : 1;
    }
  }
  trial::SearchTrials trials(places, std::move(job), space.objective.logged);
  SearchVoice said;
  said.line(report::search_plan_line(planned(space, trials.slots()), space.trials));
  const base::SystemClock clock;
  head.started_ns = earlier ? earlier->journal.head.started_ns : clock.wall();
  trial::StoredSearch stored(
      home, std::move(head), earlier ? std::optional(earlier->id) : std::nullopt,
      space.objective.logged, [&](const std::string& line) { said.line(line); });
  apply::JournaledSearch journaled(trials, stored, earlier ? earlier->journal : apply::Journal{});
  if (earlier) {
    said.line("resume: search " + earlier->id + ", whose " +
              std::to_string(earlier->journal.trials.size()) + " trials are not made again");
  }
  auto found = apply::search(journaled, space, clock, said);
  if (!found) {
    voice.error(found.error().message);
    if (trials.interrupted()) say_how_to_go_on(options, home, stored, said);
    return trials.interrupted() ? kInterrupted : 1;
  }
  found->launcher = options.launcher.kind;
  if (found->interrupted) {
    say_how_to_go_on(options, home, stored, said);
  } else {
    stored.finish();
  }
  return hand_on(std::move(*found), options, home, trials, said, voice);
}

}  // namespace

int search_verb(const trial::SearchOptions& options) {
  app::Voice voice(false);
  auto searched = read_searched(options.space_file);
  if (!searched) {
    voice.error(searched.error().message);
    return kWrongOption;
  }
  if (const auto refused = apply::refused_variables(searched->space, options.allow_env);
      !refused.empty()) {
    voice.error(options.space_file + " sets " + refused.front() +
                ", which chooses what code runs; if you trust it, add --allow-env " +
                refused.front());
    return kWrongOption;
  }
  if (!options.budget.empty()) {
    searched->space.budget_ns = apply::parse_time(options.budget);
    if (!searched->space.budget_ns) {
      voice.error("--budget: '" + options.budget + "' is no time; write 90s, 10m or 2h");
      return kWrongOption;
    }
  }
  if (launch::nested_in(launch::current_environment())) {
    voice.error("search starts runs of its own and cannot itself be inside one; call it directly");
    return 1;
  }
  // Only knobs go into a plan.
  const bool plans = std::ranges::any_of(searched->space.dimensions, [](const auto& dimension) {
    return dimension.kind == run::SearchSetting::Kind::kKnob;
  });
  if (const auto refused = cannot_write({{"--json", options.json_file},
                                         {"--html", options.html_file},
                                         {"--plan", plans ? options.plan_file : ""}},
                                        options.home)) {
    voice.error(*refused);
    return kWrongOption;
  }
  const bool here = options.launcher.kind == "local";
  const auto home = here ? app::writable_home(options.home, voice) : app::open_home(options.home);
  if (!home) {
    voice.error(home.error().message + "; search reads its trials from there");
    return 1;
  }
  auto job = trial::common_job(*home, options.command, options.in_place);
  if (!job) {
    voice.error(job.error().message);
    return 1;
  }
  job->argv = options.argv;
  job->capture = options.capture;
  auto placed = trial::make_launcher(options.launcher, *home);
  if (!placed) {
    voice.error(placed.error().message);
    return placed.error().code == base::ErrorCode::kInvalid ? kWrongOption : 1;
  }
  return search_in(options, *searched, *home, std::move(*placed), std::move(*job), voice);
}

}  // namespace flatout::cli
