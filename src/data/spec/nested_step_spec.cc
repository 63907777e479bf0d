#include "data/spec/nested_step_spec.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "data/spec/step_spec.h"

namespace flatout::data::spec {
namespace {

using base::Result;
using transform::Step;
using transform::StepLists;
using transform::TimmOperation;
using transform::WarpFilter;

constexpr std::size_t kMostWithin = 64;

Result<std::vector<Step>> read_list(const Json& list, const std::string& where, int depth) {
  if (!list.is_array() || list.size() > kMostWithin)
    return base::fail(base::ErrorCode::kInvalid,
                      where + ": \"steps\" is no list of at most " + std::to_string(kMostWithin));
  std::vector<Step> out;
  for (const Json& one : list) {
    auto step = read_step(one, where, depth + 1);
    if (!step) return std::unexpected(step.error());
    out.push_back(std::move(*step));
  }
  return out;
}

// A list of lists, or where `alone` one list.
Result<std::shared_ptr<const StepLists>> read_lists(JsonObject& json, const std::string& where,
                                                    bool alone, int depth) {
  const Json given = json.has("steps") ? json.at("steps") : Json();
  const Json lists = alone ? Json::array({given}) : given;
  if (!lists.is_array() || lists.size() > kMostWithin)
    return base::fail(base::ErrorCode::kInvalid, where + ": \"steps\" is no list of at most " +
                                                     std::to_string(kMostWithin) + " lists");
  auto out = std::make_shared<StepLists>();
  for (const Json& one : lists) {
    auto list = read_list(one, where, depth);
    if (!list) return std::unexpected(list.error());
    out->lists.push_back(std::move(*list));
  }
  return out;
}

std::vector<double> weights(JsonObject& json) {
  if (!json.has("p")) return {};
  const Json& list = json.at("p");
  std::vector<double> out(list.is_array() ? std::min(list.size(), kMostWithin) : 1);
  json.numbers("p", out.data(), out.size());
  return out;
}

Step nested_of(const std::string& name, JsonObject& json, std::shared_ptr<const StepLists> of) {
  if (name == "random_order") return transform::RandomOrder{std::move(of)};
  if (name == "random_apply") return transform::RandomApply{std::move(of), json.number("p", 0.5)};
  return transform::RandomChoice{.of = std::move(of),
                                 .weights = weights(json),
                                 .count = static_cast<int>(json.whole("count", 0, kMostWithin, 1)),
                                 .distinct = json.flag("distinct", false)};
}

std::vector<WarpFilter> warp_filters(JsonObject& json) {
  if (json.text("interpolation", "random") == "random")
    return {WarpFilter::kBilinear, WarpFilter::kBicubic};
  return {json.word<WarpFilter>("interpolation", {{"nearest", WarpFilter::kNearest},
                                                  {"bilinear", WarpFilter::kBilinear},
                                                  {"bicubic", WarpFilter::kBicubic}})};
}

TimmOperation::Kind kind(JsonObject& json) {
  using enum TimmOperation::Kind;
  if (!json.has("op")) json.fail("op", "is missing");
  return json.word<TimmOperation::Kind>("op", {{"AutoContrast", kAutoContrast},
                                               {"Equalize", kEqualize},
                                               {"Invert", kInvert},
                                               {"Rotate", kRotate},
                                               {"Posterize", kPosterize},
                                               {"PosterizeIncreasing", kPosterizeIncreasing},
                                               {"PosterizeOriginal", kPosterizeOriginal},
                                               {"Solarize", kSolarize},
                                               {"SolarizeIncreasing", kSolarizeIncreasing},
                                               {"SolarizeAdd", kSolarizeAdd},
                                               {"Color", kColor},
                                               {"ColorIncreasing", kColorIncreasing},
                                               {"Contrast", kContrast},
                                               {"ContrastIncreasing", kContrastIncreasing},
                                               {"Brightness", kBrightness},
                                               {"BrightnessIncreasing", kBrightnessIncreasing},
                                               {"Sharpness", kSharpness},
                                               {"SharpnessIncreasing", kSharpnessIncreasing},
                                               {"ShearX", kShearX},
                                               {"ShearY", kShearY},
                                               {"TranslateX", kTranslateX},
                                               {"TranslateY", kTranslateY},
                                               {"TranslateXRel", kTranslateXRel},
                                               {"TranslateYRel", kTranslateYRel},
                                               {"Desaturate", kDesaturate}});
}

Step timm_operation(JsonObject& json) {
  TimmOperation out{.kind = kind(json)};
  out.probability = json.number("p", out.probability);
  out.magnitude = json.number("magnitude", out.magnitude);
  out.deviation = json.number("deviation", out.deviation);
  out.evenly = json.flag("evenly", false);
  out.most = json.number("most", out.most);
  out.translate = json.number("translate", out.translate);
  out.translate_share = json.number("translate_share", out.translate_share);
  out.filters = warp_filters(json);
  out.blackens = json.flag("blackens", true);
  std::array<int, 3> fill{128, 128, 128};
  json.numbers("fill", fill.data(), fill.size());
  for (std::size_t i = 0; i < fill.size(); ++i) {
    if (fill[i] < 0 || fill[i] > 255)
      json.fail("fill", "is not within 0 to 255");
    else
      out.fill[i] = static_cast<std::uint8_t>(fill[i]);
  }
  return out;
}

}  // namespace

bool is_nested_step(const std::string& name) {
  return name == "random_apply" || name == "random_choice" || name == "random_order" ||
         name == "timm_operation";
}

Result<Step> read_nested_step(const std::string& name, const Json& given, const std::string& where,
                              int depth) {
  const std::string here = where + " " + name;
  JsonObject json(given, here);
  Step step;
  if (name == "timm_operation") {
    step = timm_operation(json);
  } else if (depth >= kMostDepth) {
    json.fail("is nested more than " + std::to_string(kMostDepth) + " deep");
  } else if (given.is_object()) {
    auto lists = read_lists(json, here, name == "random_apply", depth);
    if (!lists) return std::unexpected(lists.error());
    step = nested_of(name, json, std::move(*lists));
  }
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return step;
}

}  // namespace flatout::data::spec
