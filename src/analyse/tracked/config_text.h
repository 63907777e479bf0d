// JSON objects that come in parts: a tracked run's config and what a script sets in its summary.
// Pure. Exceptions of the JSON library end here.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace flatout::analyse {

class ObjectInParts {
 public:
  // Objects are merged, all else is replaced. What is no JSON object, or nests deeper than 32, is
  // left out.
  void merge(std::string_view json);
  // The member of that name or, without one, the one that the dots lead to.
  void remove(std::string_view path);
  const nlohmann::json& json() const { return object_; }
  nlohmann::json& json() { return object_; }
  std::string text() const;

 private:
  nlohmann::json object_ = nlohmann::json::object();
};

}  // namespace flatout::analyse
