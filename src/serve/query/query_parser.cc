#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "serve/query/query_node.h"

namespace flatout::serve {
namespace {

using Node = Query::Node;
using NodePtr = std::unique_ptr<Node>;
using Kind = Node::Kind;

bool is_sign(const Token& token, std::string_view sign) {
  return token.kind == TokenKind::kSign && token.text == sign;
}
bool is_word(const Token& token, std::string_view word) {
  return token.kind == TokenKind::kWord && base::lowered(token.text) == word;
}
bool compares(const Token& token) {
  return token.kind == TokenKind::kSign && token.text.find_first_of("<>=!") == 0;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  if (done.ec != std::errc() || done.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// What a token on the right side means.
Json value_of(const Token& token) {
  if (token.kind == TokenKind::kText) return token.text;
  if (const auto number = number_of(token.text)) return *number;
  if (is_word(token, "true")) return true;
  if (is_word(token, "false")) return false;
  return token.text;
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  base::Result<NodePtr> whole() {
    auto node = either();
    if (!node) return node;
    if (now().kind != TokenKind::kEnd) return unexpected();
    return node;
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  std::unexpected<base::Error> unexpected() const {
    return at_column(now().column, now().kind == TokenKind::kEnd
                                       ? "the query ends too early"
                                       : "'" + now().text + "' is not expected here");
  }

  base::Result<NodePtr> either() {
    auto node = std::make_unique<Node>();
    node->kind = Kind::kOr;
    do {
      auto part = all();
      if (!part) return part;
      node->parts.push_back(std::move(*part));
    } while (is_word(now(), "or") && (take(), true));
    return node->parts.size() == 1 ? std::move(node->parts[0]) : std::move(node);
  }

  bool ends_all() const {
    return now().kind == TokenKind::kEnd || is_word(now(), "or") || is_sign(now(), ")");
  }

  // Terms beside each other must all fit, with `and` between them or without.
  base::Result<NodePtr> all() {
    auto node = std::make_unique<Node>();
    node->kind = Kind::kAnd;
    do {
      auto part = term();
      if (!part) return part;
      node->parts.push_back(std::move(*part));
      if (is_word(now(), "and")) {
        take();
        if (ends_all()) return unexpected();
      }
    } while (!ends_all());
    return node->parts.size() == 1 ? std::move(node->parts[0]) : std::move(node);
  }

  base::Result<NodePtr> term() {
    if (++depth_ > Query::kMaxDepth) return at_column(now().column, "nested too deeply");
    auto node = is_word(now(), "not") ? negated() : is_sign(now(), "(") ? grouped() : expression();
    --depth_;
    return node;
  }

  base::Result<NodePtr> negated() {
    take();
    auto part = term();
    if (!part) return part;
    auto node = std::make_unique<Node>();
    node->kind = Kind::kNot;
    node->parts.push_back(std::move(*part));
    return node;
  }

  base::Result<NodePtr> grouped() {
    take();
    auto node = either();
    if (!node) return node;
    if (!is_sign(now(), ")")) return at_column(now().column, "a ) is missing");
    take();
    return node;
  }

  base::Result<NodePtr> expression() {
    if (now().kind != TokenKind::kWord && now().kind != TokenKind::kText) return unexpected();
    if (is_word(now(), "and") || is_word(now(), "or")) return unexpected();
    const Token first = take();
    if (is_word(first, "tag") && is_sign(now(), "(")) return tag();
    if (compares(now())) return compared(first);
    if (is_word(now(), "contains") && first.kind == TokenKind::kWord) return contains(first);
    if (is_word(now(), "in") && (is_sign(next(), "(") || is_sign(next(), "[")))
      return in_list(first);
    if (is_word(now(), "in") && is_word(next(), "tags")) return in_tags(first);
    auto node = std::make_unique<Node>();
    node->kind = Kind::kWord;
    node->name = base::lowered(first.text);
    return node;
  }

  base::Result<NodePtr> tag() {
    take();
    if (now().kind != TokenKind::kWord && now().kind != TokenKind::kText) {
      return at_column(now().column, "tag() takes a tag: tag(\"best\")");
    }
    auto node = std::make_unique<Node>();
    node->kind = Kind::kTag;
    node->name = take().text;
    if (!is_sign(now(), ")")) return at_column(now().column, "a ) is missing");
    take();
    return node;
  }

  base::Result<NodePtr> field_node(const Token& field, Kind kind) {
    if (field.kind != TokenKind::kWord || number_of(field.text)) {
      return at_column(field.column,
                       "the left side is the name of a field, such as median_ms or config.lr");
    }
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->name = field.text;
    return node;
  }

  base::Result<NodePtr> compared(const Token& field) {
    auto node = field_node(field, Kind::kCompare);
    if (!node) return node;
    (*node)->sign = take().text;
    const Token right = now();
    if (right.kind != TokenKind::kWord && right.kind != TokenKind::kText) {
      return at_column(right.column, "a value is missing behind " + (*node)->sign);
    }
    take();
    const bool is_field = right.kind == TokenKind::kWord &&
                          (right.text.starts_with("config.") || right.text.starts_with("summary."));
    if (is_field) (*node)->other = right.text;
    (*node)->values.push_back(value_of(right));
    return node;
  }

  base::Result<NodePtr> contains(const Token& field) {
    auto node = field_node(field, Kind::kContains);
    if (!node) return node;
    take();
    if (now().kind != TokenKind::kWord && now().kind != TokenKind::kText) {
      return at_column(now().column, "a text is missing behind contains");
    }
    (*node)->values.emplace_back(take().text);
    return node;
  }

  base::Result<NodePtr> in_list(const Token& field) {
    auto node = field_node(field, Kind::kIn);
    if (!node) return node;
    take();
    const std::string close = take().text == "(" ? ")" : "]";
    while (!is_sign(now(), close)) {
      if (now().kind != TokenKind::kWord && now().kind != TokenKind::kText) return unexpected();
      (*node)->values.push_back(value_of(take()));
      if (is_sign(now(), ",")) take();
    }
    take();
    return node;
  }

  base::Result<NodePtr> in_tags(const Token& value) {
    take();
    take();
    auto node = std::make_unique<Node>();
    node->kind = Kind::kTag;
    node->name = value.text;
    return node;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

base::Result<std::unique_ptr<Query::Node>> parse_tokens(std::vector<Token> tokens) {
  return Parser(std::move(tokens)).whole();
}

}  // namespace flatout::serve
