// Items of wandb's records: a name, possibly a path into nested ones, and a value as JSON. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trackers/json_text.h"
#include "trackers/proto_reader.h"

namespace flatout::trackers::wandb {

// Of history, summary, config and stats. wandb names what is nested by its path.
struct Item {
  std::vector<std::string> path;
  std::string_view json;  // of the record's bytes

  bool is_internal() const { return path.empty() || path.front().starts_with("_"); }
};
Item item_of(std::string_view message);

// What stands in the way is replaced.
void set_item(Json& into, const Item& item, Json value);

// {"_type":"image-file",...}
bool is_media(const Json& value);

// Calls take(name, value) with each leaf, of objects by names with dots; media are leaves.
template <typename Take>
base::Result<void> each_leaf(const std::string& name, Json& value, const Take& take) {
  if (!value.is_object() || is_media(value)) return take(name, value);
  for (auto& [inner, said] : value.items()) {
    if (auto done = each_leaf(name.empty() ? inner : name + "." + inner, said, take); !done) {
      return done;
    }
  }
  return {};
}

// Calls take(bytes) with each message of that field.
template <typename Take>
void each_message(std::string_view message, std::uint32_t number, const Take& take) {
  ProtoReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number == number) take(field->text());
  }
}

// The same of whole numbers.
template <typename Take>
void each_int(std::string_view message, std::uint32_t number, const Take& take) {
  ProtoReader reader(message);
  while (const auto field = reader.next()) {
    if (field->number != number) continue;
    if (const auto value = field->as_int()) take(*value);
  }
}

// Since 1970; 0 = not said, or beyond what can be.
std::int64_t ns_of_timestamp(std::string_view message);
std::int64_t ns_of_seconds(std::optional<double> seconds);

}  // namespace flatout::trackers::wandb
