#include "data/feed/batch_mix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "data/transform/sample/levels.h"

namespace flatout::data {
namespace {

using transform::NumberType;
using transform::SampleShape;

constexpr double kMostAlpha = 1e6;
constexpr std::int64_t kMostClasses = 1 << 24;

// The logarithm of a gamma number, since the number itself may be too small for a double.
double log_gamma_number(DrawStream& stream, double alpha) {
  const double larger = alpha < 1 ? alpha + 1 : alpha;
  const double d = larger - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal();
    const double root = 1 + c * x;
    const double uniform = 1 - stream.uniform();  // above 0
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(uniform) >= 0.5 * x * x + d - d * v + d * std::log(v)) continue;
    const double out = std::log(d * v);
    return alpha < 1 ? out + std::log(1 - stream.uniform()) / alpha : out;
  }
}

float bfloat16_of(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float float16_of(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const auto fraction = static_cast<float>(bits & 1023);
  const float magnitude = exponent == 31  ? (bits & 1023 ? NAN : INFINITY)
                          : exponent == 0 ? std::ldexp(fraction, -24)
                                          : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

// How numbers of 16 bits are computed with: as float32, rounded after each operation, as torch
// does.
struct Float16 {
  static float of(std::uint16_t bits) { return float16_of(bits); }
  static std::uint16_t bits(float number) { return transform::float16_bits(number); }
};
struct Bfloat16 {
  static float of(std::uint16_t bits) { return bfloat16_of(bits); }
  static std::uint16_t bits(float number) { return transform::bfloat16_bits(number); }
};

// torch's other.mul(1 - share).add_(own.mul(share)).
struct Shares {
  float own;
  float other;
};

void blend(const Shares& shares, std::size_t numbers, const float* other, float* own) {
  for (std::size_t i = 0; i < numbers; ++i) {
    const float from_other = other[i] * shares.other;
    const float from_own = own[i] * shares.own;
    own[i] = from_other + from_own;
  }
}

template <class Number>
void blend16(const Shares& shares, std::size_t numbers, const std::uint16_t* other,
             std::uint16_t* own) {
  const auto rounded = [](float number) { return Number::of(Number::bits(number)); };
  for (std::size_t i = 0; i < numbers; ++i) {
    const float from_other = rounded(Number::of(other[i]) * shares.other);
    const float from_own = rounded(Number::of(own[i]) * shares.own);
    own[i] = Number::bits(from_other + from_own);
  }
}

void blend_sample(const MixPlan& plan, const SampleShape& shape, const std::byte* other,
                  std::byte* own) {
  const Shares shares{plan.share, static_cast<float>(1.0 - static_cast<double>(plan.share))};
  const std::size_t numbers = shape.bytes() / bytes_of(shape.type);
  const auto* from = reinterpret_cast<const std::uint16_t*>(other);
  auto* const to = reinterpret_cast<std::uint16_t*>(own);
  if (shape.type == NumberType::kFloat16) return blend16<Float16>(shares, numbers, from, to);
  if (shape.type == NumberType::kBfloat16) return blend16<Bfloat16>(shares, numbers, from, to);
  blend(shares, numbers, reinterpret_cast<const float*>(other), reinterpret_cast<float*>(own));
}

void cut_sample(const MixPlan& plan, const SampleShape& shape, const std::byte* other,
                std::byte* own) {
  const bool last = shape.layout == transform::Layout::kChannelsLast;
  const std::size_t pixel =
      bytes_of(shape.type) * static_cast<std::size_t>(last ? shape.channels : 1);
  const std::size_t row = pixel * static_cast<std::size_t>(shape.width);
  const int planes = last ? 1 : shape.channels;
  for (int plane = 0; plane < planes; ++plane) {
    for (int y = plan.box.top; y < plan.box.top + plan.box.height; ++y) {
      const std::size_t at =
          (static_cast<std::size_t>(plane) * static_cast<std::size_t>(shape.height) +
           static_cast<std::size_t>(y)) *
              row +
          pixel * static_cast<std::size_t>(plan.box.left);
      std::memcpy(own + at, other + at, pixel * static_cast<std::size_t>(plan.box.width));
    }
  }
}

// timm's rand_bbox.
Box mirror_box(double share, int width, int height, DrawStream& stream) {
  const double side = std::sqrt(1.0 - share);
  const auto cut_height = static_cast<int>(height * side);
  const auto cut_width = static_cast<int>(width * side);
  const auto y = static_cast<int>(stream.below(static_cast<std::uint32_t>(height)));
  const auto x = static_cast<int>(stream.below(static_cast<std::uint32_t>(width)));
  const int top = std::clamp(y - cut_height / 2, 0, height);
  const int bottom = std::clamp(y + (cut_height + 1) / 2, 0, height);
  const int left = std::clamp(x - cut_width / 2, 0, width);
  const int right = std::clamp(x + (cut_width + 1) / 2, 0, width);
  return {left, top, right - left, bottom - top};
}

MixPlan draw_mirror_mix(const MirrorMix& mix, int width, int height, DrawStream& stream) {
  MixPlan out{.mirrored = true, .smoothing = mix.smoothing};
  if (stream.uniform() >= mix.probability) return out;
  const bool switched = stream.uniform() < mix.switch_probability;
  const bool cuts = mix.cutmix_alpha > 0 && (mix.mixup_alpha <= 0 || switched);
  out.share = drawn_share(stream, cuts ? mix.cutmix_alpha : mix.mixup_alpha);
  out.kept = static_cast<double>(out.share);
  if (!cuts) return out;
  out.kind = Mix::Kind::kCutMix;
  out.box = mirror_box(out.kept, width, height, stream);
  const double cut = static_cast<double>(out.box.width) * out.box.height;
  if (mix.correct_share) out.kept = 1.0 - cut / (static_cast<double>(width) * height);
  return out;
}

// Both of a pair, rounded to nearest, ties to even, as torch.round does.
void blend_pair(const Shares& shares, std::size_t numbers, std::uint8_t* first,
                std::uint8_t* second) {
  const auto mixed = [&](float own, float other) {
    const float from_own = own * shares.own;
    const float from_other = other * shares.other;
    return static_cast<std::uint8_t>(std::nearbyint(from_own + from_other));
  };
  for (std::size_t i = 0; i < numbers; ++i) {
    const float one = first[i], other = second[i];
    first[i] = mixed(one, other);
    second[i] = mixed(other, one);
  }
}

void mirror_samples(const MixPlan& plan, const SampleShape& shape, std::size_t count,
                    std::byte* samples) {
  const std::size_t bytes = shape.bytes();
  const Shares shares{plan.share, static_cast<float>(1.0 - static_cast<double>(plan.share))};
  std::vector<std::byte> kept;
  for (std::size_t i = 0; i < count / 2; ++i) {
    std::byte* const first = samples + i * bytes;
    std::byte* const second = samples + (count - 1 - i) * bytes;
    if (plan.kind == Mix::Kind::kMixUp) {
      if (plan.share != 1)
        blend_pair(shares, bytes, reinterpret_cast<std::uint8_t*>(first),
                   reinterpret_cast<std::uint8_t*>(second));
      continue;
    }
    kept.assign(first, first + bytes);
    cut_sample(plan, shape, second, first);
    cut_sample(plan, shape, kept.data(), second);
  }
}

base::Result<std::vector<float>> mirror_labels(const MixPlan& plan, std::int64_t classes,
                                               std::span<const std::int64_t> labels) {
  const auto columns = static_cast<std::size_t>(classes);
  if (labels.size() % 2 != 0)
    return base::fail(base::ErrorCode::kInvalid,
                      "a batch of " + std::to_string(labels.size()) +
                          " samples cannot be mixed in pairs; their number must be even");
  const double off_value = plan.smoothing / static_cast<double>(classes);
  const auto off = static_cast<float>(off_value);
  const auto on = static_cast<float>(1.0 - plan.smoothing + off_value);
  const auto own = static_cast<float>(plan.kept), other = static_cast<float>(1.0 - plan.kept);
  const auto shares = [&](float first, float second) {
    const float from_own = first * own;
    const float from_other = second * other;
    return from_own + from_other;
  };
  std::vector<float> out(labels.size() * columns, shares(off, off));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t label = labels[i], opposite = labels[labels.size() - 1 - i];
    if (label < 0 || label >= classes)
      return base::fail(base::ErrorCode::kInvalid,
                        "label " + std::to_string(label) + " is none of the " +
                            std::to_string(classes) + " classes that labels are mixed over");
    if (opposite < 0 || opposite >= classes) continue;  // said at its own turn
    float* const row = out.data() + i * columns;
    row[label] = shares(on, label == opposite ? on : off);
    if (label != opposite) row[opposite] = shares(off, on);
  }
  return out;
}

base::Result<void> check_mirror(const MirrorMix& mix, NumberType type) {
  const auto wrong = [](const std::string& what) {
    return base::fail(base::ErrorCode::kInvalid, "mix: timm: " + what);
  };
  const auto share = [](double value) { return value >= 0 && value <= 1; };
  const auto alpha = [](double value) { return value >= 0 && value <= kMostAlpha; };
  if (type != NumberType::kUint8) return wrong("it is of uint8 numbers alone");
  if (!alpha(mix.mixup_alpha) || !alpha(mix.cutmix_alpha) ||
      mix.mixup_alpha + mix.cutmix_alpha <= 0)
    return wrong("mixup_alpha and cutmix_alpha must be 0 to 1e6, and not both 0");
  if (!share(mix.probability) || !share(mix.switch_probability) || !share(mix.smoothing))
    return wrong("p, switch_p and smoothing must be 0 to 1");
  return {};
}

}  // namespace

float drawn_share(DrawStream& stream, double alpha) {
  const double first = log_gamma_number(stream, alpha);
  const double second = log_gamma_number(stream, alpha);
  return static_cast<float>(1 / (1 + std::exp(second - first)));
}

MixPlan draw_mix(const MixOptions& options, int width, int height, DrawStream stream) {
  if (options.mirror) return draw_mirror_mix(*options.mirror, width, height, stream);
  const Mix& mix = options.kinds[stream.below(static_cast<std::uint32_t>(options.kinds.size()))];
  const float share = drawn_share(stream, mix.alpha);
  if (mix.kind == Mix::Kind::kMixUp)
    return {.kind = mix.kind, .share = share, .kept = static_cast<double>(share)};
  const auto x = static_cast<int>(stream.below(static_cast<std::uint32_t>(width)));
  const auto y = static_cast<int>(stream.below(static_cast<std::uint32_t>(height)));
  const double side = 0.5 * std::sqrt(1.0 - static_cast<double>(share));
  const auto half_width = static_cast<int>(side * width);
  const auto half_height = static_cast<int>(side * height);
  const int left = std::max(x - half_width, 0), right = std::min(x + half_width, width);
  const int top = std::max(y - half_height, 0), bottom = std::min(y + half_height, height);
  const double cut = static_cast<double>(right - left) * (bottom - top);
  return {.kind = mix.kind,
          .box = {left, top, right - left, bottom - top},
          .kept = 1.0 - cut / (static_cast<double>(width) * height)};
}

void mix_samples(const MixPlan& plan, const SampleShape& shape, std::size_t count,
                 std::byte* samples) {
  if (count == 0) return;
  if (plan.mirrored) return mirror_samples(plan, shape, count, samples);
  const std::size_t bytes = shape.bytes();
  // From the last one down, so that the sample before is still what it was; the first needs the
  // last.
  const std::vector<std::byte> last(samples + (count - 1) * bytes, samples + count * bytes);
  for (std::size_t i = count; i-- > 0;) {
    const std::byte* const other = i == 0 ? last.data() : samples + (i - 1) * bytes;
    std::byte* const own = samples + i * bytes;
    if (plan.kind == Mix::Kind::kCutMix)
      cut_sample(plan, shape, other, own);
    else
      blend_sample(plan, shape, other, own);
  }
}

base::Result<std::vector<float>> mix_labels(const MixPlan& plan, std::int64_t classes,
                                            std::span<const std::int64_t> labels) {
  if (plan.mirrored) return mirror_labels(plan, classes, labels);
  const auto columns = static_cast<std::size_t>(classes);
  std::vector<float> out(labels.size() * columns);
  const auto own = static_cast<float>(plan.kept), other = static_cast<float>(1.0 - plan.kept);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t label = labels[i];
    if (label < 0 || label >= classes) {
      return base::fail(base::ErrorCode::kInvalid,
                        "label " + std::to_string(label) + " is none of the " +
                            std::to_string(classes) + " classes that labels are mixed over");
    }
    const std::int64_t before = labels[i == 0 ? labels.size() - 1 : i - 1];
    if (before < 0 || before >= classes) continue;  // said at its own turn
    out[i * columns + static_cast<std::size_t>(before)] += other;
    out[i * columns + static_cast<std::size_t>(label)] += own;
  }
  return out;
}

base::Result<void> check(const MixOptions& options, NumberType type) {
  const auto wrong = [](const std::string& what) {
    return base::fail(base::ErrorCode::kInvalid, "mix: " + what);
  };
  if (!options.mixes()) return {};
  if (options.classes < 1 || options.classes > kMostClasses)
    return wrong("the number of classes is " + std::to_string(options.classes) +
                 "; it must be 1 to " + std::to_string(kMostClasses));
  if (options.mirror && !options.kinds.empty()) return wrong("timm stands alone");
  if (options.mirror) return check_mirror(*options.mirror, type);
  for (const Mix& mix : options.kinds) {
    if (!(mix.alpha > 0 && mix.alpha <= kMostAlpha))
      return wrong("alpha is " + std::to_string(mix.alpha) + "; it must be above 0, at most 1e6");
    if (mix.kind == Mix::Kind::kMixUp && type == NumberType::kUint8)
      return wrong("mixup of uint8 numbers cannot be; choose a float type");
  }
  return {};
}

}  // namespace flatout::data
