#include "analyse/tracked/config_text.h"

#include <utility>

namespace flatout::analyse {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 32;

// To at most kDeepest levels, as `from` has no more.
void merge_into(Json& to, Json&& from) {
  for (auto& [name, value] : from.items()) {
    Json& place = to[name];
    if (place.is_object() && value.is_object()) {
      merge_into(place, std::move(value));
    } else {
      place = std::move(value);
    }
  }
}

}  // namespace

void ObjectInParts::merge(std::string_view json) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < kDeepest; };
  Json part = Json::parse(json, shallow, /*allow_exceptions=*/false);
  if (part.is_object()) merge_into(object_, std::move(part));
}

void ObjectInParts::remove(std::string_view path) {
  Json* in = &object_;
  while (in->is_object()) {
    if (in->erase(std::string(path)) != 0) return;
    const std::size_t dot = path.find('.');
    if (dot == std::string_view::npos) return;
    const auto next = in->find(std::string(path.substr(0, dot)));
    if (next == in->end()) return;
    in = &*next;
    path.remove_prefix(dot + 1);
  }
}

std::string ObjectInParts::text() const {
  return object_.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace flatout::analyse
