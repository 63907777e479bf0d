#include "data/open/open_source.h"

#include <utility>

#include "data/source/image_folder.h"
#include "data/source/packed_shards.h"
#include "data/source/tar_shards.h"

namespace flatout::data {

using base::Result;

Result<OpenSource> open_source(const spec::LoaderSpec& spec, std::unique_ptr<Source> given,
                               int cores) {
  const int named = (given != nullptr ? 1 : 0) + (spec.images.empty() ? 0 : 1) +
                    (spec.shards.empty() ? 0 : 1) + (spec.packed.empty() ? 0 : 1);
  if (named > 1) {
    return base::fail(
        base::ErrorCode::kInvalid,
        "of \"images\", \"shards\", \"packed\" and a list of samples more than one is given; leave "
        "one");
  }
  if (given != nullptr) return OpenSource{{}, std::move(given)};
  if (!spec.shards.empty()) {
    UnpackOptions unpack = spec.unpack;
    unpack.threads = spec.threads > 0 ? spec.threads : cores;
    auto shards = TarShards::open(spec.shards, unpack);
    if (!shards) return std::unexpected(shards.error());
    return OpenSource{{}, std::move(*shards)};
  }
  if (!spec.packed.empty()) {
    auto packed = PackedShards::open(spec.packed);
    if (!packed) return std::unexpected(packed.error());
    auto classes = (*packed)->manifest().classes;
    return OpenSource{std::move(classes), std::move(*packed)};
  }
  if (spec.images.empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "what to read is missing: \"images\", a folder of class folders, "
                      "\"shards\", a list of tar files, or \"packed\", a folder that was packed");
  }
  const auto cache = spec.index_cache ? IndexCache::of_user() : std::nullopt;
  auto folder = open_image_folder(spec.images, cache ? &*cache : nullptr);
  if (!folder) return std::unexpected(folder.error());
  return OpenSource{std::move(folder->classes), std::move(folder->files)};
}

}  // namespace flatout::data
