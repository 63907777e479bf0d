#include "analyse/rule_switch.h"

#include <algorithm>

#include "analyse/rules/rule.h"
#include "base/ascii.h"

namespace flatout::analyse {
namespace {

std::string listed(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + id;
  return text;
}

}  // namespace

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  for (const Rule& rule : all_rules()) ids.emplace_back(rule.id);
  std::ranges::sort(ids);
  return ids;
}

base::Result<std::set<std::string>> parse_rules_off(std::string_view text) {
  std::set<std::string> off;
  const std::vector<std::string> known = rule_ids();
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string id(base::trimmed(text.substr(0, comma)));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (id.empty()) continue;
    if (!std::ranges::binary_search(known, id)) {
      return base::fail(base::ErrorCode::kInvalid, "--rules-off: there is no rule '" + id +
                                                       "'; the rules are " + listed(known));
    }
    off.insert(id);
  }
  return off;
}

}  // namespace flatout::analyse
