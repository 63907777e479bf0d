#include "serve/guard.h"

#include <algorithm>
#include <utility>

#include "serve/json.h"
#include "store/home.h"

namespace flatout::serve {
namespace {

constexpr std::string_view kBearer = "Bearer ";

// In the same time whatever the difference; the length is no secret.
bool same_secret(std::string_view given, std::string_view wanted) {
  if (given.size() != wanted.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted[i]);
  }
  return difference == 0;
}

// The value of a cookie in "a=1; b=2", "" = none.
std::string_view cookie(std::string_view all, std::string_view name) {
  while (!all.empty()) {
    const auto end = all.find(';');
    auto one = all.substr(0, end);
    all = end == std::string_view::npos ? std::string_view() : all.substr(end + 1);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=') {
      return one.substr(name.size() + 1);
    }
  }
  return {};
}

// Only who was sent here by the terminal has it: what to do stands in the answer.
Response no_token(const Request& request) {
  constexpr const char* kHow =
      "the token is missing or wrong: open the address that flatout ui printed";
  Response response = error_response(401, "no_token", kHow);
  if (request.path.empty()) {
    response.content_type = "text/plain; charset=utf-8";
    response.body = std::string("flatout: ") + kHow + "\n";
  }
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace

Guard::Guard(std::string token, int port)
    : token_(std::move(token)),
      cookie_("flatout_token_" + std::to_string(port)),
      host_("127.0.0.1:" + std::to_string(port)),
      other_host_("localhost:" + std::to_string(port)) {}

std::string Guard::url() const { return "http://" + host_ + "/?token=" + token_; }

// A page of another name that resolves to 127.0.0.1 sends that name.
bool Guard::host_is_ours(const Request& request) const {
  const auto host = request.header("host");
  return host == host_ || host == other_host_;
}

bool Guard::origin_is_ours(const Request& request) const {
  const auto origin = request.header("origin");
  if (!origin.empty() && origin != "http://" + std::string(request.header("host"))) return false;
  // Browsers say whose page asks, also where they send no Origin. "none": typed, or clicked in a
  // terminal. A link elsewhere may lead to the page itself, as it may anywhere.
  const auto site = request.header("sec-fetch-site");
  const bool page = request.path.empty() && request.header("sec-fetch-mode") == "navigate";
  return site.empty() || site == "same-origin" || site == "none" || page;
}

bool Guard::has_token(const Request& request) const {
  const auto authorization = request.header("authorization");
  if (authorization.starts_with(kBearer)) {
    return same_secret(authorization.substr(kBearer.size()), token_);
  }
  return same_secret(cookie(request.header("cookie"), cookie_), token_);
}

// By the address that the terminal showed.
bool Guard::enters(const Request& request) const {
  return request.path.empty() && request.parameter("token") != nullptr &&
         request.method == Method::kGet;
}

// Where a link elsewhere led here, a browser keeps a strict cookie back from all redirects behind
// it: then the page itself goes on.
Response Guard::enter(const Request& request) const {
  const auto site = request.header("sec-fetch-site");
  Response response{.status = 303, .content_type = "text/html; charset=utf-8"};
  response.headers = {
      {"Set-Cookie", cookie_ + "=" + token_ + "; Path=/; HttpOnly; SameSite=Strict"}};
  if (site == "cross-site" || site == "same-site") {
    response.status = 200;
    response.body =
        "<!doctype html><title>flatout</title><meta http-equiv=\"refresh\" content=\"0;url=/\">";
  } else {
    response.headers.emplace_back("Location", "/");
  }
  return response;
}

std::optional<Response> Guard::stop(const Request& request) const {
  if (request.malformed) return error_response(400, "invalid", "the request is malformed");
  if (!host_is_ours(request)) {
    return error_response(403, "forbidden", "this server answers to 127.0.0.1 and localhost alone");
  }
  if (!origin_is_ours(request)) {
    return error_response(403, "forbidden", "pages of other origins may not ask this server");
  }
  if (enters(request)) {
    return same_secret(*request.parameter("token"), token_) ? enter(request) : no_token(request);
  }
  if (!has_token(request)) return no_token(request);
  return std::nullopt;
}

bool Guard::knows(const Request& request) const {
  if (request.malformed || !host_is_ours(request) || !origin_is_ours(request)) return false;
  return enters(request) ? same_secret(*request.parameter("token"), token_) : has_token(request);
}

std::string new_token() { return store::random_run_id(26); }

void add_security_headers(Response& response) {
  const auto add = [&](const char* name, const char* value) {
    const bool has =
        std::ranges::any_of(response.headers, [&](const auto& h) { return h.first == name; });
    if (!has) response.headers.emplace_back(name, value);
  };
  add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  add("X-Frame-Options", "DENY");
  add("X-Content-Type-Options", "nosniff");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Resource-Policy", "same-origin");
  add("Cross-Origin-Opener-Policy", "same-origin");
  add("Cache-Control", "no-store");
}

}  // namespace flatout::serve
