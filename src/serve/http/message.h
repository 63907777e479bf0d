// What a client asks and what it gets. Plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flatout::serve {

enum class Method : std::uint8_t { kGet, kHead, kPatch, kOther };

struct Request {
  Method method = Method::kGet;
  // Decoded between its slashes: "/a/b%2Fc" is {"a", "b/c"}; "/" is empty.
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> query;   // decoded, in order
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
  std::string body;
  bool malformed = false;  // of the path or query: a wrong % or a NUL

  // The first of that name; null where there is none.
  const std::string* parameter(std::string_view name) const;
  std::string_view header(std::string_view name) const;  // "" = none
};

// What a client that listens is sent, as text of server-sent events. Called by one worker at a
// time, about once a second.
class Feed {
 public:
  virtual ~Feed() = default;
  // What is new, "" = nothing; absent ends the answer.
  virtual std::optional<std::string> next() = 0;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::string_view fixed_body = {};  // instead of `body`: lives as long as the program
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::shared_ptr<Feed> feed = {};  // instead of a body: goes on
};

// Splits "/runs/k7f2?x=1" into Request::path and query.
void parse_target(std::string_view path, std::string_view query, Request& out);

}  // namespace flatout::serve
