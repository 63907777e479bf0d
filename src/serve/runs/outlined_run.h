// What most calls about one run begin with: the run, and its outline. Any thread.
#pragma once

#include <expected>
#include <memory>
#include <string_view>

#include "serve/api.h"

namespace flatout::serve {

struct OutlinedRun {
  std::shared_ptr<OpenRun> run;
  std::shared_ptr<const run::Timeline> outline;
};

// Else the answer that says why not.
std::expected<OutlinedRun, Response> outlined_run(Api& api, std::string_view id);

}  // namespace flatout::serve
