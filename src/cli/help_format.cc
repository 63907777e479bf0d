#include "cli/help_format.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "report/layout.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kOptionColumns = 30;
constexpr std::size_t kVerbColumns = 15;
constexpr std::size_t kNarrowIndent = 10;
constexpr std::size_t kNarrow = 72;       // below it, names stand on lines of their own
constexpr std::size_t kWidestPage = 100;  // longer lines are hard to read

// What CLI11 knows nothing of: the command is split off before it sees the words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOperands = {
    {{"help", " VERB"},
     {"run", " [--] CMD..."},
     {"tune", " [--] CMD..."},
     {"search", " SPACE [--] CMD..."},
     {"compare", " RUN RUN..."},
     {"pack", " SRC... DST"}}};

// "  name    text", the text in as many lines as it needs.
std::string two_columns(const std::string& name, const std::string& text, std::size_t name_columns,
                        std::size_t columns) {
  const std::string label = "  " + name;
  const bool narrow = columns < kNarrow && name_columns > kNarrowIndent * 2;
  const bool alone = narrow || label.size() + 2 > name_columns;
  const std::size_t indent = narrow ? kNarrowIndent : name_columns;
  std::string first(indent, ' ');
  if (!alone) first.replace(0, label.size(), label);
  std::string out = alone ? label + "\n" : "";
  const std::size_t room = std::max(columns, indent + 20);
  for (const std::string& line : report::wrap(first, text, room)) out += line + "\n";
  return out;
}

std::string name_of(const OptionWords& option) {
  std::string name = option.long_name;
  if (option.positional) return name;
  name = (option.short_name.empty() ? "    " : option.short_name + ", ") + name;
  return option.value.empty() ? name : name + " " + option.value;
}

std::string section(const char* title, const std::vector<OptionWords>& options, bool positional,
                    std::size_t columns) {
  std::string out;
  for (const OptionWords& option : options) {
    if (option.positional != positional) continue;
    out += two_columns(name_of(option), option.text, kOptionColumns, columns);
  }
  return out.empty() ? "" : std::string("\n") + title + ":\n" + out;
}

}  // namespace

OptionWords words_of(const CLI::Option& option) {
  OptionWords out;
  out.text = option.get_description();
  out.positional = option.get_positional();
  out.many = option.get_expected_max() > 1;
  if (!option.get_snames().empty()) out.short_name = "-" + option.get_snames().front();
  out.long_name = out.positional                ? option.get_name(true)
                  : option.get_lnames().empty() ? out.short_name
                                                : "--" + option.get_lnames().front();
  if (option.get_type_size() == 0) return out;
  // "FORMAT:{text,json}": what a check that knows its values calls itself.
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  out.value = type.substr(0, colon);
  const std::size_t open = type.find('{');
  if (open == std::string::npos) return out;
  std::istringstream choices(type.substr(open + 1, type.rfind('}') - open - 1));
  for (std::string choice; std::getline(choices, choice, ',');) out.choices.push_back(choice);
  return out;
}

std::vector<OptionWords> options_of(const CLI::App& verb) {
  std::vector<OptionWords> out;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;
    out.push_back(words_of(*option));
  }
  std::ranges::stable_partition(out, [](const OptionWords& one) { return one.positional; });
  return out;
}

std::string usage_of(const CLI::App& verb) {
  std::string out = "flatout " + verb.get_name();
  if (verb.get_parent() == nullptr) return "flatout VERB [OPTIONS]";
  if (verb.get_options().size() > 1) out += " [OPTIONS]";  // more than --help
  for (const auto& [name, operands] : kOperands) {
    if (verb.get_name() == name) return out.append(operands);
  }
  for (const CLI::Option* option : verb.get_options()) {
    if (!option->get_positional()) continue;
    std::string word = option->get_name(true);
    if (option->get_expected_max() > 1) word += "...";
    out += option->get_required() ? " " + word : " [" + word + "]";
  }
  return out;
}

std::vector<const CLI::App*> shown_verbs(const CLI::App& app) {
  auto out = app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
  return {out.begin(), out.end()};
}

std::string filled(std::string_view text, std::size_t columns) {
  std::string out;
  std::string paragraph;
  const auto flush = [&] {
    if (paragraph.empty()) return;
    for (const std::string& line : report::wrap("", paragraph, columns)) out += line + "\n";
    paragraph.clear();
  };
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != ' ') {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    flush();
    out += line + "\n";
  }
  flush();
  return out;
}

std::string help_page(const CLI::App& app, std::size_t columns) {
  columns = std::min(columns, kWidestPage);
  const auto options = options_of(app);
  std::string out = filled(app.get_description(), columns);
  out += "\nUsage: " + usage_of(app) + "\n";
  out += section("Positionals", options, true, columns);
  out += section("Options", options, false, columns);
  std::string verbs;
  for (const CLI::App* verb : shown_verbs(app)) {
    verbs += two_columns(verb->get_name(), verb->get_description(), kVerbColumns, columns);
  }
  if (!verbs.empty()) out += "\nVerbs:\n" + verbs;
  const std::string more = filled(app.get_footer(), columns);
  return more.empty() ? out : out + "\n" + more;
}

}  // namespace flatout::cli
