// What the verb that was met is to do, of the options that CLI11 read.
#include <utility>

#include "analyse/rule_switch.h"
#include "base/joined.h"
#include "cli/completions.h"
#include "cli/verb_options.h"

namespace flatout::cli {
namespace {

base::Result<Command> chosen_run(ParsedWords& parsed, std::set<std::string> rules_off) {
  parsed.run.home = parsed.home;
  parsed.run.hooks = !parsed.no_hooks;
  parsed.run.live = !parsed.no_live;
  parsed.run.argv = !parsed.no_argv;
  parsed.run.bench = !parsed.no_bench;
  parsed.run.allow_env = {parsed.allow_env.begin(), parsed.allow_env.end()};
  parsed.run.rules_off = std::move(rules_off);
  if (parsed.stop_after > 0) parsed.run.stop_after = parsed.stop_after;
  if (parsed.run.stop_after && parsed.no_hooks) {
    return base::fail(
        base::ErrorCode::kInvalid,
        "--stop-after counts steps, which --no-hooks cannot see: drop one of the two");
  }
  if (!parsed.run.capture.empty() && parsed.no_hooks) {
    return base::fail(
        base::ErrorCode::kInvalid,
        "--capture works inside the program, where --no-hooks has nothing: drop one of the two");
  }
  if (parsed.run.record_output && parsed.no_hooks) {
    return base::fail(base::ErrorCode::kInvalid,
                      "--record-output works inside the program, where --no-hooks has nothing: "
                      "drop one of the two");
  }
  if (parsed.run.command.empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "run needs a command: flatout run [options] -- python train.py");
  }
  return parsed.run;
}

base::Result<Command> chosen_tune(const CLI::App& verb, ParsedWords& parsed) {
  trial::TuneOptions& tune = parsed.tune;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() > 0) tune.given.insert(option->get_name());  // the long one
  }
  tune.home = parsed.home;
  tune.argv = !parsed.no_argv;
  tune.knobs = trial::split_names(parsed.knobs);
  if (parsed.price > 0) tune.price = parsed.price;
  if (parsed.trial_steps > 0) tune.steps = parsed.trial_steps;
  if (tune.explain) {
    // The plan may stand where a command would: flatout tune --explain flatout.toml.
    if (tune.command.size() == 1) tune.plan_file = tune.command[0];
    if (tune.command.size() > 1) {
      return base::fail(
          base::ErrorCode::kInvalid,
          "--explain takes a plan and no command: flatout tune --explain flatout.toml");
    }
    tune.command.clear();
    return tune;
  }
  if (!tune.launcher.slurm.empty() && tune.launcher.kind != "slurm") {
    return base::fail(base::ErrorCode::kInvalid, "--slurm goes with --launcher slurm only");
  }
  if (tune.command.empty() && !tune.resume) {
    return base::fail(base::ErrorCode::kInvalid,
                      "tune needs a command: flatout tune [options] -- python train.py");
  }
  return tune;
}

base::Result<Command> chosen_search(ParsedWords& parsed) {
  trial::SearchOptions& search = parsed.search;
  search.allow_env = {parsed.allow_env.begin(), parsed.allow_env.end()};
  search.home = parsed.home;
  search.argv = !parsed.no_argv;
  if (parsed.slots > 0) search.launcher.slots = parsed.slots;
  if (search.command.empty()) {
    return base::fail(
        base::ErrorCode::kInvalid,
        "search needs a command: flatout search space.toml [options] -- python train.py");
  }
  return search;
}

base::Result<Command> chosen_remove(ParsedWords& parsed, Format format) {
  RemoveOptions& remove = parsed.remove;
  remove.home = parsed.home;
  remove.format = format;
  if (remove.runs.empty() && remove.older_than.empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "rm needs a run, or --older-than AGE; see flatout rm --help");
  }
  if (!remove.runs.empty() && !remove.older_than.empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "rm takes either runs or --older-than, not both: drop one of the two");
  }
  if (remove.keep_tagged && remove.older_than.empty()) {
    return base::fail(base::ErrorCode::kInvalid, "--keep-tagged goes with --older-than only");
  }
  return remove;
}

base::Result<Command> chosen_bench(BenchOptions bench, Format format) {
  bench.format = format;
  if (!bench.folder.empty() || !bench.spec_file.empty()) return bench;
  return base::fail(base::ErrorCode::kInvalid,
                    "bench data: what to load is missing; name a FOLDER, or a --spec FILE");
}

}  // namespace

base::Result<Command> chosen(const CLI::App& app, ParsedWords& parsed) {
  const std::string verb = app.get_subcommands().front()->get_name();
  auto rules_off = analyse::parse_rules_off(parsed.rules_off);
  if (!rules_off) return std::unexpected(rules_off.error());
  const Format format = parsed.format == "json"       ? Format::kJson
                        : parsed.format == "html"     ? Format::kHtml
                        : parsed.format == "perfetto" ? Format::kPerfetto
                                                      : Format::kText;
  const std::string& home = parsed.home;
  if (verb == "run") return chosen_run(parsed, std::move(*rules_off));
  if (verb == "tune") return chosen_tune(*app.get_subcommands().front(), parsed);
  if (verb == "search") return chosen_search(parsed);
  if (verb == "trial") return parsed.trial;
  if (verb == "attach") return parsed.attach;
  if (verb == "ui") return UiOptions{home, parsed.ui.port, parsed.ui.token_file, !parsed.no_open};
  if (verb == "bench-engine") return EngineBenchOptions{};
  if (verb == "rm") return chosen_remove(parsed, format);
  if (verb == "accuracy") return AccuracyOptions{home, parsed.as_json ? Format::kJson : format};
  if (verb == "ls") {
    ListOptions list = parsed.list;
    list.home = home;
    list.format = format;
    return list;
  }
  if (verb == "show") return ShowOptions{home, parsed.show.run, format};
  if (verb == "logs") {
    LogsOptions logs = parsed.logs;
    logs.home = home;
    if (parsed.logs_tail > 0) logs.tail = static_cast<std::size_t>(parsed.logs_tail);
    if (parsed.logs_pid >= 0) logs.pid = parsed.logs_pid;
    return logs;
  }
  if (verb == "analyze") {
    return AnalyzeOptions{parsed.analyze.files, format, std::move(*rules_off), parsed.analyze.out,
                          parsed.home};
  }
  if (verb == "compare") {
    return CompareOptions{home, parsed.compare.runs, format, std::move(*rules_off),
                          parsed.compare.out};
  }
  if (verb == "top") {
    parsed.top.home = home;
    return parsed.top;
  }
  if (verb == "check") {
    CheckOptions check = parsed.check;
    check.home = home;
    check.format = parsed.format;
    check.rules_off = std::move(*rules_off);
    return check;
  }
  if (verb == "export") {
    parsed.export_to.home = home;
    for (const auto known :
         {app::ExportFormat::kParquet, app::ExportFormat::kPerfetto, app::ExportFormat::kOtlp}) {
      if (parsed.table_format == app::format_name(known)) parsed.export_to.format = known;
    }
    return parsed.export_to;
  }
  if (verb == "import") {
    return ImportOptions{home, parsed.import_from.paths, parsed.import_from.again, format};
  }
  if (verb == "tag") {
    return TagOptions{home, parsed.tag.run, parsed.tag.tags, parsed.tag.remove, format};
  }
  if (verb == "note") {
    return NoteOptions{home, parsed.note.run, base::joined(parsed.note_words), format};
  }
  if (verb == "completions") return ShowText{completions_for(app, parsed.shell)};
  if (verb == "manual") return ShowText{manual_page(app)};
  if (verb == "bench") return chosen_bench(parsed.bench, format);
  if (verb == "pack") {
    PackVerbOptions pack = parsed.pack;
    pack.format = format;
    pack.to = std::move(pack.from.back());
    pack.from.pop_back();
    return pack;
  }
  if (verb == "doctor") return DoctorOptions{home, format};
  return ReportOptions{home, parsed.report.run, format, std::move(*rules_off), parsed.report.out};
}

}  // namespace flatout::cli
