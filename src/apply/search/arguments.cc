#include "apply/search/arguments.h"

#include "apply/user_knob.h"
#include "base/shell_word.h"

namespace flatout::apply {

SetUp set_up(const std::vector<std::string>& command, const SearchPoint& point) {
  SetUp out{.command = command, .environment = {}, .plan = {}};
  for (const auto& setting : point) {
    switch (setting.kind) {
      case run::SearchSetting::Kind::kArgument:
        out.command = set_argument(std::move(out.command), setting.name + "={}", setting.value);
        break;
      case run::SearchSetting::Kind::kEnvironment:
        out.environment.emplace_back(setting.name, run::plain_text(setting.value));
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
  for (const auto& [name, value] : setup.environment)
    line += name + "=" + base::shell_word(value) + " ";
  for (std::size_t i = 0; i < setup.command.size(); ++i) {
    line += (i == 0 ? "" : " ") + base::shell_word(setup.command[i]);
  }
  return line;
}

}  // namespace flatout::apply
