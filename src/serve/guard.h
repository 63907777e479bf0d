// Who may ask: whoever has the token, from a page of ours or no page at all. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "serve/http/message.h"

namespace flatout::serve {

class Guard {
 public:
  Guard(std::string token, int port);

  // An answer where the request goes no further: refused, or it brings the token in its URL and
  // gets a cookie for it.
  std::optional<Response> stop(const Request& request) const;
  // It brings the token, in whatever way, from where it may.
  bool knows(const Request& request) const;
  std::string url() const;  // with the token

 private:
  bool host_is_ours(const Request& request) const;
  bool origin_is_ours(const Request& request) const;
  bool has_token(const Request& request) const;
  bool enters(const Request& request) const;
  Response enter(const Request& request) const;

  const std::string token_;
  // A browser sends cookies of 127.0.0.1 to every port of it: each server has a name of its own.
  const std::string cookie_;
  const std::string host_, other_host_;
};

// 26 letters and digits from the kernel: 130 bits.
std::string new_token();

// What every answer carries: that it is not embedded, not guessed at, not kept.
void add_security_headers(Response& response);

}  // namespace flatout::serve
