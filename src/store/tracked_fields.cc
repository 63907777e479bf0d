#include "store/tracked_fields.h"

#include <algorithm>

namespace flatout::store {
namespace {

constexpr std::size_t kMostTextBytes = 1024;
constexpr std::size_t kMostObjectBytes = 32U << 10;
constexpr std::size_t kMostTrackedTags = 64;
constexpr int kMostLevels = 4;  // so that meta.json stays within kMaxJsonDepth
constexpr int kDeepestText = 32;

std::string short_text(std::string_view text) {
  return std::string(text.substr(0, kMostTextBytes));
}

bool is_shortened(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().size() <= kMostTextBytes + 3;
}

// The beginning of a large value, so that a list still shows that it is there, and a search finds
// it.
Json shortened(const Json& value) {
  return short_text(value.is_string() ? value.get_ref<const std::string&>() : dump(value)) + "...";
}

// What nests deeper becomes its own text.
Json levelled(const Json& from, int levels) {
  if (!from.is_structured()) return from;
  if (levels == 0) return short_text(dump(from));
  Json out = from.is_object() ? Json::object() : Json::array();
  for (const auto& [key, value] : from.items()) {
    Json one = levelled(value, levels - 1);
    if (from.is_object()) {
      out[key] = std::move(one);
    } else {
      out.push_back(std::move(one));
    }
  }
  return out;
}

Json small_object(std::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < kDeepestText; };
  Json all = Json::parse(text, shallow, /*allow_exceptions=*/false);
  if (!all.is_object()) return Json::object();
  Json out = levelled(all, kMostLevels);
  while (dump(out).size() > kMostObjectBytes) {
    std::string largest;
    std::size_t most = 0;
    for (const auto& [key, value] : out.items()) {
      const std::size_t bytes = key.size() + dump(value).size();
      if (bytes < most) continue;
      most = bytes;
      largest = key;
    }
    // Of many small ones half goes at once.
    if (most * 8 > kMostObjectBytes) {
      Json& value = out[largest];
      if (is_shortened(value)) {  // its name is what is large
        out.erase(largest);
      } else {
        value = shortened(value);
      }
    } else {
      out.erase(std::next(out.begin(), static_cast<std::ptrdiff_t>(out.size() / 2)), out.end());
    }
  }
  return out;
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string object_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_object() ? dump(*found) : std::string("{}");
}

}  // namespace

Json to_json(const TrackedHeadline& tracked) {
  Json tags = Json::array();
  for (const std::string& tag : tracked.tags) {
    if (tags.size() < kMostTrackedTags) tags.push_back(short_text(tag));
  }
  Json out = {{"id", short_text(tracked.id)},
              {"project", short_text(tracked.project)},
              {"name", short_text(tracked.name)},
              {"group", short_text(tracked.group)},
              {"job_type", short_text(tracked.job_type)},
              {"tags", std::move(tags)},
              {"config", small_object(tracked.config)},
              {"summary", small_object(tracked.summary)}};
  if (tracked.last_step) out["last_step"] = *tracked.last_step;
  return out;
}

std::optional<TrackedHeadline> tracked_from(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  TrackedHeadline out{.id = text_of(json, "id"),
                      .project = text_of(json, "project"),
                      .name = text_of(json, "name"),
                      .group = text_of(json, "group"),
                      .job_type = text_of(json, "job_type"),
                      .tags = {},
                      .config = object_of(json, "config"),
                      .summary = object_of(json, "summary")};
  if (const auto step = json.find("last_step"); step != json.end() && step->is_number_integer()) {
    out.last_step = step->get<std::int64_t>();
  }
  if (const auto tags = json.find("tags"); tags != json.end() && tags->is_array()) {
    for (const Json& tag : *tags) {
      if (tag.is_string()) out.tags.push_back(tag.get<std::string>());
    }
  }
  return out;
}

}  // namespace flatout::store
