#include "data/spec/step_spec.h"

#include <array>
#include <optional>
#include <utility>

#include "data/spec/json_object.h"
#include "data/spec/nested_step_spec.h"

namespace flatout::data::spec {
namespace {

using base::ErrorCode;
using base::Result;
using transform::Filter;
using transform::Size;
using transform::Step;

constexpr int kMostSide = 1 << 16;

Filter filter(JsonObject& json) {
  return json.word<Filter>("interpolation", {{"bilinear", Filter::kBilinear},
                                             {"bicubic", Filter::kBicubic},
                                             {"box", Filter::kBox},
                                             {"hamming", Filter::kHamming},
                                             {"lanczos", Filter::kLanczos}});
}

// A side of a square, or [height, width] as torchvision has it.
Size size(JsonObject& json) {
  if (json.has("size") && json.at("size").is_array()) {
    std::array<int, 2> sides{};
    json.numbers("size", sides.data(), sides.size());
    return {.width = sides[1], .height = sides[0]};
  }
  const int side = static_cast<int>(json.whole("size", 1, kMostSide, 0));
  if (side == 0) json.fail("size", "is missing");
  return {.width = side, .height = side};
}

Step random_resized_crop(JsonObject& json) {
  transform::RandomResizedCrop out{.size = size(json)};
  out.or_bicubic = json.text("interpolation", "") == "random";
  if (!out.or_bicubic) out.filter = filter(json);
  std::array<double, 2> scale{out.scale_low, out.scale_high};
  std::array<double, 2> ratio{out.ratio_low, out.ratio_high};
  json.numbers("scale", scale.data(), scale.size());
  json.numbers("ratio", ratio.data(), ratio.size());
  std::tie(out.scale_low, out.scale_high) = std::pair(scale[0], scale[1]);
  std::tie(out.ratio_low, out.ratio_high) = std::pair(ratio[0], ratio[1]);
  return out;
}

// torchvision's Resize: a number is the shorter side, two are a size.
Step resize(JsonObject& json) {
  if (json.has("size") && json.at("size").is_array())
    return transform::Resize{.size = size(json), .filter = filter(json)};
  return transform::ResizeShorter{.side = size(json).width, .filter = filter(json)};
}

Step center_crop(JsonObject& json) { return transform::CenterCrop{.size = size(json)}; }

Step random_crop(JsonObject& json) {
  transform::RandomCrop out{.size = size(json), .pad_if_needed = json.flag("pad_if_needed", false)};
  const int pad = static_cast<int>(json.whole("padding", 0, kMostSide, 0));
  out.pad_left = out.pad_top = out.pad_right = out.pad_bottom = pad;
  return out;
}

Step horizontal_flip(JsonObject& json) {
  return transform::RandomHorizontalFlip{json.number("p", 0.5)};
}
Step vertical_flip(JsonObject& json) {
  return transform::RandomVerticalFlip{json.number("p", 0.5)};
}
Step grayscale(JsonObject&) { return transform::Grayscale{}; }
Step random_grayscale(JsonObject& json) {
  return transform::RandomGrayscale{json.number("p", 0.1)};
}

void range(JsonObject& json, const char* key, transform::ColorJitter::Range& out) {
  std::array<double, 2> both{out.low, out.high};
  json.numbers(key, both.data(), both.size());
  out = {both[0], both[1]};
}

Step color_jitter(JsonObject& json) {
  transform::ColorJitter out;
  range(json, "brightness", out.brightness);
  range(json, "contrast", out.contrast);
  range(json, "saturation", out.saturation);
  range(json, "hue", out.hue);
  return out;
}

Step random_erasing(JsonObject& json) {
  transform::RandomErasing out{.probability = json.number("p", 0.5),
                               .noise = json.flag("noise", false)};
  out.one_colour = json.flag("one_colour", false);
  out.noise = out.noise || out.one_colour;
  std::array<int, 2> count{out.least_count, out.most_count};
  json.numbers("count", count.data(), count.size());
  std::tie(out.least_count, out.most_count) = std::pair(count[0], count[1]);
  std::array<double, 2> scale{out.scale_low, out.scale_high};
  std::array<double, 2> ratio{out.ratio_low, out.ratio_high};
  json.numbers("scale", scale.data(), scale.size());
  json.numbers("ratio", ratio.data(), ratio.size());
  json.numbers("value", out.value, 3);
  std::tie(out.scale_low, out.scale_high) = std::pair(scale[0], scale[1]);
  std::tie(out.ratio_low, out.ratio_high) = std::pair(ratio[0], ratio[1]);
  return out;
}

transform::WarpFilter warp_filter(JsonObject& json) {
  using transform::WarpFilter;
  return json.word<WarpFilter>("interpolation", {{"nearest", WarpFilter::kNearest},
                                                 {"bilinear", WarpFilter::kBilinear},
                                                 {"bicubic", WarpFilter::kBicubic}});
}

// A number for all channels, or one each.
transform::Fill fill(JsonObject& json) {
  if (!json.has("fill")) return {};
  std::array<double, 3> values{};
  if (json.at("fill").is_number()) {
    values.fill(json.at("fill").get<double>());
  } else {
    json.numbers("fill", values.data(), values.size());
  }
  transform::Fill out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!(values[i] >= 0 && values[i] <= 255))
      json.fail("fill", "is not within 0 to 255");
    else
      out[i] = static_cast<std::uint8_t>(values[i]);
  }
  return out;
}

std::optional<transform::Point> centre(JsonObject& json) {
  if (!json.has("center")) return std::nullopt;
  std::array<double, 2> both{};
  json.numbers("center", both.data(), both.size());
  return transform::Point{both[0], both[1]};
}

// A number d stands for [-d, d].
transform::Range around_zero(JsonObject& json, const char* key) {
  if (json.has(key) && json.at(key).is_number()) {
    const double most = json.number(key, 0);
    return {-most, most};
  }
  std::array<double, 2> both{};
  json.numbers(key, both.data(), both.size());
  return {both[0], both[1]};
}

transform::Range degrees(JsonObject& json) {
  if (!json.has("degrees")) json.fail("degrees", "is missing");
  return around_zero(json, "degrees");
}

Step random_rotation(JsonObject& json) {
  return transform::RandomRotation{.degrees = degrees(json),
                                   .filter = warp_filter(json),
                                   .expand = json.flag("expand", false),
                                   .centre = centre(json),
                                   .fill = fill(json)};
}

Step random_affine(JsonObject& json) {
  transform::RandomAffine out;
  out.degrees = degrees(json);
  out.filter = warp_filter(json);
  out.centre = centre(json);
  out.fill = fill(json);
  std::array<double, 2> translate{};
  json.numbers("translate", translate.data(), translate.size());
  out.translate = {translate[0], translate[1]};
  std::array<double, 2> scale{1, 1};
  json.numbers("scale", scale.data(), scale.size());
  out.scale = {scale[0], scale[1]};
  if (json.has("shear") && json.at("shear").is_array() && json.at("shear").size() == 4) {
    std::array<double, 4> both{};
    json.numbers("shear", both.data(), both.size());
    out.shear_x = {both[0], both[1]};
    out.shear_y = {both[2], both[3]};
  } else {
    out.shear_x = around_zero(json, "shear");
  }
  return out;
}

double probability(JsonObject& json) { return json.number("p", 0.5); }

Step random_perspective(JsonObject& json) {
  transform::RandomPerspective out{.distortion = json.number("distortion_scale", 0.5),
                                   .probability = probability(json)};
  if (json.has("interpolation")) out.filter = warp_filter(json);
  out.fill = fill(json);
  return out;
}

Step random_invert(JsonObject& json) { return transform::RandomInvert{probability(json)}; }
Step random_autocontrast(JsonObject& json) {
  return transform::RandomAutocontrast{probability(json)};
}
Step random_equalize(JsonObject& json) { return transform::RandomEqualize{probability(json)}; }
Step random_posterize(JsonObject& json) {
  if (!json.has("bits")) json.fail("bits", "is missing");
  return transform::RandomPosterize{static_cast<int>(json.whole("bits", 1, 8, 8)),
                                    probability(json)};
}
Step random_solarize(JsonObject& json) {
  if (!json.has("threshold")) json.fail("threshold", "is missing");
  return transform::RandomSolarize{json.number("threshold", 0), probability(json)};
}
Step random_adjust_sharpness(JsonObject& json) {
  if (!json.has("sharpness_factor")) json.fail("sharpness_factor", "is missing");
  return transform::RandomAdjustSharpness{json.number("sharpness_factor", 1), probability(json)};
}

// A side of a square kernel, or [columns, rows] as torchvision has it.
Step gaussian_blur(JsonObject& json) {
  transform::GaussianBlur out;
  if (json.has("kernel_size") && json.at("kernel_size").is_array()) {
    std::array<int, 2> both{};
    json.numbers("kernel_size", both.data(), both.size());
    std::tie(out.columns, out.rows) = std::pair(both[0], both[1]);
  } else {
    out.columns = out.rows = static_cast<int>(json.whole("kernel_size", 1, kMostSide, 0));
  }
  if (!json.has("kernel_size")) json.fail("kernel_size", "is missing");
  if (json.has("sigma") && json.at("sigma").is_number()) {
    out.sigma.low = out.sigma.high = json.number("sigma", 1);
  } else {
    std::array<double, 2> both{out.sigma.low, out.sigma.high};
    json.numbers("sigma", both.data(), both.size());
    out.sigma = {both[0], both[1]};
  }
  return out;
}

transform::WarpStyle style(JsonObject& json) { return {warp_filter(json), fill(json)}; }

transform::Torchvision rounding(JsonObject& json) {
  return json.flag("v2", false) ? transform::Torchvision::kV2 : transform::Torchvision::kV1;
}

int bins(JsonObject& json) {
  return static_cast<int>(json.whole("num_magnitude_bins", 2, 1 << 20, 31));
}

Step rand_augment(JsonObject& json) {
  return transform::RandAugment{
      .operations = static_cast<int>(json.whole("num_ops", 0, 64, 2)),
      .magnitude = static_cast<int>(json.whole("magnitude", 0, 1 << 20, 9)),
      .bins = bins(json),
      .style = style(json),
      .rounding = rounding(json)};
}

Step trivial_augment_wide(JsonObject& json) {
  return transform::TrivialAugmentWide{
      .bins = bins(json), .style = style(json), .rounding = rounding(json)};
}

Step auto_augment(JsonObject& json) {
  using Policy = transform::AutoAugment::Policy;
  return transform::AutoAugment{
      .policy = json.word<Policy>("policy", {{"imagenet", Policy::kImagenet},
                                             {"cifar10", Policy::kCifar10},
                                             {"svhn", Policy::kSvhn}}),
      .style = style(json),
      .rounding = rounding(json)};
}

struct Kind {
  const char* name;
  const char* alone;  // the parameter that a bare number stands for; none: it takes none
  Step (*read)(JsonObject& json);
};

constexpr std::array kKinds = {
    Kind{"random_resized_crop", "size", random_resized_crop},
    Kind{"resize", "size", resize},
    Kind{"center_crop", "size", center_crop},
    Kind{"random_crop", "size", random_crop},
    Kind{"random_horizontal_flip", "p", horizontal_flip},
    Kind{"random_vertical_flip", "p", vertical_flip},
    Kind{"grayscale", nullptr, grayscale},
    Kind{"random_grayscale", "p", random_grayscale},
    Kind{"color_jitter", nullptr, color_jitter},
    Kind{"random_rotation", "degrees", random_rotation},
    Kind{"random_affine", "degrees", random_affine},
    Kind{"random_perspective", "distortion_scale", random_perspective},
    Kind{"random_invert", "p", random_invert},
    Kind{"random_posterize", "bits", random_posterize},
    Kind{"random_solarize", "threshold", random_solarize},
    Kind{"random_autocontrast", "p", random_autocontrast},
    Kind{"random_equalize", "p", random_equalize},
    Kind{"random_adjust_sharpness", "sharpness_factor", random_adjust_sharpness},
    Kind{"gaussian_blur", "kernel_size", gaussian_blur},
    Kind{"rand_augment", nullptr, rand_augment},
    Kind{"trivial_augment_wide", nullptr, trivial_augment_wide},
    Kind{"auto_augment", nullptr, auto_augment},
    Kind{"random_erasing", "p", random_erasing},
};

Result<Step> read_kind(const std::string& name, const Json& given, const std::string& where,
                       int depth) {
  if (is_nested_step(name)) return read_nested_step(name, given, where, depth);
  for (const Kind& kind : kKinds) {
    if (name != kind.name) continue;
    const bool bare = kind.alone != nullptr && (given.is_number() || given.is_array());
    const Json parameters = bare              ? Json{{kind.alone, given}}
                            : given.is_null() ? Json::object()
                                              : given;
    JsonObject json(parameters, where + " " + name);
    Step step = kind.read(json);
    if (auto done = json.done(); !done) return std::unexpected(done.error());
    return step;
  }
  std::string all;
  for (const Kind& kind : kKinds) all += (all.empty() ? "" : ", ") + std::string(kind.name);
  all += ", random_apply, random_choice, random_order, timm_operation";
  return base::fail(ErrorCode::kInvalid,
                    where + ": there is no step \"" + name + "\"; there are " + all);
}

}  // namespace

Result<Step> read_step(const Json& json, const std::string& where, int depth) {
  if (json.is_string()) return read_kind(json.get<std::string>(), nullptr, where, depth);
  if (!json.is_object() || json.size() != 1) {
    return base::fail(ErrorCode::kInvalid,
                      where + ": a step is a name, or an object with one name and its parameters");
  }
  return read_kind(json.begin().key(), json.begin().value(), where, depth);
}

}  // namespace flatout::data::spec
