#include <algorithm>
#include <utility>
#include <vector>

#include "serve/json.h"
#include "serve/parameters.h"
#include "serve/query/known_fields.h"
#include "serve/query/query.h"
#include "serve/routes/routes.h"

namespace flatout::serve {
namespace {

std::string text_parameter(const Request& request, std::string_view name) {
  const std::string* text = request.parameter(name);
  return text == nullptr ? std::string() : *text;
}

// Those without such a field come last, whichever way.
void sort_by(std::vector<const RunRow*>& rows, const std::string& field, bool descending) {
  std::vector<std::pair<const Json*, const RunRow*>> keyed;
  keyed.reserve(rows.size());
  for (const RunRow* row : rows) keyed.emplace_back(field_of(row->json, field), row);
  const auto has = [](const auto& one) { return one.first != nullptr && !one.first->is_null(); };
  std::ranges::stable_sort(keyed, [&](const auto& a, const auto& b) {
    if (has(a) != has(b)) return has(a);
    return descending ? field_before(b.first, a.first) : field_before(a.first, b.first);
  });
  std::ranges::transform(keyed, rows.begin(), [](const auto& one) { return one.second; });
}

Json notes_on(const Query& query, const RunList& list) {
  if (query.fields().empty()) return Json::array();
  std::vector<const Json*> rows;
  rows.reserve(list.size());
  for (const auto& row : list) rows.push_back(&row->json);
  return unknown_fields(query, rows);
}

}  // namespace

Response list_runs(Api& api, const Request& request, const std::string&) {
  const auto offset = whole_number(request, "offset", 0, 0, INT32_MAX);
  const auto limit = whole_number(request, "limit", 100, 0, 5000);
  const std::string order = text_parameter(request, "order");
  if (!offset) return error_response(offset.error());
  if (!limit) return error_response(limit.error());
  if (!order.empty() && order != "asc" && order != "desc") {
    return error_response(400, "invalid", "order is asc or desc");
  }
  const auto query = Query::parse(text_parameter(request, "query"));
  if (!query) return error_response(query.error());
  const auto seen = api.rows.latest();
  if (!seen) return error_response(seen.error());
  const RunList& list = *seen->list;
  std::vector<const RunRow*> rows;
  std::size_t total = 0;
  for (const auto& row : list) {
    if (query->without_trials() && row->kind == "trial") continue;
    ++total;
    if (query->fits(row->json)) rows.push_back(row.get());
  }
  const std::string sort = text_parameter(request, "sort");
  if (!sort.empty()) sort_by(rows, sort, order == "desc");
  std::string out = R"({"schema":"flatout.runs/1","total":)" + std::to_string(total) +
                    R"(,"matched":)" + std::to_string(rows.size()) + R"(,"unread":)" +
                    std::to_string(seen->unread) + R"(,"notes":)" + dumped(notes_on(*query, list)) +
                    R"(,"runs":[)";
  const auto first = std::min(static_cast<std::size_t>(*offset), rows.size());
  const auto last = std::min(first + static_cast<std::size_t>(*limit), rows.size());
  for (std::size_t i = first; i < last; ++i) {
    if (i != first) out += ",";
    out += rows[i]->text;
  }
  return text_response(out + "]}\n");
}

}  // namespace flatout::serve
