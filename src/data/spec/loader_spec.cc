#include "data/spec/loader_spec.h"

#include <limits>
#include <utility>

#include "data/spec/cache_spec.h"
#include "data/spec/json_object.h"
#include "data/spec/step_spec.h"
#include "data/spec/unpack_spec.h"

namespace flatout::data::spec {
namespace {

using base::ErrorCode;
using base::Result;
using transform::Layout;
using transform::NumberType;
using transform::Scaling;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of the text
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostShards = 1 << 20;
constexpr std::int64_t kMostBatch = 1 << 24;
constexpr std::int64_t kMostRanks = 1 << 24;
constexpr std::int64_t kMostClasses = 1 << 24;

Result<void> read_steps(JsonObject& json, std::vector<transform::Step>& out) {
  if (!json.has("steps")) return {};
  const Json& list = json.at("steps");
  if (!list.is_array() || list.size() > kMostSteps) {
    return base::fail(ErrorCode::kInvalid,
                      "\"steps\" is no list of at most " + std::to_string(kMostSteps));
  }
  for (const Json& one : list) {
    auto step = read_step(one, "step " + std::to_string(out.size() + 1));
    if (!step) return std::unexpected(step.error());
    out.push_back(*step);
  }
  return {};
}

Result<void> read_normalization(JsonObject& json, std::size_t channels,
                                transform::Normalization& out) {
  out.scaling = json.word<Scaling>(
      "scaling",
      {{"divide", Scaling::kDivide}, {"multiply", Scaling::kMultiply}, {"none", Scaling::kNone}});
  if (!json.has("normalize")) return {};
  JsonObject inside(json.at("normalize"), "normalize");
  inside.numbers("mean", out.mean, channels);
  inside.numbers("std", out.std, channels);
  return inside.done();
}

// {"mixup_alpha": 0.8, "cutmix_alpha": 1, "p": 1, "switch_p": 0.5, "correct": true, "smoothing":
// 0.1}
Result<void> read_mirror_mix(const Json& given, MixOptions& out) {
  JsonObject json(given, "mix: timm");
  MirrorMix mix;
  mix.mixup_alpha = json.number("mixup_alpha", mix.mixup_alpha);
  mix.cutmix_alpha = json.number("cutmix_alpha", mix.cutmix_alpha);
  mix.probability = json.number("p", mix.probability);
  mix.switch_probability = json.number("switch_p", mix.switch_probability);
  mix.correct_share = json.flag("correct", mix.correct_share);
  mix.smoothing = json.number("smoothing", mix.smoothing);
  out.mirror = mix;
  return json.done();
}

// [{"mixup": {"alpha": 0.2}}, {"cutmix": {}}], or [{"timm": {...}}] alone
Result<void> read_mix(JsonObject& json, MixOptions& out) {
  out.classes = json.whole("classes", 0, kMostClasses, 0);
  if (!json.has("mix")) return {};
  const Json& list = json.at("mix");
  if (!list.is_array() || list.size() > kMostSteps) json.fail("mix", "is no list of a few");
  for (const Json& one : list.is_array() ? list : Json::array()) {
    if (one.is_object() && one.size() == 1 && one.contains("timm")) {
      if (auto done = read_mirror_mix(one.begin().value(), out); !done) return done;
      continue;
    }
    const bool cuts = one.is_object() && one.size() == 1 && one.contains("cutmix");
    if (!cuts && !(one.is_object() && one.size() == 1 && one.contains("mixup"))) {
      json.fail("mix", "holds what is neither {\"mixup\": {...}} nor {\"cutmix\": {...}}");
      return {};
    }
    JsonObject inside(one.begin().value(), cuts ? "mix: cutmix" : "mix: mixup");
    out.kinds.push_back({.kind = cuts ? Mix::Kind::kCutMix : Mix::Kind::kMixUp,
                         .alpha = inside.number("alpha", 1)});
    if (auto done = inside.done(); !done) return done;
  }
  return {};
}

void read_chain(JsonObject& json, transform::ChainOptions& out) {
  out.type = json.word<NumberType>("dtype", {{"float32", NumberType::kFloat32},
                                             {"float16", NumberType::kFloat16},
                                             {"bfloat16", NumberType::kBfloat16},
                                             {"uint8", NumberType::kUint8}});
  out.layout = json.word<Layout>(
      "layout", {{"nchw", Layout::kChannelsFirst}, {"nhwc", Layout::kChannelsLast}});
  out.channels = static_cast<int>(json.whole("channels", 1, 3, 3));
  out.pillow_major = static_cast<int>(json.whole("pillow_major", 1, 1000, 13));
}

void read_loader(JsonObject& json, LoaderSpec& out) {
  out.images = json.text("images", "");
  out.index_cache = json.flag("index_cache", true);
  out.shards = json.texts("shards", kMostShards);
  out.packed = json.text("packed", "");
  out.decoding.exif_orientation = json.flag("exif_orientation", false);
  out.decoding.strict_orientation = json.flag("strict_orientation", false);
  out.decoding.fast = json.word<bool>("decode", {{"exact", false}, {"fast", true}});
  out.threads = static_cast<int>(json.whole("threads", 0, Engine::kMaxThreads, 0));
  out.tune = json.flag("tune", out.threads == 0);
  out.tell_run = json.flag("tell_run", true);
  out.loader.batch_size = static_cast<std::size_t>(json.whole("batch_size", 1, kMostBatch, 1));
  out.loader.drop_last = json.flag("drop_last", false);
  out.loader.ahead = static_cast<std::size_t>(json.whole("ahead", 0, 1 << 16, 0));
  out.loader.on_bad = json.word<OnBadSample>(
      "on_bad_sample",
      {{"raise", OnBadSample::kRaise}, {"skip", OnBadSample::kSkip}, {"mark", OnBadSample::kMark}});
  out.order.shuffle = json.flag("shuffle", false);
  out.order.seed = json.seed("seed");
  out.order.ranks = json.whole("ranks", 1, kMostRanks, 1);
  out.order.rank = json.whole("rank", 0, out.order.ranks - 1, 0);
  out.order.drop_uneven = json.flag("drop_uneven", false);
}

}  // namespace

Result<LoaderSpec> read_loader_spec(std::string_view text) {
  if (text.size() > kMostBytes)
    return base::fail(ErrorCode::kTooLarge, "a loader's description of more than 1 MiB");
  const Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded())
    return base::fail(ErrorCode::kInvalid, "a loader's description is no JSON");
  JsonObject json(parsed, "");
  LoaderSpec out;
  read_loader(json, out);
  auto arrays = read_array_spec(json);
  if (!arrays) return std::unexpected(arrays.error());
  out.arrays = std::move(*arrays);
  if (out.of_arrays()) {  // what pictures take is not known there
    if (auto done = json.done(); !done) return std::unexpected(done.error());
    return out;
  }
  read_chain(json, out.chain);
  if (auto done = read_mix(json, out.mix); !done) return std::unexpected(done.error());
  if (auto done = read_unpack(json, !out.shards.empty(), out.unpack); !done)
    return std::unexpected(done.error());
  if (auto done = read_cache(json, out.cache); !done) return std::unexpected(done.error());
  if (out.decoding.fast && out.cache.decoded) {
    // Which of a sample's epochs finds it kept would show in its pixels.
    json.fail("decode", "may not be \"fast\" beside a cache of decoded pictures, which are whole");
  }
  if (auto done = read_steps(json, out.chain.steps); !done) return std::unexpected(done.error());
  const auto channels = static_cast<std::size_t>(out.chain.channels);
  if (auto done = read_normalization(json, channels, out.chain.normalization); !done)
    return std::unexpected(done.error());
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return out;
}

}  // namespace flatout::data::spec
