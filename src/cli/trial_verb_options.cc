#include "cli/trial_verb_options.h"

#include <cstdint>

#include "cli/verb_parts.h"

namespace flatout::cli {
namespace {

void add_launcher(CLI::App* verb, trial::LauncherOptions& to) {
  verb->add_option("--launcher", to.kind, "where trials run: local (default) or slurm")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->type_name("KIND");
  verb->add_option("--slurm", to.slurm, "with --launcher slurm: arguments for srun, in quotes")
      ->type_name("ARGS");
}

}  // namespace

void add_tune(CLI::App& app, ParsedWords& to) {
  CLI::App* tune =
      add_verb(app, to, "tune", "find what makes a command train faster, and prove it");
  tune->add_option("-b,--budget", to.tune.budget, "end after this long: 90s, 10m, 2h")
      ->type_name("TIME");
  tune->add_option("--for", to.tune.training,
                   "how long the training will be: end when the next change is likely to save less "
                   "of it than trying it takes (default without --budget: 24h)")
      ->type_name("TIME");
  tune->add_option("-k,--knobs", to.knobs, "try these only")->type_name("ID,ID");
  tune->add_option("--knob", to.tune.own_knobs,
                   "a knob of your own: an argument of CMD, NAME='--workers={0..12}', or its "
                   "environment, NAME='env:OMP_NUM_THREADS={1,2,4}'; may be given several times")
      ->type_name("NAME=PATTERN")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  tune->add_option("--loss", to.tune.loss,
                   "where the loss is seen: log:NAME, or a regular expression over what CMD "
                   "prints, with one group")
      ->type_name("WHERE");
  tune->add_option("--risk", to.tune.risk,
                   "same_maths, rounding or changes_training (default: rounding)")
      ->check(CLI::IsMember({"same_maths", "rounding", "changes_training"}))
      ->type_name("RISK");
  tune->add_option("--price", to.price, "of the device, an hour; says what tuning costs")
      ->check(CLI::PositiveNumber)
      ->type_name("PRICE");
  tune->add_option("--steps", to.trial_steps,
                   "of each trial, at least 24 (default: as many as the noise asks for)")
      ->check(CLI::Range(std::uint64_t{24}, std::uint64_t{1} << 32U))
      ->type_name("N");
  tune->add_option("-j,--json", to.tune.json_file, "also write the result there, as JSON")
      ->type_name("FILE");
  tune->add_option("--html", to.tune.html_file,
                   "also write the result there, as a page with charts")
      ->type_name("FILE");
  tune->add_option("-p,--plan", to.tune.plan_file, "where the plan goes (default: flatout.toml)")
      ->type_name("FILE");
  tune->add_flag("--in-place", to.tune.in_place, "run the trials in this folder itself");
  tune->add_flag("--resume", to.tune.resume,
                 "go on with an interrupted tune: [ID], or the newest of this command and folder");
  tune->add_option("--file-cache", to.tune.file_cache,
                   "cold: each trial reads its data from storage; warm: from memory, as the one "
                   "before left it there; auto: cold where the set does not fit into memory")
      ->check(CLI::IsMember({"auto", "warm", "cold"}))
      ->type_name("STATE");
  add_capture(tune, to.tune.capture);
  add_no_argv(tune, to);
  add_launcher(tune, to.tune.launcher);
  tune->add_flag("--explain", to.tune.explain, "print how to set a plan's knobs by hand");
}

void add_accuracy(CLI::App& app, ParsedWords& to) {
  CLI::App* accuracy =
      add_verb(app, to, "accuracy", "hold what tunes predicted against what they measured");
  accuracy->add_flag("-j,--json", to.as_json, "the same as --format json");
  add_format(accuracy, to, {"text", "json"});
}

void add_search(CLI::App& app, ParsedWords& to) {
  CLI::App* search = add_verb(app, to, "search",
                              "search the best values of a command's arguments and environment");
  search->add_option("SPACE", to.search.space_file, "a file that says what may vary")
      ->required()
      ->type_name("");
  search->add_option("-b,--budget", to.search.budget, "end after this long: 90s, 10m, 2h")
      ->type_name("TIME");
  search->add_option("--slots", to.slots, "trials at one time (default: one for each GPU, else 1)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  add_launcher(search, to.search.launcher);
  search->add_option("-j,--json", to.search.json_file, "also write the result there, as JSON")
      ->type_name("FILE");
  search
      ->add_option("--html", to.search.html_file,
                   "also write the result there, as a page with charts")
      ->type_name("FILE");
  search
      ->add_option("-p,--plan", to.search.plan_file,
                   "where knobs of the best point go (default: flatout.toml)")
      ->type_name("FILE");
  search
      ->add_option(
          "--allow-env", to.allow_env,
          "let the space set this variable, such as LD_PRELOAD; may be given several times")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_capture(search, to.search.capture);
  add_no_argv(search, to);
  search->add_flag("--in-place", to.search.in_place, "run the trials in this folder itself");
  search->add_flag("--resume", to.search.resume,
                   "go on with an interrupted search of this command and space");
  // Started by launchers; not in the help.
  app.add_subcommand("trial", "run one trial that a launcher placed here")
      ->group("")
      ->add_option("FILE", to.trial.file)
      ->required();
  // Started by a program that logs through flatout.track without `run` around it; likewise.
  CLI::App* attach =
      app.add_subcommand("attach", "record a program that flatout did not start")->group("");
  attach->add_option("PID", to.attach.pid)->required()->check(CLI::PositiveNumber);
  attach->add_option("--name", to.attach.name);
  attach->add_option("--home", to.attach.home);
  // Started by `run` and `tune`; likewise.
  app.add_subcommand("bench-engine", "measure the loading engine on the files of stdin's job")
      ->group("");
}

}  // namespace flatout::cli
