// CLI11 parses options; the command of `run` never reaches it. CLI11 would
// take options out of it ("python train.py --name x" has a --name of its own),
// so the words are split first, by asking CLI11 which options take a value.
#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "cli/verb_options.h"

namespace flatout::cli {
namespace {

// Where the command starts in the words after `run`; words.size() when there
// is none. An option that CLI11 does not know is left to it to complain about.
std::size_t command_begin(const CLI::App& run, std::span<const std::string> words) {
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string& word = words[at];
    if (word == "--" || word.size() < 2 || word[0] != '-') return at;
    const bool has_value = word.find('=') != std::string::npos;
    const CLI::Option* option = has_value ? nullptr : run.get_option_no_throw(word);
    at += option != nullptr && option->get_expected_min() > 0 ? 2 : 1;
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

// CLI11 knows neither that the verb belongs to flatout, nor of the command that
// is split off before it sees the words, nor how people write "two or more".
std::string verb_help(const CLI::App& verb) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSaidBetter = {
      {{"Usage: ", "Usage: flatout "},
       {"run [OPTIONS]", "run [OPTIONS] [--] CMD..."},
       {"tune [OPTIONS]", "tune [OPTIONS] [--] CMD..."},
       {"search [OPTIONS] SPACE", "search [OPTIONS] SPACE [--] CMD..."},
       {"RUN(2x)", "RUN RUN..."},
       {"RUN x 2 REQUIRED  ", "RUN RUN... REQUIRED"},
       {"SRC DST(2x)", "SRC... DST"},
       {"SRC DST x 2 REQUIRED", "SRC... DST REQUIRED "}}};
  std::string text = verb.help();
  for (const auto& [from, to] : kSaidBetter) {
    const std::size_t at = text.find(from);
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return text;
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

base::Result<Command> parse(const std::vector<std::string>& words_given) {
  const auto asked = without_help(words_given);
  if (!asked) return std::unexpected(asked.error());
  const std::vector<std::string>& args = *asked;
  ParsedWords parsed;
  CLI::App app{
      "flatout runs a training command, says why its accelerator is not flat out, and what to do.",
      "flatout"};
  app.set_version_flag("--version", "flatout " FLATOUT_VERSION);
  add_verbs(app, parsed);
  if (args.empty()) return ShowText{app.help()};
  if (args[0][0] != '-' && !is_verb(app, args[0])) {
    return base::fail(base::ErrorCode::kInvalid,
                      "there is no verb '" + args[0] + "'; the verbs are " + kVerbs);
  }
  std::vector<std::string> words = args;
  if (words[0] == "run") parsed.run.command = split_command(app, words);
  if (words[0] == "search") parsed.search.command = split_search(app, words);
  if (words[0] == "tune") {
    parsed.tune.resume_id = split_resume_id(*app.get_subcommand("tune"), words);
    parsed.tune.command = split_command(app, words);
  }
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto chosen_verbs = app.get_subcommands();
    return ShowText{chosen_verbs.empty() ? app.help() : verb_help(*chosen_verbs.front())};
  } catch (const CLI::CallForVersion& version) {
    return ShowText{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    const std::string verb = is_verb(app, args[0]) ? " " + args[0] : "";
    return base::fail(base::ErrorCode::kInvalid,
                      one_line(error.what()) + "; see flatout" + verb + " --help");
  }
  if (app.get_subcommands().empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      std::string("a verb is missing; the verbs are ") + kVerbs);
  }
  return chosen(app, parsed);
}

}  // namespace

base::Result<Command> parse_command_line(const std::vector<std::string>& args) {
  try {
    return parse(args);
  } catch (const std::exception& error) {  // CLI11 throws; nothing of it leaves here
    return base::fail(base::ErrorCode::kInvalid, one_line(error.what()) + "; see flatout --help");
  }
}

}  // namespace flatout::cli
