#include "apply/search/arguments.h"

namespace flatout::apply {
namespace {

bool is_option(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  const char second = word[1];
  return !((second >= '0' && second <= '9') || second == '.');  // -1, -.5
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                          "0123456789_-+=.,:/@%") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::vector<std::string> with_argument(std::vector<std::string> command, const std::string& name,
                                       const std::string& value) {
  // The first word is the program.
  for (std::size_t at = command.size(); at-- > 1;) {
    if (command[at].starts_with(name + "=")) {
      command[at] = name + "=" + value;
      return command;
    }
    const bool separate = name[0] == '-' && command[at] == name && at + 1 < command.size() &&
                          !is_option(command[at + 1]);
    if (separate) {
      command[at + 1] = value;
      return command;
    }
  }
  command.push_back(name + "=" + value);
  return command;
}

SetUp set_up(const std::vector<std::string>& command, const SearchPoint& point) {
  SetUp out{.command = command, .environment = {}, .plan = {}};
  for (const auto& setting : point) {
    const std::string text = run::plain_text(setting.value);
    switch (setting.kind) {
      case run::SearchSetting::Kind::kArgument:
        out.command = with_argument(std::move(out.command), setting.name, text);
        break;
      case run::SearchSetting::Kind::kEnvironment:
        out.environment.emplace_back(setting.name, text);
        break;
      case run::SearchSetting::Kind::kKnob: {
        run::PlanEntry entry;
        entry.setting.knob = setting.name;
        entry.setting.value = setting.value;
        out.plan.entries.push_back(std::move(entry));
        break;
      }
    }
  }
  return out;
}

std::string shell_line(const SetUp& setup) {
  std::string line;
  for (const auto& [name, value] : setup.environment) line += name + "=" + quoted(value) + " ";
  for (std::size_t i = 0; i < setup.command.size(); ++i) {
    line += (i == 0 ? "" : " ") + quoted(setup.command[i]);
  }
  return line;
}

}  // namespace flatout::apply
