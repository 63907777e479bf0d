#include <cstdlib>
#include <nlohmann/json.hpp>

#include "data/source/shard_layout.h"

namespace flatout::data {
namespace {

using base::ErrorCode;
using nlohmann::json;

constexpr const char* kFormat = "flatout.shards/1";

bool whole(const json& object, const char* key, std::uint64_t most, std::uint64_t& out) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > most)
    return false;
  out = found->get<std::uint64_t>();
  return true;
}

bool read_set(const json& object, std::uint64_t& out) {
  const auto found = object.find("set");
  if (found == object.end() || !found->is_string()) return false;
  const auto& text = found->get_ref<const std::string&>();
  char* end = nullptr;
  if (text.size() != 16) return false;
  out = std::strtoull(text.c_str(), &end, 16);
  return end == text.c_str() + text.size();
}

bool read_classes(const json& object, std::vector<std::string>& out) {
  const auto found = object.find("classes");
  if (found == object.end() || !found->is_array()) return false;
  for (const json& name : *found) {
    if (!name.is_string()) return false;
    out.push_back(name.get<std::string>());
  }
  return true;
}

}  // namespace

std::string pack_manifest_text(const PackManifest& manifest) {
  char set[20];
  std::snprintf(set, sizeof set, "%016llx", static_cast<unsigned long long>(manifest.set));
  nlohmann::ordered_json out{{"format", kFormat},
                             {"set", set},
                             {"kind", name_of(manifest.kind)},
                             {"shards", manifest.shards},
                             {"samples", manifest.samples},
                             {"left_out", manifest.left_out}};
  if (manifest.kind != ShardKind::kOriginal) out["size"] = manifest.size;
  if (manifest.kind == ShardKind::kJpeg) out["quality"] = manifest.quality;
  out["classes"] = manifest.classes;
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

base::Result<PackManifest> read_pack_manifest(std::string_view text) {
  const json parsed = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) return base::fail(ErrorCode::kCorrupt, "is not one JSON object");
  const auto format = parsed.find("format");
  if (format == parsed.end() || *format != kFormat)
    return base::fail(ErrorCode::kInvalid, std::string("is not of the format ") + kFormat +
                                               ", which this flatout reads");
  PackManifest out;
  std::uint64_t shards = 0, size = 0, quality = 0;
  const auto kind = parsed.find("kind");
  const bool known = kind != parsed.end() && kind->is_string() &&
                     shard_kind_named(kind->get_ref<const std::string&>(), out.kind);
  if (!known || !read_set(parsed, out.set) || !read_classes(parsed, out.classes) ||
      !whole(parsed, "shards", kMostShards, shards) ||
      !whole(parsed, "samples", std::uint64_t{1} << 40U, out.samples) ||
      !whole(parsed, "left_out", std::uint64_t{1} << 40U, out.left_out)) {
    return base::fail(ErrorCode::kCorrupt,
                      "lacks set, kind, shards, samples, left_out or classes, or has a wrong one");
  }
  if (whole(parsed, "size", 1U << 16U, size)) out.size = static_cast<int>(size);
  if (whole(parsed, "quality", 100, quality)) out.quality = static_cast<int>(quality);
  out.shards = static_cast<std::uint32_t>(shards);
  return out;
}

}  // namespace flatout::data
