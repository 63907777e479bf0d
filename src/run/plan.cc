#include "run/plan.h"

namespace flatout::run {

std::string python_literal(const std::string& json) {
  if (json == "true") return "True";
  if (json == "false") return "False";
  if (json == "null") return "None";
  return json;
}

}  // namespace flatout::run
