#include "data/spec/pack_spec.h"

#include <cstdint>

#include "data/feed/engine.h"
#include "data/spec/json_object.h"
#include "data/spec/unpack_spec.h"

namespace flatout::data::spec {

base::Result<PackSpec> read_pack_spec(std::string_view text) {
  const auto parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  JsonObject json(parsed, "");
  PackSpec out;
  out.from.images = json.text("images", "");
  out.from.index_cache = json.flag("index_cache", true);
  out.from.shards = json.texts("shards", std::size_t{1} << 20U);
  if (auto done = read_unpack(json, !out.from.shards.empty(), out.from.unpack); !done)
    return std::unexpected(done.error());
  out.to = json.text("to", "");
  if (out.to.empty()) json.fail("to", "is missing: the folder that is written");
  SampleForm& form = out.options.form;
  form.kind = json.word<ShardKind>(
      "kind",
      {{"jpeg", ShardKind::kJpeg}, {"original", ShardKind::kOriginal}, {"raw", ShardKind::kRaw}});
  form.size = static_cast<int>(json.whole("size", 1, 1 << 14, form.size));
  form.quality = static_cast<int>(json.whole("quality", 1, 100, form.quality));
  const auto shard_bytes = static_cast<std::int64_t>(out.options.shard_bytes);
  out.options.shard_bytes =
      static_cast<std::uint64_t>(json.whole("shard_bytes", 1, std::int64_t{1} << 40U, shard_bytes));
  out.options.threads = static_cast<int>(json.whole("threads", 0, Engine::kMaxThreads, 0));
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return out;
}

}  // namespace flatout::data::spec
