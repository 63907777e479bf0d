// The story of one tune: a place for the trials, the loop, and what is handed on.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "app/report_file.h"
#include "app/run_pictures.h"
#include "app/stored_runs.h"
#include "app/voice.h"
#include "app/writable_home.h"
#include "apply/plan_file.h"
#include "apply/proposals.h"
#include "apply/time_text.h"
#include "apply/tuner.h"
#include "base/file.h"
#include "base/joined.h"
#include "base/new_file.h"
#include "base/printable.h"
#include "base/time.h"
#include "cli/early_checks.h"
#include "cli/exit_status.h"
#include "cli/report_style.h"
#include "cli/tune_explain.h"
#include "cli/tune_voice.h"
#include "cli/verbs.h"
#include "cli/written_plan.h"
#include "launch/nested.h"
#include "launch/plan.h"
#include "launch/secrets.h"
#include "report/html/html.h"
#include "report/layout.h"
#include "report/tune_json.h"
#include "report/tune_text.h"
#include "trial/launchers.h"
#include "trial/site.h"
#include "trial/tune_journal.h"
#include "trial/tune_trials.h"

namespace flatout::cli {
namespace {

namespace fs = std::filesystem;
using base::Result;

constexpr base::DurationNs kUsualTrainingNs = 24 * 3600 * base::kSecond;

bool is_of(const std::vector<apply::UserKnob>& knobs, const std::string& name) {
  return std::ranges::any_of(knobs, [&](const apply::UserKnob& knob) {
    return name == knob.name || name == std::string(run::kUserKnob) + knob.name;
  });
}

std::string known(const std::vector<apply::UserKnob>& own) {
  std::string text;
  for (const apply::Knob* knob : apply::all_knobs()) text += knob->id + ", ";
  for (const apply::UserKnob& knob : own) text += knob.name + ", ";
  return text + "and program.NAME for one that the program declares";
}

// With the value that the command or the environment gives each now.
Result<std::vector<apply::UserKnob>> user_knobs(const trial::TuneOptions& from) {
  std::vector<apply::UserKnob> out;
  const launch::Environment env = launch::current_environment();
  for (const std::string& text : from.own_knobs) {
    auto knob = apply::parse_user_knob(text);
    if (!knob) return std::unexpected(knob.error());
    if (is_of(out, knob->name)) {
      return base::fail(base::ErrorCode::kInvalid,
                        "--knob " + knob->name + ": there are two of that name");
    }
    if (const std::string name = apply::variable_name(knob->pattern); !name.empty()) {
      const auto present = launch::env_value(env, name);
      knob->from = apply::variable_value(
          present ? std::optional(std::string(*present)) : std::nullopt, knob->pattern);
    } else {
      knob->from = apply::argument_value(from.command, knob->pattern, knob->values.front());
    }
    out.push_back(std::move(*knob));
  }
  return out;
}

Result<apply::TuneOptions> tuning_options(const trial::TuneOptions& from) {
  apply::TuneOptions out;
  if (!from.budget.empty()) {
    out.budget_ns = apply::parse_time(from.budget);
    if (!out.budget_ns) {
      return base::fail(base::ErrorCode::kInvalid,
                        "--budget: '" + from.budget + "' is no time; write 90s, 10m or 2h");
    }
  }
  if (from.training.empty()) {
    if (!out.budget_ns) out.training_ns = kUsualTrainingNs;
  } else if (out.training_ns = apply::parse_time(from.training); !out.training_ns) {
    return base::fail(base::ErrorCode::kInvalid,
                      "--for: '" + from.training + "' is no time; write 90s, 10m or 2h");
  }
  auto own = user_knobs(from);
  if (!own) return std::unexpected(own.error());
  out.user_knobs = std::move(*own);
  for (const std::string& name : apply::unknown_knobs(from.knobs)) {
    // What the program declares is known only once it has run.
    if (name.starts_with(run::kProgramKnob) || is_of(out.user_knobs, name)) continue;
    return base::fail(base::ErrorCode::kInvalid, "--knobs: there is no knob '" + name +
                                                     "'; the knobs are " + known(out.user_knobs));
  }
  out.knobs = from.knobs;
  out.steps = from.steps;
  out.most_risk = from.risk == "same_maths" ? run::Risk::kSameMaths
                  : from.risk == "rounding" ? run::Risk::kRounding
                                            : run::Risk::kChangesTraining;
  return out;
}

void note_lasting(run::TuneReport& tuned) {
  std::vector<std::string> first = tuned.wrote_outside;
  if (first.empty()) return;
  first.resize(std::min<std::size_t>(first.size(), 20));
  tuned.notes.push_back("the trials wrote outside this folder, and it lasts (" +
                        std::to_string(tuned.wrote_outside.size()) + "): " + base::joined(first));
}

void note_writes_outside(const trial::TuneTrials& trials, run::TuneReport& tuned) {
  if (!trials.written().beyond.empty()) {
    tuned.notes.push_back("the trials wrote outside this folder, and it was thrown away: " +
                          base::joined(trials.written().beyond));
  }
  tuned.wrote_outside = trials.written().lasting;
  note_lasting(tuned);
}

void note_written(const std::vector<std::string>& paths, const trial::TuneOptions& options,
                  run::TuneReport& tuned) {
  if (options.in_place) tuned.notes.emplace_back("the trials ran in this folder itself");
  if (paths.empty() || options.in_place) return;
  tuned.notes.push_back("the trials wrote, and it was thrown away: " + base::joined(paths));
}

report::PageContext page_context(const run::TuneReport& tuned, const trial::TuneOptions& options,
                                 const store::Home& home, const std::string& plan_file) {
  report::PageContext out{.version = FLATOUT_VERSION,
                          .command = launch::stored_command(options.command, options.argv),
                          .plan_file = plan_file};
  if (!tuned.final || tuned.final->runs.size() < 2) return out;
  // Those of the program as it is come first.
  out.before = app::step_lengths(home.root().string(), tuned.final->runs.front());
  out.after = app::step_lengths(home.root().string(), tuned.final->runs.back());
  return out;
}

int hand_on(run::TuneReport tuned, const trial::TuneOptions& options, const store::Home& home,
            TuneVoice& said, app::Voice& voice) {
  tuned.plan.made_by = std::string("flatout ") + FLATOUT_VERSION + " tune " + tuned.id;
  int status = 0;
  std::string plan_file;
  if (!tuned.plan.entries.empty() || !tuned.plan.unproved.empty()) {
    const auto written =
        keep_plan(tuned.plan,
                  {tuned.interrupted ? "What flatout tune kept until it was interrupted. Use it:"
                                     : "What flatout tune proved to help. Use it:"},
                  options.plan_file, [&](const std::string& line) { said.line(line); });
    if (written) {
      plan_file = options.plan_file;
    } else {
      voice.error("the plan is not written: " + written.error().message);
      status = 1;
    }
  }
  const std::string json = report::tune_to_json(tuned, plan_file);
  if (const auto kept = base::write_private_file(home.folder(tuned.id) / trial::kTuneFile, json);
      !kept) {
    voice.note("flatout report and accuracy will not know of it: " + kept.error().message);
  }
  said.finished(report::tune_closing(tuned, plan_file, options.command, report_table_style(1),
                                     base::joined(options.capture, ","), app::home_to_name(home)));
  if (!options.json_file.empty()) {
    const auto done = app::write_report_file(options.json_file, json);
    if (!done) {
      voice.error(done.error().message);
      status = 1;
    }
  }
  if (!options.html_file.empty()) {
    const auto context = page_context(tuned, options, home, plan_file);
    const auto done = app::write_report_file(options.html_file, report::to_html(tuned, context));
    if (!done) {
      voice.error(done.error().message);
      status = 1;
    }
  }
  return tuned.interrupted ? kInterrupted : status;
}

// Text of the working directory as journals hold it, "" where it cannot be known.
std::string this_folder() {
  std::error_code error;
  return fs::canonical(".", error).string();
}

// What --resume goes on with; `options` then are those of that tune.
Result<std::optional<trial::Interrupted>> to_go_on_with(const store::Home& home,
                                                        trial::TuneOptions& options) {
  if (!options.resume) return std::nullopt;
  auto found = trial::find_interrupted(home, options, this_folder());
  if (!found) return std::unexpected(found.error());
  auto taken = trial::taken_over(std::move(options), found->journal);
  if (!taken) return std::unexpected(taken.error());
  options = std::move(*taken);
  return std::move(*found);
}

int explain_plan(const trial::TuneOptions& options, app::Voice& voice) {
  const auto plan = apply::read_plan(options.plan_file);
  if (!plan) {
    voice.error(plan.error().message);
    return 1;
  }
  return base::write_all(
             1, base::printable(explained_by_hand(*plan, app::hand_edits(options.home, *plan))),
             "stdout")
             ? 0
             : 1;
}

Result<trial::LossSource> loss_source(const trial::TuneOptions& options) {
  return options.loss.empty() ? Result<trial::LossSource>()
                              : trial::parse_loss_source(options.loss);
}

// Where the trials of a tune run.
struct TunePlace {
  std::string words;
  std::vector<std::string> notes = {};  // of the place, for the user
  bool here = true;                     // on this machine
};

// What a tune was asked for, every part of it checked.
struct Wanted {
  trial::TuneOptions options;
  apply::TuneOptions tuning;
  trial::LossSource losses;
  std::optional<trial::Interrupted> earlier;  // that it goes on with
};

constexpr const char* kOnNodes =
    "in throwaway overlays or copies of this folder, on the nodes of Slurm";

// The loop, over whatever starts the trials.
int tune_over(trial::PlacedTrials& places, const TunePlace& place, trial::TrialJob job,
              const store::Home& home, const Wanted& wanted, app::Voice& voice) {
  const trial::TuneOptions& options = wanted.options;
  const auto& earlier = wanted.earlier;
  TuneVoice said(place.words, options.price);
  for (const auto& note : place.notes) said.line("note: " + note);
  const base::SystemClock clock;
  const auto id = earlier ? std::optional(earlier->id) : std::nullopt;
  trial::StoredTrials stored(home,
                             {.started_ns = clock.wall(),
                              .command = launch::stored_command(options.command, options.argv),
                              .folder = this_folder(),
                              .options = trial::deciding_options(options)},
                             id, [&](const std::string& line) { said.line(line); });
  job.parent = id;
  trial::TuneTrials made(places, std::move(job), wanted.losses, place.here);
  apply::JournaledTrials trials(made, stored, earlier ? earlier->journal : apply::Journal{});
  said.begin(id);
  auto tuned = apply::tune(trials, wanted.tuning, clock, said);
  if (!tuned) {
    voice.error(tuned.error().message);
    if (!trials.interrupted()) return 1;
    if (stored.id()) {
      const auto again =
          report::with_home({"flatout", "tune", "--resume", *stored.id()}, app::home_to_name(home));
      const auto lines = report::command_lines("go on:    ", again, report_table_style(1));
      for (const std::string& line : lines) said.line(line);
    }
    return kInterrupted;
  }
  if (!run::more_time_helps(*tuned)) stored.finish();
  if (earlier) tuned->notes.emplace_back("what earlier trials wrote is not listed again");
  note_written(made.written().inside, options, *tuned);
  note_writes_outside(made, *tuned);
  return hand_on(std::move(*tuned), options, home, said, voice);
}

Result<trial::TrialJob> job_for(const trial::TuneOptions& options, const store::Home& home) {
  auto job = trial::common_job(home, options.command, options.in_place);
  if (!job) return job;
  job->argv = options.argv;
  job->capture = options.capture;
  job->file_cache = *trial::file_cache_of(options.file_cache);
  return job;
}

int tune_here(const store::Home& home, const Wanted& wanted, trial::TrialJob job,
              app::Voice& voice) {
  const trial::TuneOptions& options = wanted.options;
  trial::TrialSite site;
  if (const auto made = site.make(".", options.command, home.root(), options.in_place); !made) {
    voice.error(made.error().message);
    return 1;
  }
  const trial::StopSignals signals;
  const auto launcher = trial::make_forked_launcher(site, signals);
  trial::PlacedTrials places(*launcher, signals, site.scratch());
  const TunePlace place{.words = site.words(), .notes = site.notes(), .here = true};
  return tune_over(places, place, std::move(job), home, wanted, voice);
}

int tune_on_nodes(const store::Home& home, const Wanted& wanted, trial::TrialJob job,
                  app::Voice& voice) {
  auto placed = trial::make_launcher(wanted.options.launcher, home);
  if (!placed) {
    voice.error(placed.error().message);
    return placed.error().code == base::ErrorCode::kInvalid ? kWrongOption : 1;
  }
  const trial::StopSignals signals;
  trial::PlacedTrials places(*placed->launcher, signals, placed->folder.path());
  if (const auto seen = trial::probe_launcher(places, job); !seen) {
    voice.error(seen.error().message);
    return signals.asked() ? kInterrupted : 1;
  }
  const TunePlace place{
      .words = wanted.options.in_place ? "in this folder itself, on the nodes of Slurm" : kOnNodes,
      .here = false};
  return tune_over(places, place, std::move(job), home, wanted, voice);
}

}  // namespace

int tune_verb(const trial::TuneOptions& given) {
  app::Voice voice(false);
  if (given.explain) return explain_plan(given, voice);
  if (const auto wrong = tuning_options(given); !wrong) {
    voice.error(wrong.error().message);
    return kWrongOption;
  }
  if (const auto wrong = loss_source(given); !wrong) {
    voice.error(wrong.error().message);
    return kWrongOption;
  }
  if (launch::nested_in(launch::current_environment())) {
    voice.error("tune starts runs of its own and cannot itself be inside one; call it directly");
    return 1;
  }
  if (const auto refused = cannot_write(
          {{"--json", given.json_file}, {"--html", given.html_file}, {"--plan", given.plan_file}},
          given.home)) {
    voice.error(*refused);
    return kWrongOption;
  }
  const bool here = given.launcher.kind == "local";
  const auto home = here ? app::writable_home(given.home, voice) : app::open_home(given.home);
  if (!home) {
    voice.error(home.error().message + "; tune reads its trials from there");
    return 1;
  }
  trial::TuneOptions options = given;
  options.home = home->root().string();
  const auto earlier = to_go_on_with(*home, options);
  if (!earlier) {
    voice.error("--resume: " + earlier.error().message);
    return earlier.error().code == base::ErrorCode::kInvalid ? kWrongOption : 1;
  }
  const auto tuning = tuning_options(options);
  if (!tuning) {
    voice.error(tuning.error().message);
    return kWrongOption;
  }
  const auto losses = loss_source(options);
  if (!losses) {
    voice.error(losses.error().message);
    return kWrongOption;
  }
  auto job = job_for(options, *home);
  if (!job) {
    voice.error(job.error().message);
    return 1;
  }
  const Wanted wanted{
      .options = options, .tuning = *tuning, .losses = *losses, .earlier = *earlier};
  return options.launcher.kind == "local" ? tune_here(*home, wanted, std::move(*job), voice)
                                          : tune_on_nodes(*home, wanted, std::move(*job), voice);
}

}  // namespace flatout::cli
