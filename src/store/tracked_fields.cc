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

std::vector<std::string> texts_of(const Json& json, const char* key) {
  std::vector<std::string> out;
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array()) return out;
  for (const Json& one : *found) {
    if (one.is_string()) out.push_back(one.get<std::string>());
  }
  return out;
}

std::optional<std::int64_t> whole_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<std::int64_t>();
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
  for (const std::string& id : tracked.other_ids) {
    if (out["other_ids"].size() < kMostTrackedTags) out["other_ids"].push_back(short_text(id));
  }
  if (tracked.branch.empty()) return out;
  out["branch"] = tracked.branch;
  out["from"] = short_text(tracked.from);
  if (tracked.from_step) out["from_step"] = *tracked.from_step;
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
  out.last_step = whole_of(json, "last_step");
  out.tags = texts_of(json, "tags");
  out.other_ids = texts_of(json, "other_ids");
  const std::string branch = text_of(json, "branch");
  if (branch != "fork" && branch != "rewind") return out;
  out.branch = branch;
  out.from = text_of(json, "from");
  out.from_step = whole_of(json, "from_step");
  return out;
}

}  // namespace flatout::store
