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

}  // namespace flatout::cli
