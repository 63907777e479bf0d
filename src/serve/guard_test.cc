// Who may ask, and what stands in a path.
#include "serve/guard.h"

#include <gtest/gtest.h>

namespace flatout::serve {
namespace {

constexpr const char* kToken = "abcdefghijklmnopqrstuvwxyz";

Request asks(std::map<std::string, std::string, std::less<>> headers,
             std::string_view path = "/api/v1/runs", std::string_view query = "") {
  Request request;
  parse_target(path, query, request);
  request.headers = {{"host", "127.0.0.1:8765"}};
  for (auto& [name, value] : headers) request.headers[name] = value;
  return request;
}

int status(const Request& request) {
  const auto response = Guard(kToken, 8765).stop(request);
  return response ? response->status : 0;
}

TEST(Guard, LetsTheTokenInByHeaderOrCookie) {
  const std::string bearer = std::string("Bearer ") + kToken;
  EXPECT_EQ(status(asks({{"authorization", bearer}})), 0);
  EXPECT_EQ(status(asks({{"authorization", bearer}, {"host", "localhost:8765"}})), 0);
  EXPECT_EQ(status(asks({{"cookie", std::string("a=b; flatout_token_8765=") + kToken}})), 0);
  EXPECT_EQ(status(asks({{"cookie", std::string("flatout_token_8766=") + kToken}})), 401);
  EXPECT_EQ(status(asks({})), 401);
  EXPECT_EQ(status(asks({{"authorization", "Bearer abcdefghijklmnopqrstuvwxyy"}})), 401);
  EXPECT_EQ(status(asks({{"authorization", "Bearer "}})), 401);
  EXPECT_EQ(status(asks({{"authorization", "Bearer abc"}})), 401);
}

TEST(Guard, TakesTheTokenOfTheUrlOnceAndOnlyThere) {
  const auto entered = Guard(kToken, 8765).stop(asks({}, "/", std::string("token=") + kToken));
  ASSERT_TRUE(entered);
  EXPECT_EQ(entered->status, 303);
  EXPECT_EQ(status(asks({}, "/", "token=wrong")), 401);
  EXPECT_EQ(status(asks({}, "/api/v1/runs", std::string("token=") + kToken)), 401);
  EXPECT_EQ(status(asks({{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}}, "/",
                        std::string("token=") + kToken)),
            200);
}

TEST(Guard, RefusesOtherHostsAndOrigins) {
  const std::string bearer = std::string("Bearer ") + kToken;
  const auto with = [&](const char* name, const char* value) {
    return status(asks({{"authorization", bearer}, {name, value}}));
  };
  for (const char* host :
       {"", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8765.evil.example"}) {
    EXPECT_EQ(with("host", host), 403) << host;
  }
  for (const char* origin : {"null", "http://evil.example", "http://127.0.0.1:8766",
                             "https://127.0.0.1:8765", "http://localhost:8765"}) {
    EXPECT_EQ(with("origin", origin), 403) << origin;
  }
  EXPECT_EQ(with("origin", "http://127.0.0.1:8765"), 0);
  EXPECT_EQ(with("sec-fetch-site", "cross-site"), 403);
  EXPECT_EQ(with("sec-fetch-site", "same-site"), 403);
  EXPECT_EQ(with("sec-fetch-site", "same-origin"), 0);
}

TEST(Target, KeepsAnEncodedSlashInItsPart) {
  Request request;
  parse_target("/api//v1/..%2f..%2Fetc/%70", "a=1&a=2+3%26&b", request);
  EXPECT_EQ(request.path, (std::vector<std::string>{"api", "v1", "../../etc", "p"}));
  EXPECT_EQ(*request.parameter("a"), "1");
  EXPECT_EQ(request.query[1].second, "2 3&");
  EXPECT_EQ(*request.parameter("b"), "");
  EXPECT_FALSE(request.malformed);
  for (const char* bad : {"/%", "/%1", "/%zz", "/a%00b"}) {
    Request wrong;
    parse_target(bad, "", wrong);
    EXPECT_TRUE(wrong.malformed) << bad;
  }
}

}  // namespace
}  // namespace flatout::serve
