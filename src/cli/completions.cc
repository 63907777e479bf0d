#include "cli/completions.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/joined.h"
#include "cli/help_format.h"

namespace flatout::cli {
namespace {

// What may stand where an option or a positional wants a value.
enum class Values : std::uint8_t { kNothing, kAnything, kChoices, kFiles, kFolders, kRuns };

Values values_of(const OptionWords& option) {
  if (!option.choices.empty()) return Values::kChoices;
  const std::string& what = option.positional ? option.long_name : option.value;
  if (what.empty()) return Values::kNothing;
  if (what == "RUN") return Values::kRuns;
  if (what == "FILE" || what == "SPACE" || what == "SRC DST") return Values::kFiles;
  return what == "DIR" || what == "FOLDER" ? Values::kFolders : Values::kAnything;
}

bool takes_command(const CLI::App& verb) {
  return verb.get_name() == "run" || verb.get_name() == "tune" || verb.get_name() == "search";
}

std::string verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : shown_verbs(app)) names.push_back(verb->get_name());
  return base::joined(names);
}

std::string option_names(const std::vector<OptionWords>& options) {
  std::vector<std::string> names;
  for (const OptionWords& option : options) {
    if (option.positional) continue;
    if (!option.short_name.empty()) names.push_back(option.short_name);
    if (option.long_name != option.short_name) names.push_back(option.long_name);
  }
  return base::joined(names);
}

// For `case`: "-n|--name".
std::string either(const OptionWords& option) {
  return option.short_name.empty() || option.short_name == option.long_name
             ? option.long_name
             : option.short_name + "|" + option.long_name;
}

std::string bash_reply(const OptionWords& option) {
  switch (values_of(option)) {
    case Values::kChoices:
      return "COMPREPLY=($(compgen -W '" + base::joined(option.choices) + "' -- \"$cur\"))";
    case Values::kFiles:
      return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Values::kFolders:
      return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Values::kRuns:
      return "COMPREPLY=($(compgen -W \"$(_flatout_runs)\" -- \"$cur\"))";
    case Values::kAnything:
    case Values::kNothing:
      break;
  }
  return "COMPREPLY=()";
}

std::string bash_verb(const CLI::App& verb, const std::string& verbs) {
  const auto options = options_of(verb);
  std::string with_value;
  std::string values;
  std::string positional = "COMPREPLY=()";
  for (const OptionWords& option : options) {
    if (option.positional) {
      if (positional == "COMPREPLY=()") positional = bash_reply(option);
      continue;
    }
    if (values_of(option) == Values::kNothing) continue;
    with_value += (with_value.empty() ? "" : "|") + either(option);
    values += "        " + either(option) + ") " + bash_reply(option) + "; return ;;\n";
  }
  if (verb.get_name() == "help")
    positional = "COMPREPLY=($(compgen -W '" + verbs + "' -- \"$cur\"))";
  std::string out = "    " + verb.get_name() + ")\n";
  if (takes_command(verb)) {
    out += "      _flatout_command '" + with_value + "' " +
           (verb.get_name() == "search" ? "1" : "0") + " && return\n";
  }
  if (!values.empty()) out += "      case $prev in\n" + values + "      esac\n";
  out += "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '" + option_names(options) +
         "' -- \"$cur\")); return; fi\n";
  if (verb.get_name() != "run" && verb.get_name() != "tune") {
    out += "      " + positional + "\n";
  } else {
    out += "      compopt -o filenames; COMPREPLY=($(compgen -A command -- \"$cur\"))\n";
  }
  return out + "      ;;\n";
}

// Where the command of `run` begins, its own completion goes on.
constexpr const char* kBashBegin =
    R"(# Completion of flatout for bash, made by `flatout completions bash`.
_flatout_runs() {
  printf 'latest\n'
  flatout ls --all --color never 2>/dev/null | awk 'NR > 1 {print $1}'
}

# Options that take a value, and words that stand before the command. True where the word at the
# cursor belongs to the command, which then is completed as a command line of its own.
_flatout_command() {
  local valued="|$1|" before=$2 at=2
  while ((at < COMP_CWORD)); do
    case ${COMP_WORDS[at]} in
      --) ((at++)); before=0; break ;;
      -*) [[ $valued == *"|${COMP_WORDS[at]}|"* ]] && ((at++)) ;;
      *) ((before-- > 0)) || break ;;
    esac
    ((at++))
  done
  if ((at > COMP_CWORD || before > 0)); then return 1; fi
  if ((at == COMP_CWORD)); then
    [[ ${COMP_WORDS[at - 1]} == -- ]] || return 1
    COMPREPLY=($(compgen -A command -- "$cur"))
    return 0
  fi
  if declare -F _command_offset > /dev/null; then
    _command_offset "$at"
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
  return 0
}

_flatout() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
)";

std::string bash_completions(const CLI::App& app) {
  const std::string verbs = verb_names(app);
  std::string out = kBashBegin;
  out += "    COMPREPLY=($(compgen -W '" + verbs + " " + option_names(options_of(app)) +
         "' -- \"$cur\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* verb : shown_verbs(app)) out += bash_verb(*verb, verbs);
  return out + "  esac\n}\ncomplete -F _flatout flatout\n";
}

// In single quotes of a shell, without what _arguments takes for its own.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_action(const OptionWords& option) {
  switch (values_of(option)) {
    case Values::kChoices:
      return "(" + base::joined(option.choices) + ")";
    case Values::kFiles:
      return "_files";
    case Values::kFolders:
      return "_files -/";
    case Values::kRuns:
      return "_flatout_runs";
    case Values::kAnything:
    case Values::kNothing:
      break;
  }
  return " ";
}

// `number`: of a positional, from 1.
std::string zsh_positional(const OptionWords& option, int number) {
  const std::string place = option.many ? "*" : std::to_string(number);
  return "'" + place + ":" + zsh_text(option.long_name) + ":" + zsh_action(option) + "'";
}

std::string zsh_spec(const OptionWords& option) {
  std::string spec = "'[" + zsh_text(option.text) + "]";
  if (!option.value.empty()) spec += ":" + zsh_text(option.value) + ":" + zsh_action(option);
  const bool both = !option.short_name.empty() && option.short_name != option.long_name;
  if (!both) return "'" + option.long_name + spec.substr(1) + "'";
  return "'(" + option.short_name + " " + option.long_name + ")'{" + option.short_name + "," +
         option.long_name + "}" + spec + "'";
}

std::string zsh_completions(const CLI::App& app) {
  std::string out =
      "#compdef flatout\n# Completion of flatout for zsh, made by `flatout completions zsh`.\n"
      "_flatout_runs() {\n  local -a runs\n"
      "  runs=(latest ${(f)\"$(flatout ls --all --color never 2>/dev/null | awk 'NR > 1 {print "
      "$1}')\"})\n  compadd -a runs\n}\n_flatout() {\n  local -a verbs\n  verbs=(\n";
  for (const CLI::App* verb : shown_verbs(app)) {
    out += "    '" + verb->get_name() + ":" + zsh_text(verb->get_description()) + "'\n";
  }
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n"
      "  shift words; (( CURRENT-- ))\n  case $words[1] in\n";
  for (const CLI::App* verb : shown_verbs(app)) {
    out += "    " + verb->get_name() + ")\n      _arguments -S";
    int positionals = 0;
    for (const OptionWords& option : options_of(*verb)) {
      out += " \\\n        " +
             (option.positional ? zsh_positional(option, ++positionals) : zsh_spec(option));
    }
    if (takes_command(*verb)) out += " \\\n        '*::command:_normal'";
    out += "\n      ;;\n";
  }
  return out + "  esac\n}\n_flatout \"$@\"\n";
}

std::string fish_text(std::string_view text) {
  std::string out;
  for (const char c : text) out += (c == '\'' || c == '\\' ? std::string("\\") : "") + c;
  return out;
}

std::string fish_values(const OptionWords& option) {
  switch (values_of(option)) {
    case Values::kChoices:
      return " -x -a '" + base::joined(option.choices) + "'";
    case Values::kFiles:
      return " -r -F";
    case Values::kFolders:
      return " -x -a '(__fish_complete_directories)'";
    case Values::kRuns:
      return " -x -a '(__flatout_runs)'";
    case Values::kAnything:
      return " -x";
    case Values::kNothing:
      break;
  }
  return "";
}

std::string fish_completions(const CLI::App& app) {
  std::string out =
      "# Completion of flatout for fish, made by `flatout completions fish`.\n"
      "function __flatout_runs\n    echo latest\n"
      "    flatout ls --all --color never 2>/dev/null | awk 'NR > 1 {print $1}'\nend\n"
      "complete -c flatout -f\n";
  for (const CLI::App* verb : shown_verbs(app)) {
    out += "complete -c flatout -n __fish_use_subcommand -a " + verb->get_name() + " -d '" +
           fish_text(verb->get_description()) + "'\n";
  }
  for (const CLI::App* verb : shown_verbs(app)) {
    const std::string when =
        "complete -c flatout -n '__fish_seen_subcommand_from " + verb->get_name() + "'";
    for (const OptionWords& option : options_of(*verb)) {
      if (option.positional) {
        out += when + (values_of(option) == Values::kFiles ? " -F" : fish_values(option)) + "\n";
        continue;
      }
      out += when;
      if (!option.short_name.empty()) out += " -s " + option.short_name.substr(1);
      if (option.long_name.starts_with("--")) out += " -l " + option.long_name.substr(2);
      out += fish_values(option) + " -d '" + fish_text(option.text) + "'\n";
    }
    if (takes_command(*verb)) out += when + " -x -a '(__fish_complete_subcommand)'\n";
  }
  return out;
}

}  // namespace

std::string completions_for(const CLI::App& app, std::string_view shell) {
  if (shell == "zsh") return zsh_completions(app);
  return shell == "fish" ? fish_completions(app) : bash_completions(app);
}

}  // namespace flatout::cli
