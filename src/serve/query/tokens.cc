#include "serve/query/tokens.h"

namespace flatout::serve {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kEndsWord = " \t\r\n()[],\"'<>=!";
constexpr std::string_view kSigns[] = {"==", "!=", "<=", ">=", "<", ">",
                                       "=",  "(",  ")",  "[",  "]", ","};

// What stands between the quotes that open at `at`, which goes behind them.
bool take_text(std::string_view text, std::size_t& at, std::string& out) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] == quote) {
      ++at;
      return true;
    }
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    out.push_back(text[at]);
  }
  return false;
}

}  // namespace

std::unexpected<base::Error> at_column(std::size_t column, const std::string& what) {
  return base::fail(base::ErrorCode::kInvalid, "column " + std::to_string(column) + ": " + what);
}

base::Result<std::vector<Token>> tokens_of(std::string_view text) {
  std::vector<Token> out;
  for (std::size_t at = text.find_first_not_of(kBlanks); at < text.size();
       at = text.find_first_not_of(kBlanks, at)) {
    Token token{.kind = TokenKind::kWord, .text = "", .column = at + 1};
    if (text[at] == '"' || text[at] == '\'') {
      token.kind = TokenKind::kText;
      if (!take_text(text, at, token.text)) {
        return at_column(token.column, "the quote is not closed");
      }
      out.push_back(std::move(token));
      continue;
    }
    for (const std::string_view sign : kSigns) {
      if (!text.substr(at).starts_with(sign)) continue;
      token.kind = TokenKind::kSign;
      token.text = sign;
      break;
    }
    if (token.kind == TokenKind::kWord) {
      const std::size_t end = std::min(text.find_first_of(kEndsWord, at), text.size());
      token.text = text.substr(at, end - at);
      if (token.text.empty()) return at_column(token.column, "'!' stands alone; write != or not");
    }
    at += token.text.size();
    out.push_back(std::move(token));
  }
  out.push_back({.kind = TokenKind::kEnd, .text = "", .column = text.size() + 1});
  return out;
}

}  // namespace flatout::serve
