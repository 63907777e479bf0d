#include "data/spec/unpack_spec.h"

namespace flatout::data::spec {
namespace {

constexpr std::uint64_t kBytesOfMb = std::uint64_t{1} << 20;
constexpr std::int64_t kMostUnpackMb = std::int64_t{1} << 30;

}  // namespace

base::Result<void> read_unpack(JsonObject& json, bool with_shards, UnpackOptions& out) {
  if (!json.has("unpack")) return {};
  JsonObject inside(json.at("unpack"), "unpack");
  out.folder = inside.text("folder", "");
  out.disk_bytes =
      static_cast<std::uint64_t>(inside.whole("disk_mb", 1, kMostUnpackMb, 0)) * kBytesOfMb;
  if (out.folder.empty())
    inside.fail("folder", "is missing: where on the disk shards are unpacked to");
  if (!inside.has("disk_mb")) inside.fail("disk_mb", "is missing: how much the folder may hold");
  if (!with_shards) json.fail("unpack", "is for compressed \"shards\" alone; leave it out");
  return inside.done();
}

}  // namespace flatout::data::spec
