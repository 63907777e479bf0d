// A loader as users write it: one JSON object, described in docs/data.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/cache/sample_caches.h"
#include "data/decode/image_decoder.h"
#include "data/feed/batch_mix.h"
#include "data/feed/loader.h"
#include "data/feed/order.h"
#include "data/source/unpacked_files.h"
#include "data/spec/array_spec.h"
#include "data/transform/chain.h"

namespace flatout::data::spec {

struct LoaderSpec {
  std::string images;       // a folder of class folders; empty where files are given otherwise
  bool index_cache = true;  // the listing of a large one may be kept in the user's cache folder
  std::vector<std::string> shards;  // or tar files, as WebDataset writes them
  UnpackOptions unpack;  // where compressed ones are unpacked to; its threads are not read
  std::string packed;    // or a folder that was packed
  ArraySpec arrays;      // or tokens or arrays; then chain, mix and decoding mean nothing
  transform::ChainOptions chain;
  LoaderOptions loader;  // its `ahead`: 0, where nothing is said, is two batches
  MixOptions mix;        // classes 0: as many as the source has
  OrderOptions order;
  cache::SampleCacheOptions cache;
  ImageDecoderOptions decoding;
  int threads = 0;       // 0: a thread for each core
  bool tell_run = true;  // a `flatout run` around the program hears of this loader from itself
  // Those of `threads` and `ahead` that are 0 are where the tuner begins. Where nothing is said, it
  // is asked for if threads is 0: who gives a number of threads wants no other.
  bool tune = true;

  bool of_arrays() const { return !std::holds_alternative<std::monostate>(arrays); }
};

// kInvalid, with the key and what it may be, for anything that is not described there.
base::Result<LoaderSpec> read_loader_spec(std::string_view text);

}  // namespace flatout::data::spec
