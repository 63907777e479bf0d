#include "trackers/wandb/items.h"

#include <cmath>
#include <utility>

namespace flatout::trackers::wandb {

Item item_of(std::string_view message) {
  constexpr std::size_t kDeepestItem = 32;
  Item item;
  ProtoReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 16) item.json = field->text();
    const bool names = field->number == 1 || field->number == 2;
    if (names && item.path.size() < kDeepestItem) item.path.emplace_back(field->text());
  }
  return item;
}

void set_item(Json& into, const Item& item, Json value) {
  Json* at = &into;
  for (const std::string& part : item.path) {
    if (!at->is_object()) *at = Json::object();
    at = &(*at)[part];
  }
  *at = std::move(value);
}

bool is_media(const Json& value) { return value.is_object() && value.contains("_type"); }

std::int64_t ns_of_timestamp(std::string_view message) {
  std::int64_t seconds = 0, nanos = 0;
  ProtoReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == 1) seconds = field->as_int().value_or(0);
    if (field->number == 2) nanos = field->as_int().value_or(0);
  }
  constexpr std::int64_t kLatest = 9'000'000'000;
  if (seconds < 0 || seconds > kLatest || nanos < 0 || nanos >= 1'000'000'000) return 0;
  return seconds * 1'000'000'000 + nanos;
}

std::int64_t ns_of_seconds(std::optional<double> seconds) {
  if (!seconds || !(*seconds > 0) || *seconds > 9e9) return 0;
  return std::llround(*seconds * 1e9);
}

}  // namespace flatout::trackers::wandb
