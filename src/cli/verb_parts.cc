#include "cli/verb_parts.h"

#include "cli/help_texts.h"

namespace flatout::cli {

CLI::App* add_verb(CLI::App& app, ParsedWords& to, const char* name, const char* text) {
  CLI::App* verb = app.add_subcommand(name, text);
  verb->add_option("--home", to.home,
                   "where runs are kept (default: $FLATOUT_HOME, else $XDG_DATA_HOME/flatout, else "
                   "~/.local/share/flatout)")
      ->type_name("DIR");
  verb->add_option("--color", to.colour,
                   "auto, always or never (default: auto, which is on a terminal; NO_COLOR counts)")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  verb->footer(std::string(help_text(name)));
  return verb;
}

void add_format(CLI::App* verb, ParsedWords& to, const std::vector<std::string>& formats) {
  std::string names;
  for (const std::string& format : formats) names += (names.empty() ? "" : " or ") + format;
  verb->add_option("-f,--format", to.format, names + " (default: text)")
      ->check(CLI::IsMember(formats))
      ->type_name("FORMAT");
}

void add_no_argv(CLI::App* verb, ParsedWords& to) {
  verb->add_flag("--no-argv", to.no_argv, "keep no arguments of commands, only their names");
}

void add_capture(CLI::App* verb, std::vector<std::string>& to) {
  verb->add_option("--capture", to,
                   "record what CMD logs through these: wandb, tensorboard, mlflow, neptune")
      ->delimiter(',')
      ->check(CLI::IsMember({"wandb", "tensorboard", "mlflow", "neptune"}))
      ->type_name("WHAT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace flatout::cli
