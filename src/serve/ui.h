// `flatout ui`: the API and the page over the runs of a home, for this user on this machine.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "store/home.h"

namespace flatout::serve {

struct UiOptions {
  int port = 0;            // 0: any that is free
  std::string token_file;  // keeps the token from one start to the next; "" = a new one each time
};

// Serves until SIGINT, SIGTERM or SIGHUP comes, and ends soon after: where a request is not to be
// finished by then, it calls `leave` and ends the process with status 0. `ready` is called once,
// with the address that a browser is to open, token and all, before the first request is taken.
// kUnavailable: the port is taken. Main thread.
base::Result<void> serve_ui(
    const store::Home& home, const UiOptions& options,
    const std::function<void(const std::string& url)>& ready,
    const std::function<void()>& leave = [] {});

bool has_page();

}  // namespace flatout::serve
