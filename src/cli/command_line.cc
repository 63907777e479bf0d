// CLI11 parses options; the command of `run` never reaches it. CLI11 would
// take options out of it ("python train.py --name x" has a --name of its own),
// so the words are split first, by asking CLI11 which options take a value.
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <string_view>

#include "base/nearest_name.h"
#include "cli/help_format.h"
#include "cli/verb_options.h"

namespace flatout::cli {
namespace {

// Whether the value of an option is the next word: "--name NAME", "-n NAME", also behind flags
// ("-qn NAME"), but not "-nNAME".
bool value_follows(const CLI::App& verb, const std::string& word) {
  const auto takes_value = [&](const std::string& name) {
    const CLI::Option* option = verb.get_option_no_throw(name);
    return option != nullptr && option->get_expected_min() > 0;
  };
  if (word.starts_with("--")) return takes_value(word);
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (takes_value(std::string("-") + word[i])) return i + 1 == word.size();
  }
  return false;
}

// Where the command starts in the words after `run`; words.size() when there
// is none. An option that CLI11 does not know is left to it to complain about.
std::size_t command_begin(const CLI::App& run, std::span<const std::string> words) {
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string& word = words[at];
    if (word == "--" || word.size() < 2 || word[0] != '-') return at;
    const bool has_value = word.find('=') != std::string::npos;
    at += !has_value && value_follows(run, word) ? 2 : 1;
  }
  return words.size();
}

// Takes the id off "--resume ID" among the words after `tune`: CLI11 would take the
// beginning of a command for one. An id stands before "--", an option or the end.
std::string split_resume_id(const CLI::App& tune, std::vector<std::string>& words) {
  constexpr std::string_view kOption = "--resume";
  const auto rest = std::span<const std::string>(words).subspan(1);
  const std::size_t begin = 1 + command_begin(tune, rest);
  for (std::size_t at = 1; at < begin; ++at) {
    if (!words[at].starts_with("--resume=")) continue;
    std::string id = words[at].substr(kOption.size() + 1);
    words[at] = kOption;
    return id;
  }
  if (begin >= words.size() || words[begin - 1] != kOption || words[begin] == "--") return "";
  const bool last = begin + 1 >= words.size() || words[begin + 1] == "--";
  if (!last && tune.get_option_no_throw(words[begin + 1]) == nullptr) return "";
  std::string id = words[begin];
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(begin));
  return id;
}

// Takes the command off the end of `words`, whose first is the verb.
std::vector<std::string> split_command(const CLI::App& app, std::vector<std::string>& words) {
  const auto rest = std::span<const std::string>(words).subspan(1);
  const std::size_t begin = 1 + command_begin(*app.get_subcommand(words[0]), rest);
  if (begin >= words.size()) return {};
  const std::size_t skip = words[begin] == "--" ? 1 : 0;
  std::vector<std::string> command(words.begin() + static_cast<std::ptrdiff_t>(begin + skip),
                                   words.end());
  words.resize(begin);
  return command;
}

// The same behind the space of `search`, which may have options on both sides.
std::vector<std::string> split_search(const CLI::App& app, std::vector<std::string>& words) {
  const CLI::App& search = *app.get_subcommand("search");
  const auto all = std::span<const std::string>(words);
  const std::size_t space = 1 + command_begin(search, all.subspan(1));
  if (space >= words.size() || words[space] == "--") return {};
  const std::size_t begin = space + 1 + command_begin(search, all.subspan(space + 1));
  if (begin >= words.size()) return {};
  const std::size_t skip = words[begin] == "--" ? 1 : 0;
  std::vector<std::string> command(words.begin() + static_cast<std::ptrdiff_t>(begin + skip),
                                   words.end());
  words.resize(begin);
  return command;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

bool is_verb(const CLI::App& app, const std::string& word) {
  const auto verbs = app.get_subcommands({});
  return std::any_of(verbs.begin(), verbs.end(),
                     [&](const CLI::App* verb) { return verb->get_name() == word; });
}

// "; did you mean --name?" for an option of the verb that does not exist.
std::string meant_option(const CLI::App& verb, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const OptionWords& option : options_of(verb)) {
    if (!option.positional) names.push_back(option.long_name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || verb.get_option_no_throw(name) != nullptr) continue;
    const std::string near = base::nearest_name(name, known);
    if (!near.empty()) return "; did you mean " + near + "?";
  }
  return "";
}

base::Error no_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* verb : shown_verbs(app)) names.push_back(verb->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string near = base::nearest_name(word, known);
  return {base::ErrorCode::kInvalid,
          "there is no verb '" + word + "'" +
              (near.empty() ? ", and a program is recorded by flatout run -- CMD"
                            : "; did you mean flatout " + near + "?") +
              (near.empty() ? "; the verbs are " : " The verbs are ") + kVerbs};
}

// "help VERB" is "VERB --help".
base::Result<std::vector<std::string>> without_help(const std::vector<std::string>& args) {
  if (args.empty() || args[0] != "help") return args;
  if (args.size() > 2) {
    return base::fail(base::ErrorCode::kInvalid, "help explains one verb: flatout help VERB");
  }
  if (args.size() == 1 || args[1] == "help" || args[1] == "--help") {
    return std::vector<std::string>{"--help"};
  }
  return std::vector<std::string>{args[1], "--help"};
}

std::vector<std::string> split_off(const CLI::App& app, std::vector<std::string>& words,
                                   ParsedWords& parsed) {
  if (words[0] == "search") return split_search(app, words);
  if (words[0] == "tune") {
    parsed.tune.resume_id = split_resume_id(*app.get_subcommand("tune"), words);
  }
  return split_command(app, words);
}

base::Result<Command> parse(const std::vector<std::string>& words_given, CommonOptions& common) {
  const auto asked = without_help(words_given);
  if (!asked) return std::unexpected(asked.error());
  const std::vector<std::string>& args = *asked;
  ParsedWords parsed;
  CLI::App app{
      "flatout runs a training command, says why its device waits, and what to do about it.",
      "flatout"};
  app.set_version_flag("-V,--version", "flatout " FLATOUT_VERSION, "print the version");
  app.set_help_flag("-h,--help", "print this help");  // verbs that are added have the same
  add_verbs(app, parsed);
  if (args.empty()) return ShowText{help_page(app, common.columns)};
  if (args[0][0] != '-' && !is_verb(app, args[0])) {
    return std::unexpected(no_verb(app, args[0]));
  }
  std::vector<std::string> words = args;
  if (words[0] == "run") parsed.run.command = split_off(app, words, parsed);
  if (words[0] == "search") parsed.search.command = split_off(app, words, parsed);
  if (words[0] == "tune") parsed.tune.command = split_off(app, words, parsed);
  const std::vector<std::string> of_verb(words.begin() + 1, words.end());
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto chosen_verbs = app.get_subcommands();
    return ShowText{help_page(chosen_verbs.empty() ? app : *chosen_verbs.front(), common.columns)};
  } catch (const CLI::CallForVersion& version) {
    return ShowText{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    const bool known = is_verb(app, args[0]);
    const std::string meant = known ? meant_option(*app.get_subcommand(args[0]), of_verb) : "";
    return base::fail(base::ErrorCode::kInvalid, one_line(error.what()) + meant +
                                                     (meant.empty() ? ";" : "") + " see flatout" +
                                                     (known ? " " + args[0] : "") + " --help");
  }
  if (app.get_subcommands().empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      std::string("a verb is missing; the verbs are ") + kVerbs);
  }
  common.colour = parsed.colour == "always"  ? Colour::kAlways
                  : parsed.colour == "never" ? Colour::kNever
                                             : Colour::kAuto;
  return chosen(app, parsed);
}

}  // namespace

base::Result<Command> parse_command_line(const std::vector<std::string>& args,
                                         CommonOptions& common) {
  try {
    return parse(args, common);
  } catch (const std::exception& error) {  // CLI11 throws; nothing of it leaves here
    return base::fail(base::ErrorCode::kInvalid, one_line(error.what()) + "; see flatout --help");
  }
}

base::Result<Command> parse_command_line(const std::vector<std::string>& args) {
  CommonOptions common;
  return parse_command_line(args, common);
}

}  // namespace flatout::cli
