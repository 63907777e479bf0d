#include "serve/runs/outlined_run.h"

#include "serve/json.h"

namespace flatout::serve {

std::expected<OutlinedRun, Response> outlined_run(Api& api, std::string_view id) {
  auto open = api.runs.open(id);
  if (!open) return std::unexpected(no_such_run(id));
  auto outline = open->outline();
  if (!outline) return std::unexpected(error_response(outline.error()));
  return OutlinedRun{.run = std::move(open), .outline = std::move(*outline)};
}

}  // namespace flatout::serve
