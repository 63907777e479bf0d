// The fields of one fact's JSON, each as a type or absent: the program may have written anything.
// The only reader of facts' JSON; used by the generated run/observed.cc.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/observed.h"

namespace flatout::run {

// Both bounds included. Without bounds a method has its own.
struct Wholes {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
struct Numbers {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
};

class FactFields {
 public:
  using Json = nlohmann::json;

  // `object`: an object, which outlives this.
  explicit FactFields(const Json& object) : object_(&object) {}

  bool has(const char* key) const { return object_->contains(key); }

  std::string text(const char* key) const { return optional_text(key).value_or(""); }
  std::optional<std::string> optional_text(const char* key) const {
    const Json& value = at(key);
    return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
  }
  std::optional<bool> flag(const char* key) const {
    const Json& value = at(key);
    return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
  }
  std::optional<std::int64_t> whole(const char* key, Wholes bounds = kAnyWhole) const {
    return whole_of(at(key), bounds);
  }
  std::optional<std::int64_t> large(const char* key, Wholes bounds = {.most = kMostLarge}) const {
    return whole_of(at(key), bounds);
  }
  std::optional<int> count(const char* key, Wholes bounds = {}) const {
    bounds.most = std::min<std::int64_t>(bounds.most, std::numeric_limits<int>::max());
    const auto value = whole_of(at(key), bounds);
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
  }
  std::uint32_t id(const char* key) const {
    return static_cast<std::uint32_t>(count(key).value_or(0));
  }
  std::optional<double> number(const char* key, Numbers bounds = {}) const {
    return number_of(at(key), bounds);
  }
  std::string literal(const char* key) const {
    return has(key) ? at(key).dump(-1, ' ', /*ensure_ascii=*/true, kReplace) : std::string();
  }
  std::string object(const char* key) const {
    const Json& value = at(key);
    return value.is_object() ? value.dump(-1, ' ', false, kReplace) : std::string();
  }

  // All of a list or, where one element is of another type, nothing.
  std::vector<std::string> texts(const char* key) const {
    return list<std::string>(key, [](const Json& one) {
      return one.is_string() ? std::optional(one.get<std::string>()) : std::nullopt;
    });
  }
  std::vector<std::int64_t> wholes(const char* key, Wholes bounds = kAnyWhole) const {
    return list<std::int64_t>(key, [&](const Json& one) { return whole_of(one, bounds); });
  }
  std::vector<double> numbers(const char* key) const {
    return list<double>(key, [](const Json& one) { return number_of(one, {}); });
  }
  template <std::size_t kColumns>
  std::vector<std::array<std::int64_t, kColumns>> rows(const char* key) const {
    using Row = std::array<std::int64_t, kColumns>;
    return list<Row>(key, [](const Json& one) -> std::optional<Row> {
      if (!one.is_array() || one.size() != kColumns) return std::nullopt;
      Row row{};
      for (std::size_t i = 0; i < kColumns; ++i) {
        const auto value = whole_of(one[i], kAnyWhole);
        if (!value) return std::nullopt;
        row[i] = *value;
      }
      return row;
    });
  }
  // Those of an object's fields that are numbers.
  std::map<std::string, double> by_name(const char* key) const {
    std::map<std::string, double> out;
    const Json& value = at(key);
    if (!value.is_object()) return out;
    for (const auto& [name, one] : value.items()) {
      if (const auto number = number_of(one, {})) out.emplace(name, *number);
    }
    return out;
  }

  // The object in a field; one without fields where there is none.
  FactFields within(const char* key) const {
    const Json& value = at(key);
    return FactFields(value.is_object() ? value : empty());
  }
  // The objects of a list in a field.
  std::vector<FactFields> objects(const char* key) const {
    std::vector<FactFields> out;
    const Json& value = at(key);
    if (!value.is_array()) return out;
    for (const Json& one : value) {
      if (one.is_object()) out.emplace_back(one);
    }
    return out;
  }

  // Every field but null ones. Objects within are flattened, lists are one literal.
  std::vector<StatedField> stated() const {
    std::vector<StatedField> out;
    flatten("", *object_, 1, out);
    return out;
  }

 private:
  static constexpr auto kReplace = Json::error_handler_t::replace;
  static constexpr std::int64_t kMostLarge = (std::int64_t{1} << 60) - 1;
  static constexpr Wholes kAnyWhole = {.least = std::numeric_limits<std::int64_t>::min()};
  static constexpr int kDeepestStated = 3;

  static const Json& empty() {
    static const Json kEmpty = Json::object();
    return kEmpty;
  }
  static const Json& null() {
    static const Json kNull;
    return kNull;
  }
  const Json& at(const char* key) const {
    const auto found = object_->find(key);
    return found == object_->end() ? null() : *found;
  }

  // A program may write 8.0 of a whole number.
  static std::optional<std::int64_t> whole_of(const Json& value, Wholes bounds) {
    std::int64_t out = 0;
    if (value.is_number_unsigned()) {
      if (!std::in_range<std::int64_t>(value.get<std::uint64_t>())) return std::nullopt;
      out = value.get<std::int64_t>();
    } else if (value.is_number_integer()) {
      out = value.get<std::int64_t>();
    } else if (value.is_number_float()) {
      constexpr double kMost = 9e18;
      const auto real = value.get<double>();
      if (!(real > -kMost && real < kMost) || real != std::trunc(real)) return std::nullopt;
      out = static_cast<std::int64_t>(real);
    } else {
      return std::nullopt;
    }
    return out >= bounds.least && out <= bounds.most ? std::optional(out) : std::nullopt;
  }
  static std::optional<double> number_of(const Json& value, Numbers bounds) {
    if (!value.is_number()) return std::nullopt;
    const auto out = value.get<double>();
    const bool fits = std::isfinite(out) && out >= bounds.least && out <= bounds.most;
    return fits ? std::optional(out) : std::nullopt;
  }
  template <typename T, typename Read>
  std::vector<T> list(const char* key, Read read) const {
    std::vector<T> out;
    const Json& value = at(key);
    if (!value.is_array()) return out;
    for (const Json& one : value) {
      std::optional<T> item = read(one);
      if (!item) return {};
      out.push_back(std::move(*item));
    }
    return out;
  }
  static void flatten(const std::string& prefix, const Json& object, int depth,
                      std::vector<StatedField>& out) {
    for (const auto& [name, value] : object.items()) {
      if (value.is_null()) continue;
      if (value.is_object() && depth < kDeepestStated) {
        flatten(prefix + name + ".", value, depth + 1, out);
      } else {
        out.push_back({prefix + name, value.dump(-1, ' ', /*ensure_ascii=*/false, kReplace)});
      }
    }
  }

  const Json* object_;
};

// A fact's JSON text, parsed. What is nested deeper than any fact of ours is left out: writing it
// again would recurse into it.
class FactText {
 public:
  explicit FactText(std::string_view json)
      : value_(nlohmann::json::parse(
            json,
            [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
              return depth < kDeepest;
            },
            /*allow_exceptions=*/false)) {}
  bool is_object() const { return value_.is_object(); }
  FactFields fields() const { return FactFields(value_); }

 private:
  static constexpr int kDeepest = 32;

  nlohmann::json value_;
};

}  // namespace flatout::run
