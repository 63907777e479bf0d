#include "cli/verb_options.h"

#include "cli/data_verb_options.h"
#include "cli/help_texts.h"
#include "cli/trial_verb_options.h"
#include "cli/verb_parts.h"

namespace flatout::cli {
namespace {

constexpr const char* kRunReference = "an id, its unique beginning, a name, or latest";

void add_run_reference(CLI::App* verb, std::string& to) {
  verb->add_option("RUN", to, kRunReference)->required()->type_name("");
}

void add_tag_reference(CLI::App* verb, ParsedWords& to, std::string& run) {
  add_run_reference(verb, run);
  add_format(verb, to, {"text", "json"});
}

void add_rules_off(CLI::App* verb, ParsedWords& to) {
  verb->add_option("--rules-off", to.rules_off, "findings that shall not be looked for")
      ->type_name("ID,ID");
}

void add_run(CLI::App& app, ParsedWords& to) {
  CLI::App* run =
      add_verb(app, to, "run", "run a command, record it, and say why its device waits");
  run->add_option("-n,--name", to.run.name, "a name for this run")->type_name("NAME");
  run->add_option("--rate", to.run.rate_hz, "samples a second, 0.1 to 1000 (default: 10)")
      ->check(CLI::Range(0.1, 1000.0))
      ->type_name("HZ");
  run->add_option("-j,--json", to.run.json_file, "also write the report there, as JSON")
      ->type_name("FILE");
  run->add_option("--html", to.run.html_file, "also write the report there, as a page with charts")
      ->type_name("FILE");
  run->add_flag("--no-hooks", to.no_hooks, "observe from outside only: no steps");
  run->add_option("--stop-after", to.stop_after,
                  "end the program at the close of step N, as Ctrl-C would; if that ends it, the "
                  "exit status is 0")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62U))
      ->type_name("N");
  run->add_option("--trace", to.run.trace,
                  "of the GPU's kernels: kernels for all of them, windows for a part of the time, "
                  "off (default)")
      ->check(CLI::IsMember({"kernels", "windows", "off"}))
      ->type_name("WHAT");
  add_capture(run, to.run.capture);
  run->add_flag("--record-output", to.run.record_output,
                "record what CMD's Python programs write to stdout and stderr");
  run->add_flag("--no-bench", to.no_bench,
                "do not measure flatout's loading engine on CMD's files once it has ended");
  run->add_flag("--no-live", to.no_live,
                "do not show step, rate and verdict so far while CMD runs");
  add_no_argv(run, to);
  run->add_option("--allow-env", to.allow_env,
                  "let a plan set this variable, such as LD_PRELOAD; may be given several times")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run->add_flag("-q,--quiet", to.run.quiet, "print nothing but errors");
  run->add_option("-o,--report-to", to.run.report_to, "print there instead of to stderr")
      ->type_name("FILE");
  run->add_option("-p,--plan", to.run.plans,
                  "set the knobs of this plan; may be given several times")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run->add_flag("--tune", to.run.tune,
                "try settings that leave the training as it is to the bit while CMD runs, keep "
                "those that make it faster, and write them to flatout.toml");
  run->add_flag("--accept-unproved", to.run.accept_unproved,
                "also set what a plan marks as faster, but not yet proved to train the same");
  add_rules_off(run, to);
  // For demonstrations; not in the help, so that nobody takes it for measuring.
  run->add_option("--replay", to.run.replay)->type_name("RUN")->group("");
}

void add_top(CLI::App& app, ParsedWords& to) {
  CLI::App* top =
      add_verb(app, to, "top", "watch a run, a process or the machine: devices, steps, processes");
  top->add_option("WHAT", to.top.what,
                  "a run, or the number of a process (default: the newest run that is running, "
                  "else the machine)")
      ->type_name("");
  top->add_flag("-1,--once", to.top.once, "print it once, as text");
  top->add_flag("-j,--json", to.top.json, "print it as JSON, a line each interval");
  top->add_option("-i,--interval", to.top.interval_s, "seconds, 0.1 to 60 (default: 1)")
      ->check(CLI::Range(0.1, 60.0))
      ->type_name("S");
}

void add_reading_verbs(CLI::App& app, ParsedWords& to) {
  CLI::App* list =
      add_verb(app, to, "ls", "list what was recorded, newest first: runs, tunes and searches");
  list->add_option("-t,--tag", to.list.tag, "only runs with this tag")->type_name("TAG");
  list->add_option("-n,--name", to.list.name, "only runs of this name; * stands for any text")
      ->type_name("NAME");
  list->add_option("--state", to.list.state, "only runs in this state")
      ->check(CLI::IsMember({"running", "finished", "failed", "killed", "lost", "damaged"}))
      ->type_name("STATE");
  list->add_flag("-a,--all", to.list.all,
                 "trials, too, below the tune or search that they belong to");
  list->add_flag("--tree", to.list.all, "the same as --all");
  add_format(list, to, {"text", "json"});

  CLI::App* show = add_verb(app, to, "show", "say what a run was: command, settings, machine");
  add_run_reference(show, to.show.run);
  add_format(show, to, {"text", "json"});

  CLI::App* logs =
      add_verb(app, to, "logs", "print what a run's program wrote, where it was recorded");
  logs->add_option("RUN", to.logs.run, std::string(kRunReference) + " (default: latest)")
      ->type_name("");
  logs->add_flag("-f,--follow", to.logs.follow, "go on as it writes, until the run ends");
  logs->add_option("-n,--tail", to.logs_tail, "the last N lines only")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  logs->add_flag("--times", to.logs.times, "with seconds since the run began");
  logs->add_option("--stream", to.logs.stream, "of this one only: stdout, stderr")
      ->check(CLI::IsMember({"stdout", "stderr"}))
      ->type_name("STREAM");
  logs->add_option("--pid", to.logs_pid, "of this process only")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 31U))
      ->type_name("PID");
  logs->add_option("--contains", to.logs.contains, "only lines with this text, in either case")
      ->type_name("TEXT");

  CLI::App* report =
      add_verb(app, to, "report", "explain a recorded or running run, or show what a tune found");
  report
      ->add_option(
          "RUN", to.report.run,
          std::string(kRunReference) + " (default: latest); a tune's id is its first run's")
      ->type_name("");
  add_format(report, to, {"text", "json", "html"});
  report->add_option("-o,--out", to.report.out, "write there instead of to stdout")
      ->type_name("FILE");
  add_rules_off(report, to);

  CLI::App* analyze =
      add_verb(app, to, "analyze", "explain a trace of PyTorch's profiler or Nsight Systems");
  analyze
      ->add_option("FILE", to.analyze.files,
                   "the trace: JSON, plain or with gzip, or SQLite; or a run; of several ranks, "
                   "one each")
      ->required()
      ->expected(1, 1 << 16)
      ->type_name("");
  add_format(analyze, to, {"text", "json", "html", "perfetto"});
  analyze->add_option("-o,--out", to.analyze.out, "write there instead of to stdout")
      ->type_name("FILE");
  add_rules_off(analyze, to);

  CLI::App* compare = add_verb(app, to, "compare", "say what changed from one run to others");
  compare
      ->add_option("RUN", to.compare.runs,
                   "two or more runs, or files of traces; the first is the baseline")
      ->required()
      ->expected(2, 1 << 10)
      ->type_name("");
  add_format(compare, to, {"text", "json", "html"});
  compare->add_option("-o,--out", to.compare.out, "write there instead of to stdout")
      ->type_name("FILE");
  add_rules_off(compare, to);

  CLI::App* check = add_verb(app, to, "check", "hold a run against a budget: a gate for CI");
  check->add_option("RUN", to.check.run, std::string(kRunReference) + ", or a file with a trace")
      ->required()
      ->type_name("");
  check->add_option("-b,--budget", to.check.budget, "the limits, a TOML file")
      ->required()
      ->type_name("FILE");
  check->add_option("--baseline", to.check.baseline, "what [baseline] holds the run against")
      ->type_name("RUN");
  add_format(check, to, {"text", "json", "markdown", "junit"});
  check->add_option("-o,--out", to.check.out, "write there, and the text to stdout")
      ->type_name("FILE");
  add_rules_off(check, to);

  CLI::App* tables = add_verb(app, to, "export", "write a run's steps and series as tables");
  add_run_reference(tables, to.export_to.run);
  tables
      ->add_option("-f,--format", to.table_format, "csv, parquet, perfetto or otlp (default: csv)")
      ->check(CLI::IsMember({"csv", "parquet", "perfetto", "otlp"}))
      ->type_name("FORMAT");
  tables->add_option("-o,--out", to.export_to.out, "folder to write to (default: flatout-RUN)")
      ->type_name("DIR");
  tables->add_flag("-j,--json", to.export_to.json,
                   "print what was written as JSON (flatout.export/1)");
  tables->add_flag("--force", to.export_to.force, "replace files that are there already");
}

void add_import(CLI::App& app, ParsedWords& to) {
  CLI::App* import_from =
      add_verb(app, to, "import", "store runs of TensorBoard, wandb, MLflow and Neptune");
  import_from
      ->add_option("PATH", to.import_from.paths,
                   "a file of events, a run-*.wandb, Neptune's *.parquet, or a folder with such "
                   "files or MLflow's")
      ->required()
      ->expected(1, 1 << 16)
      ->type_name("");
  import_from->add_flag("--again", to.import_from.again,
                        "also what was imported from the same place before");
  add_format(import_from, to, {"text", "json"});
}

void add_ui(CLI::App& app, ParsedWords& to) {
  CLI::App* ui = add_verb(app, to, "ui", "show all runs as a page in a browser, on this machine");
  ui->add_option("--port", to.ui.port, "port of 127.0.0.1 (default: any that is free)")
      ->check(CLI::Range(1, 65535))
      ->type_name("N");
  ui->add_option("--host", "127.0.0.1, which is all there is: nobody else can reach it")
      ->check(CLI::IsMember({"127.0.0.1", "localhost"}))
      ->type_name("HOST");
  ui->add_option("--token-file", to.ui.token_file,
                 "keep the token in FILE, for programs that ask again and again")
      ->type_name("FILE");
  ui->add_flag("--no-open", to.no_open, "only print the address");
}

void add_changing_verbs(CLI::App& app, ParsedWords& to) {
  CLI::App* tag = add_verb(app, to, "tag", "add tags to a run, or take them off");
  add_tag_reference(tag, to, to.tag.run);
  tag->add_option("TAG", to.tag.tags, "one or more")->required()->type_name("");
  tag->add_flag("--remove", to.tag.remove, "take these tags off");

  CLI::App* note = add_verb(app, to, "note", "write a note on a run");
  add_tag_reference(note, to, to.note.run);
  note->add_option("TEXT", to.note_words, "the note, \"\" for none")->required()->type_name("");

  CLI::App* remove =
      add_verb(app, to, "rm", "delete recorded runs; of a tune or search its trials, too");
  remove->add_option("RUN", to.remove.runs, "whole ids, names, or latest")->type_name("");
  remove
      ->add_option("--older-than", to.remove.older_than, "all that ended longer ago: 12h, 30d, 8w")
      ->type_name("AGE");
  remove->add_flag("--keep-tagged", to.remove.keep_tagged,
                   "with --older-than: leave runs that have a tag");
  remove->add_flag("-n,--dry-run", to.remove.dry_run, "only list what would be deleted");
  add_format(remove, to, {"text", "json"});
}

}  // namespace

void add_verbs(CLI::App& app, ParsedWords& to) {
  add_run(app, to);
  add_top(app, to);
  add_tune(app, to);
  add_accuracy(app, to);
  add_search(app, to);
  add_reading_verbs(app, to);
  add_changing_verbs(app, to);
  add_import(app, to);
  add_ui(app, to);
  add_pack(app, to);
  add_bench(app, to);
  CLI::App* doctor =
      add_verb(app, to, "doctor", "say what can be measured on this machine, and why not the rest");
  add_format(doctor, to, {"text", "json"});
  CLI::App* completions = app.add_subcommand("completions", "print completions for a shell");
  completions->add_option("SHELL", to.shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("");
  completions->footer(std::string(help_text("completions")));
  app.add_subcommand("manual", "print flatout(1), the manual page")
      ->footer(std::string(help_text("manual")));
  app.add_subcommand("help", "explain a verb: flatout help VERB");
  app.footer(std::string(help_text("")));
}

}  // namespace flatout::cli
