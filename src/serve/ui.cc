#include "serve/ui.h"

#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "serve/api.h"
#include "serve/guard.h"
#include "serve/http/server.h"
#include "serve/page.h"
#include "serve/token_file.h"

namespace flatout::serve {
namespace {

// A worker may be at a file system that answers no more, or in the middle of a long run.
void end_in_time(const std::function<void()>& leave) {
  constexpr std::chrono::seconds kLongest{3};
  std::thread([leave, kLongest] {
    std::this_thread::sleep_for(kLongest);
    leave();
    ::_exit(0);
  }).detach();
}

}  // namespace

base::Result<void> serve_ui(const store::Home& home, const UiOptions& options,
                            const std::function<void(const std::string& url)>& ready,
                            const std::function<void()>& leave) {
  const auto token = options.token_file.empty() ? base::Result<std::string>(new_token())
                                                : kept_token(options.token_file);
  if (!token) return std::unexpected(token.error());
  Api api(home);
  std::optional<Guard> guard;  // once the port is known
  const auto at_once = [&](const Request& request) {
    Server::First first{.knows = guard->knows(request), .response = guard->stop(request)};
    if (!first.response) first.response = page_response(request);
    if (first.response) add_security_headers(*first.response);
    return first;
  };
  const auto by_worker = [&](const Request& request) {
    Response response = answer(api, request);
    add_security_headers(response);
    return response;
  };
  auto server = Server::bind(options.port, at_once, by_worker);
  if (!server) return std::unexpected(server.error());
  guard.emplace(*token, (*server)->port());
  ready(guard->url());
  (*server)->run();
  end_in_time(leave);
  (*server)->finish();
  return {};
}

bool has_page() { return !page_files().empty(); }

}  // namespace flatout::serve
