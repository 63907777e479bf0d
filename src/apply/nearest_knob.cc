#include "apply/nearest_knob.h"

#include <vector>

#include "base/nearest_name.h"
#include "run/knob_table.h"

namespace flatout::apply {

std::string nearest_knob(std::string_view name) {
  std::vector<std::string_view> ids;
  for (const run::KnobFacts& facts : run::kKnobTable) {
    // "num_workers" or "loader.num_workers" in place of the whole id.
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (name != facts.id && last == facts.id.substr(facts.id.find('.') + 1)) {
      return std::string(facts.id);
    }
    ids.push_back(facts.id);
  }
  return base::nearest_name(name, ids);
}

}  // namespace flatout::apply
