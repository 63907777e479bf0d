// JSON payloads of frames, written and read field by field. Exceptions of the
// JSON library end here. Internal to store/.
#pragma once

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "run/run.h"

namespace flatout::store {

using Json = nlohmann::json;

// Nothing that flatout writes nests deeper than this.
constexpr int kMaxJsonDepth = 8;

inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Absent when `text` is no JSON or nests deeper than that: what is written out or
// copied later recurses into it.
inline std::optional<Json> parse_shallow(std::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) -> bool {
    if (depth > kMaxJsonDepth) throw std::length_error("nested too deeply");
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Reads fields of one JSON object. After the first that does not fit, error()
// says which; absent fields leave their target alone.
class Fields {
 public:
  Fields(std::string_view payload, const char* what) : what_(what) {
    auto json = parse_shallow(payload);
    if (!json) {
      error_ = "is no JSON";
    } else if (!json->is_object()) {
      error_ = "is no JSON object";
    } else {
      json_ = std::move(*json);
    }
  }

  template <typename T>
  void read(const char* key, T& out) {
    if (!error_.empty()) return;
    const auto found = json_.find(key);
    if (found == json_.end()) return;
    if (!convert(*found, out)) error_ = std::string("has a bad value of \"") + key + '"';
  }

  template <typename T>
  void require(const char* key, T& out) {
    if (error_.empty() && !json_.contains(key)) error_ = std::string("lacks \"") + key + '"';
    read(key, out);
  }

  template <typename T>
  base::Result<T> done(T value) const {
    if (error_.empty()) return value;
    return base::fail(base::ErrorCode::kCorrupt, std::string(what_) + " record " + error_);
  }

 private:
  static bool convert(const Json& json, std::string& out) {
    if (!json.is_string()) return false;
    out = json.get_ref<const std::string&>();
    return true;
  }
  static bool convert(const Json& json, bool& out) {
    if (!json.is_boolean()) return false;
    out = json.get<bool>();
    return true;
  }
  static bool convert(const Json& json, double& out) {
    if (!json.is_number()) return false;
    out = json.get<double>();
    return true;
  }
  template <typename T>
    requires std::is_integral_v<T>
  static bool convert(const Json& json, T& out) {
    if (json.is_number_unsigned()) {
      const auto value = json.get<std::uint64_t>();
      out = static_cast<T>(value);
      return std::in_range<T>(value);
    }
    if (!json.is_number_integer()) return false;
    const auto value = json.get<std::int64_t>();
    out = static_cast<T>(value);
    return std::in_range<T>(value);
  }
  static bool convert(const Json& json, run::ProcRole& out) {
    std::string name;
    if (!convert(json, name)) return false;
    for (int role = 0; role <= static_cast<int>(run::ProcRole::kOther); ++role) {
      out = static_cast<run::ProcRole>(role);
      if (name == run::role_name(out)) return true;
    }
    return false;
  }
  template <typename T>
  static bool convert(const Json& json, std::optional<T>& out) {
    return convert(json, out.emplace());
  }
  static bool convert(const Json& json, std::map<std::string, std::string>& out) {
    if (!json.is_object()) return false;
    for (const auto& [key, value] : json.items()) {
      if (!convert(value, out[key])) return false;
    }
    return true;
  }
  template <typename T>
  static bool convert(const Json& json, std::vector<T>& out) {
    if (!json.is_array()) return false;
    out.clear();
    for (const auto& item : json) {
      if (!convert(item, out.emplace_back())) return false;
    }
    return true;
  }

  const char* what_;
  Json json_;
  std::string error_;
};

}  // namespace flatout::store
