// A query as its parser makes it and its evaluation reads it. Not for other folders.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "serve/query/query.h"
#include "serve/query/tokens.h"

namespace flatout::serve {

struct Query::Node {
  enum class Kind : std::uint8_t { kAnd, kOr, kNot, kWord, kCompare, kIn, kContains, kTag };
  Kind kind = Kind::kWord;
  std::vector<std::unique_ptr<Node>> parts = {};  // of kAnd, kOr, kNot
  std::string name = {};                          // of a field; of kWord the word in lower case
  std::string sign = {};
  std::vector<Json> values = {};
  std::string other = {};  // a field on the right, "" = none
};

// `tokens` end with kEnd and hold something before it. kInvalid: "column 12: ...".
base::Result<std::unique_ptr<Query::Node>> parse_tokens(std::vector<Token> tokens);

}  // namespace flatout::serve
