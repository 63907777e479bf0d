#include "serve/query/query.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"
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

bool same(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a.get<double>() == b.get<double>();
  if (a.is_string() && b.is_string())
    return a.get_ref<const std::string&>() == b.get_ref<const std::string&>();
  return a.is_boolean() && b.is_boolean() && a.get<bool>() == b.get<bool>();
}

template <typename T>
bool ordered(const T& a, const std::string& sign, const T& b) {
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  return sign == ">" ? a > b : a >= b;
}

// What a run does not have is neither less nor more nor other than anything.
bool compare(const Json* field, const std::string& sign, const Json* value) {
  if (field == nullptr || value == nullptr || field->is_null() || value->is_null()) return false;
  if (sign == "==" || sign == "=") return same(*field, *value);
  if (sign == "!=") return !same(*field, *value);
  if (field->is_number() && value->is_number()) {
    return ordered(field->get<double>(), sign, value->get<double>());
  }
  if (field->is_string() && value->is_string()) {
    return ordered(field->get_ref<const std::string&>(), sign,
                   value->get_ref<const std::string&>());
  }
  return false;
}

bool holds(const Json& field, const std::string& text) {
  if (field.is_string())
    return base::lowered(field.get_ref<const std::string&>()).find(base::lowered(text)) !=
           std::string::npos;
  if (!field.is_array()) return false;
  return std::ranges::any_of(field, [&](const Json& one) { return same(one, text); });
}

// Wherever a person would look for it.
bool word_fits(const Json& row, const std::string& word) {
  for (const char* name :
       {"id", "name", "command", "note", "tags", "project", "group", "state", "kind"}) {
    const Json* field = field_of(row, name);
    if (field == nullptr) continue;
    if (!field->is_array() && holds(*field, word)) return true;
    if (!field->is_array()) continue;
    for (const Json& one : *field) {
      if (holds(one, word)) return true;
    }
  }
  return false;
}

bool node_fits(const Node& node, const Json& row) {
  const auto part_fits = [&](const NodePtr& part) { return node_fits(*part, row); };
  switch (node.kind) {
    case Kind::kAnd:
      return std::ranges::all_of(node.parts, part_fits);
    case Kind::kOr:
      return std::ranges::any_of(node.parts, part_fits);
    case Kind::kNot:
      return !part_fits(node.parts[0]);
    case Kind::kWord:
      return word_fits(row, node.name);
    case Kind::kTag: {
      const Json* tags = field_of(row, "tags");
      return tags != nullptr && tags->is_array() && holds(*tags, node.name);
    }
    case Kind::kCompare:
      return compare(field_of(row, node.name), node.sign,
                     node.other.empty() ? &node.values[0] : field_of(row, node.other));
    case Kind::kIn: {
      const Json* field = field_of(row, node.name);
      return field != nullptr && std::ranges::any_of(node.values, [&](const Json& value) {
               return same(*field, value);
             });
    }
    case Kind::kContains: {
      const Json* field = field_of(row, node.name);
      return field != nullptr && holds(*field, node.values[0].get_ref<const std::string&>());
    }
  }
  return false;
}

// "a.b.c" in nested objects whose names may hold dots themselves.
const Json* nested(const Json& object, std::string_view path) {
  if (!object.is_object()) return nullptr;
  if (const auto found = object.find(path); found != object.end()) return &*found;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos;
       dot = path.find('.', dot + 1)) {
    const auto found = object.find(path.substr(0, dot));
    if (found == object.end()) continue;
    if (const Json* inner = nested(*found, path.substr(dot + 1))) return inner;
  }
  return nullptr;
}

}  // namespace

Query::Query(std::unique_ptr<Node> root) : root_(std::move(root)) {}
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
Query::~Query() = default;

base::Result<Query> Query::parse(std::string_view text) {
  if (text.size() > kMaxBytes) return at_column(kMaxBytes + 1, "the query is too long");
  auto tokens = tokens_of(text);
  if (!tokens) return std::unexpected(tokens.error());
  if (tokens->size() == 1) return Query(nullptr);
  auto root = Parser(std::move(*tokens)).whole();
  if (!root) return std::unexpected(root.error());
  return Query(std::move(*root));
}

bool Query::fits(const Json& row) const { return root_ == nullptr || node_fits(*root_, row); }

const Json* field_of(const Json& row, std::string_view name) {
  if (const auto found = row.find(name); found != row.end()) return &*found;
  if (const Json* inner = nested(row, name)) return inner;
  for (const char* within : {"tracked", "verdict"}) {
    const auto found = row.find(within);
    if (found == row.end()) continue;
    if (const Json* inner = nested(*found, name)) return inner;
  }
  return nullptr;
}

bool field_before(const Json* a, const Json* b) {
  const auto rank = [](const Json* field) {
    if (field == nullptr || field->is_null()) return 3;
    return field->is_number() ? 0 : field->is_string() ? 1 : 2;
  };
  const int of_a = rank(a), of_b = rank(b);
  if (of_a != of_b) return of_a < of_b;
  if (of_a == 0) return a->get<double>() < b->get<double>();
  if (of_a == 1) return a->get_ref<const std::string&>() < b->get_ref<const std::string&>();
  return false;
}

}  // namespace flatout::serve
