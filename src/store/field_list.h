// JSON records that are written and read by one list of their fields, so that
// nothing is written which is not read. Internal to store/.
//
// A list is a function object. list(noun, field) calls field("key", noun.member)
// for each member, and field("key", noun.member, kNeeded) where a record without
// it is corrupt. An empty optional is an absent key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/json_fields.h"

namespace flatout::store {

struct Needed {};
constexpr Needed kNeeded;

template <typename T>
void put_field(Json& json, const char* key, const T& value) {
  json[key] = value;
}
template <typename T>
void put_field(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}
inline void put_field(Json& json, const char* key, run::ProcRole role) {
  json[key] = run::role_name(role);
}

template <typename Noun, typename List>
Json write_fields(const Noun& noun, List list) {
  Json json = Json::object();
  list(noun, [&](const char* key, const auto& value, auto...) { put_field(json, key, value); });
  return json;
}

// `what` names the record in an error.
template <typename Noun, typename List>
base::Result<Noun> read_fields(std::string_view payload, const char* what, List list) {
  Noun noun;
  Fields fields(payload, what);
  list(noun, [&](const char* key, auto& value, auto... needed) {
    if constexpr (sizeof...(needed) > 0) {
      fields.require(key, value);
    } else {
      fields.read(key, value);
    }
  });
  return fields.done(std::move(noun));
}

// The same of what people may have edited: nothing is needed.
template <typename Noun, typename List>
base::Result<Noun> read_present_fields(std::string_view payload, const char* what, List list) {
  Noun noun;
  Fields fields(payload, what);
  list(noun, [&](const char* key, auto& value, auto...) { fields.read(key, value); });
  return fields.done(std::move(noun));
}

}  // namespace flatout::store
