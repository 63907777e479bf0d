// How the parts of the JSON view are made. Internal to report/.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
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

Json devices_json(const std::vector<run::DeviceReport>& devices);

}  // namespace flatout::report
