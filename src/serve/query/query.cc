#include "serve/query/query.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "serve/query/query_node.h"

namespace flatout::serve {
namespace {

using Node = Query::Node;
using NodePtr = std::unique_ptr<Node>;
using Kind = Node::Kind;

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

// Calls take(tag) with those that were set later, and those of the script, until it says true.
template <typename Take>
bool any_tag(const Json& row, const Take& take) {
  const auto any_of = [&](const Json& holder) {
    const auto tags = holder.find("tags");
    return tags != holder.end() && tags->is_array() && std::ranges::any_of(*tags, take);
  };
  const auto tracked = row.find("tracked");
  return any_of(row) || (tracked != row.end() && tracked->is_object() && any_of(*tracked));
}

bool has_tag(const Json& row, const Json& tag) {
  return any_tag(row, [&](const Json& one) { return same(one, tag); });
}

// Wherever a person would look for it.
bool word_fits(const Json& row, const std::string& word) {
  for (const char* name : {"id", "name", "command", "note", "project", "group", "state", "kind"}) {
    const Json* field = field_of(row, name);
    if (field != nullptr && !field->is_array() && holds(*field, word)) return true;
  }
  return any_tag(row, [&](const Json& tag) { return holds(tag, word); });
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
    case Kind::kTag:
      return has_tag(row, node.name);
    case Kind::kCompare:
      if (node.name == "tags" && (node.sign == "==" || node.sign == "=")) {
        return has_tag(row, node.values[0]);
      }
      return compare(field_of(row, node.name), node.sign,
                     node.other.empty() ? &node.values[0] : field_of(row, node.other));
    case Kind::kIn: {
      if (node.name == "tags") {
        return std::ranges::any_of(node.values, [&](const Json& tag) { return has_tag(row, tag); });
      }
      const Json* field = field_of(row, node.name);
      return field != nullptr && std::ranges::any_of(node.values, [&](const Json& value) {
               return same(*field, value);
             });
    }
    case Kind::kContains: {
      if (node.name == "tags") return has_tag(row, node.values[0]);
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

void add_fields(const Node& node, std::vector<std::string>& to) {
  for (const NodePtr& part : node.parts) add_fields(*part, to);
  const bool compares_field =
      node.kind == Kind::kCompare || node.kind == Kind::kIn || node.kind == Kind::kContains;
  for (const std::string& name : {compares_field ? node.name : std::string(), node.other}) {
    if (!name.empty() && std::ranges::find(to, name) == to.end()) to.push_back(name);
  }
}

bool leaves_out_trials(const Node& node) {
  if (node.kind == Kind::kAnd) {
    return std::ranges::any_of(node.parts,
                               [](const NodePtr& part) { return leaves_out_trials(*part); });
  }
  return node.kind == Kind::kCompare && node.name == "kind" && node.sign == "!=" &&
         node.values[0] == "trial";
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
  auto root = parse_tokens(std::move(*tokens));
  if (!root) return std::unexpected(root.error());
  return Query(std::move(*root));
}

bool Query::fits(const Json& row) const { return root_ == nullptr || node_fits(*root_, row); }

std::vector<std::string> Query::fields() const {
  std::vector<std::string> out;
  if (root_ != nullptr) add_fields(*root_, out);
  return out;
}

bool Query::without_trials() const { return root_ != nullptr && leaves_out_trials(*root_); }

const Json* field_of(const Json& row, std::string_view name) {
  if (name == "verdict") name = "verdict.finding";  // as its column is headed
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
