// The HTTP API, version 1 (docs/api.md): which request is for what. Any thread.
#pragma once

#include <string>

#include "serve/http/message.h"
#include "serve/runs/live_figures.h"
#include "serve/runs/open_runs.h"
#include "serve/runs/run_rows.h"
#include "store/home.h"

namespace flatout::serve {

struct Api {
  explicit Api(store::Home at) : home(at), runs(at), figures(runs), rows(at, figures) {}
  const store::Home home;
  OpenRuns runs;
  LiveFigures figures;
  RunRows rows;
};

// Of a request that may ask. Never fails: what cannot be answered is an error of the API.
Response answer(Api& api, const Request& request);

}  // namespace flatout::serve
