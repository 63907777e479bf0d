#include "serve/ui.h"

#include <exception>
#include <optional>
#include <thread>

#include "serve/api.h"
#include "serve/guard.h"
#include "serve/http/server.h"
#include "serve/page.h"
#include "serve/token_file.h"

namespace flatout::serve {

base::Result<void> serve_ui(const store::Home& home, const UiOptions& options,
                            const std::function<void(const std::string& url)>& ready) {
  const auto token = options.token_file.empty() ? base::Result<std::string>(new_token())
                                                : kept_token(options.token_file);
  if (!token) return std::unexpected(token.error());
  Api api(home);
  std::optional<Guard> guard;  // once the port is known
  const auto at_once = [&](const Request& request) {
    auto response = guard->stop(request);
    if (!response) response = page_response(request);
    if (response) add_security_headers(*response);
    return response;
  };
  const auto by_worker = [&](const Request& request) {
    Response response = answer(api, request);
    add_security_headers(response);
    return response;
  };
  auto server = Server::bind(options.port, at_once, by_worker);
  if (!server) return std::unexpected(server.error());
  guard.emplace(*token, (*server)->port());
  // Before the browser asks for it.
  std::thread first_look([&api] {
    try {
      (void)api.rows.latest();
    } catch (const std::exception&) {
      // Whoever asks for the list gets the error.
    }
  });
  ready(guard->url());
  (*server)->run();
  first_look.join();
  return {};
}

bool has_page() { return !page_files().empty(); }

}  // namespace flatout::serve
