// A query as words. Internal to query/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flatout::serve {

enum class TokenKind : std::uint8_t { kWord, kText, kSign, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;        // of kText without its quotes
  std::size_t column = 1;  // in bytes, from 1
};

// The last one is kEnd. kInvalid: a quote that does not close.
base::Result<std::vector<Token>> tokens_of(std::string_view text);

std::unexpected<base::Error> at_column(std::size_t column, const std::string& what);

}  // namespace flatout::serve
