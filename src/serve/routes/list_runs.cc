#include <algorithm>

#include "serve/json.h"
#include "serve/parameters.h"
#include "serve/routes/routes.h"

namespace flatout::serve {

Response list_runs(Api& api, const Request& request, const std::string&) {
  const auto offset = whole_number(request, "offset", 0, 0, INT32_MAX);
  const auto limit = whole_number(request, "limit", 100, 0, 5000);
  if (!offset) return error_response(offset.error());
  if (!limit) return error_response(limit.error());
  const auto list = api.rows.latest();
  if (!list) return error_response(list.error());
  const RunList& all = **list;
  std::string out = R"({"schema":"flatout.runs/1","total":)" + std::to_string(all.size()) +
                    R"(,"matched":)" + std::to_string(all.size()) + R"(,"runs":[)";
  const auto first = std::min(static_cast<std::size_t>(*offset), all.size());
  const auto last = std::min(first + static_cast<std::size_t>(*limit), all.size());
  for (std::size_t i = first; i < last; ++i) {
    if (i != first) out += ",";
    out += all[i]->text;
  }
  return text_response(out + "]}\n");
}

}  // namespace flatout::serve
