#include "cli/verb_parts.h"

#include "cli/help_texts.h"

namespace flatout::cli {

CLI::App* add_verb(CLI::App& app, ParsedWords& to, const char* name, const char* text) {
  CLI::App* verb = app.add_subcommand(name, text);
  verb->add_option("--home", to.home, "where runs are kept (default: $FLATOUT_HOME)")
      ->type_name("DIR");
  verb->footer(std::string(help_text(name)));
  return verb;
}

void add_format(CLI::App* verb, ParsedWords& to, const std::vector<std::string>& formats) {
  std::string names;
  for (const std::string& format : formats) names += (names.empty() ? "" : " or ") + format;
  verb->add_option("--format", to.format, names + " (default: text)")
      ->check(CLI::IsMember(formats))
      ->type_name("FORMAT");
}

}  // namespace flatout::cli
