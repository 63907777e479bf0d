// How the parts of the JSON view are made. Internal to report/.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/report.h"

namespace flatout::report {

using Json = nlohmann::ordered_json;

// Nine significant digits: below any measurement here, and 0.1 stays 0.1.
double tidy(double value);

// Adds the key, or nothing where there is no value: a number that is not
// finite, an empty string, an empty optional.
void put(Json& to, const char* key, double value);
void put(Json& to, const char* key, const std::string& value);
template <typename T>
void put(Json& to, const char* key, const std::optional<T>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
    put(to, key, *value);
  } else {
    to[key] = *value;
  }
}

// The same for a list or an object: nothing where it is empty.
template <typename T>
void put_filled(Json& to, const char* key, T&& value) {
  if (!value.empty()) to[key] = std::forward<T>(value);
}

// waits[] of a device or of the steps.
Json wait_json(const run::WaitReport& wait);

// What `one` makes of each item.
template <typename Items, typename One>
Json list(const Items& items, One one) {
  Json out = Json::array();
  for (const auto& item : items) out.push_back(one(item));
  return out;
}

// `text` is JSON where it parses as JSON, else a plain string.
Json literal(const std::string& text);

// A setting, which is a JSON literal; null, or no text, says that there is none.
void put_setting(Json& to, const char* key, const std::string& text);

// "exit_code" or "signal" of a run that is known to have ended.
void put_end(Json& to, run::RunState state, const std::optional<run::RunEnd>& end);

// Of three numbers that JSON can hold.
bool is_finite(const std::optional<run::Speedup>& speedup);
// Where a tracked run begins with a history.
Json branch_json(const run::TrackedBranch& branch);
Json interval_json(double lo, double hi);
Json interval_json(const run::Speedup& speedup);

// A whole document: indented by two, UTF-8, with a line end.
std::string document(const Json& out);

Json ranks_json(const run::RankComparison& ranks);
Json devices_json(const std::vector<run::DeviceReport>& devices);

}  // namespace flatout::report
