// One JSON object that a user wrote: every key is taken by somebody, or named as unknown.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace flatout::data::spec {

using Json = nlohmann::json;

// Keeps the first error; what is taken after it is the default. One thread.
class JsonObject {
 public:
  // `where`: how messages name it, "" for the whole.
  JsonObject(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("is not an object");
  }

  bool has(const char* key) {
    return json_.is_object() && json_.contains(key) && (taken_.insert(key), true);
  }
  const Json& at(const char* key) const { return json_.at(key); }

  bool flag(const char* key, bool otherwise) {
    if (!has(key)) return otherwise;
    if (!at(key).is_boolean()) return fail(key, "is neither true nor false"), otherwise;
    return at(key).get<bool>();
  }

  std::int64_t whole(const char* key, std::int64_t least, std::int64_t most,
                     std::int64_t otherwise) {
    if (!has(key)) return otherwise;
    const Json& value = at(key);
    const bool fits = value.is_number_integer() && value >= least && value <= most;
    if (fits) return value.get<std::int64_t>();
    fail(key, "is no whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return otherwise;
  }

  std::uint64_t seed(const char* key) {
    if (!has(key)) return 0;
    if (at(key).is_number_unsigned()) return at(key).get<std::uint64_t>();
    fail(key, "is no whole number from 0 to 2^64 - 1");
    return 0;
  }

  double number(const char* key, double otherwise) {
    if (!has(key)) return otherwise;
    if (!at(key).is_number()) return fail(key, "is no number"), otherwise;
    return at(key).get<double>();
  }

  std::string text(const char* key, std::string otherwise) {
    if (!has(key)) return otherwise;
    if (!at(key).is_string()) return fail(key, "is no text"), otherwise;
    return at(key).get<std::string>();
  }

  // A list of texts; empty where the key is absent.
  std::vector<std::string> texts(const char* key, std::size_t most) {
    if (!has(key)) return {};
    const Json& list = at(key);
    std::vector<std::string> out;
    const bool fits = list.is_array() && list.size() <= most;
    for (const Json& one : fits ? list : Json::array()) {
      if (one.is_string()) out.push_back(one.get<std::string>());
    }
    if (!fits || out.size() != list.size() || out.empty()) fail(key, "is no list of texts");
    return out;
  }

  // The value that one of `words` stands for; the first one where the key is absent.
  template <typename T>
  T word(const char* key, std::initializer_list<std::pair<const char*, T>> words) {
    const std::string said = text(key, words.begin()->first);
    std::string all;
    for (const auto& [word, value] : words) {
      if (said == word) return value;
      all += (all.empty() ? "" : ", ") + std::string(word);
    }
    fail(key, "is \"" + said + "\", which is none of " + all);
    return words.begin()->second;
  }

  // `count` numbers into `out`, which stay as they are where the key is absent.
  template <typename T>
  void numbers(const char* key, T* out, std::size_t count) {
    if (!has(key)) return;
    const Json& list = at(key);
    if (!list.is_array() || list.size() != count)
      return fail(key, "is no list of " + std::to_string(count) + " numbers");
    for (std::size_t i = 0; i < count; ++i) {
      if (!list[i].is_number())
        return fail(key, "is no list of " + std::to_string(count) + " numbers");
      out[i] = list[i].get<T>();
    }
  }

  void fail(const char* key, const std::string& what) {
    fail("\"" + std::string(key) + "\" " + what);
  }
  void fail(const std::string& what) {
    if (error_.empty()) error_ = (where_.empty() ? "" : where_ + ": ") + what;
  }

  // At the end: the first error, an unknown key among them.
  base::Result<void> done() {
    if (json_.is_object()) {
      for (const auto& [key, value] : json_.items()) {
        if (!taken_.contains(key)) fail("\"" + key + "\" is not known here");
      }
    }
    if (error_.empty()) return {};
    return base::fail(base::ErrorCode::kInvalid, error_);
  }

 private:
  const Json& json_;
  std::string where_;
  std::set<std::string, std::less<>> taken_;
  std::string error_;
};

}  // namespace flatout::data::spec
