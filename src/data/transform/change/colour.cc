#include "data/transform/change/colour.h"

#include <algorithm>
#include <array>
#include <optional>

#include "data/transform/change/blend.h"

namespace flatout::data::transform {
namespace {

// Rounded half up, as ImageEnhance.Contrast does it.
std::uint8_t mean_luma(const Kernels& kernels, const PlanarPixels& pixels) {
  std::uint64_t sum = 0;
  for (int y = 0; y < pixels.height; ++y)
    sum += kernels.luma_sum(pixels.row(y), pixels.plane, pixels.channels, pixels.width);
  const double count = static_cast<double>(pixels.width) * pixels.height;
  const double half_up = static_cast<double>(sum) / count + 0.5;
  return static_cast<std::uint8_t>(half_up);
}

// What each value of a channel becomes, and how often each is there.
using Table = std::array<std::uint8_t, 256>;
using Histogram = std::array<std::int64_t, 256>;

template <class Value>
Table table_of(Value value) {
  Table out;
  for (int i = 0; i < 256; ++i)
    out[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value(i));
  return out;
}

// All channels by one table: rows lie without gaps, and what is beyond their width may be anything.
void look_up_all(const Table& table, const Kernels& kernels, const PlanarPixels& pixels) {
  kernels.look_up(table.data(), pixels.data, pixels.row_bytes() * pixels.height);
}

void look_up_channel(const Table& table, int channel, const Kernels& kernels,
                     const PlanarPixels& pixels) {
  for (int y = 0; y < pixels.height; ++y)
    kernels.look_up(table.data(), pixels.row(y) + channel * pixels.plane, pixels.plane);
}

// Image.blend with a picture of one value: every value between `from` and itself, or beyond.
Table blended(std::uint8_t from, float factor) {
  return table_of([=](int value) { return blend(from, value, factor); });
}

Histogram histogram_of(int channel, const PlanarPixels& pixels) {
  Histogram out{};
  for (int y = 0; y < pixels.height; ++y) {
    const std::uint8_t* const row = pixels.row(y) + channel * pixels.plane;
    for (int x = 0; x < pixels.width; ++x) ++out[row[x]];
  }
  return out;
}

int identity(int value) { return value; }

Table auto_contrast(const Histogram& histogram) {
  const auto there = [](std::int64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(histogram, there) - histogram.begin();
  const auto behind = std::find_if(histogram.rbegin(), histogram.rend(), there);
  const auto last = histogram.rend() - behind - 1;
  if (last <= first) return table_of(identity);
  const double scale = 255.0 / static_cast<double>(last - first);
  const double offset = static_cast<double>(-first) * scale;
  return table_of([&](int value) {
    const double product = value * scale;
    return std::clamp(static_cast<int>(product + offset), 0, 255);
  });
}

Table equalized(const Histogram& histogram) {
  std::int64_t sum = 0, last = 0, values = 0;
  for (const std::int64_t count : histogram) {
    sum += count;
    if (count > 0) {
      last = count;
      ++values;
    }
  }
  const std::int64_t step = (sum - last) / 255;
  if (values <= 1 || step == 0) return table_of(identity);
  std::int64_t before = step / 2;
  return table_of([&](int value) {
    const std::int64_t out = std::min<std::int64_t>(before / step, 255);
    before += histogram[static_cast<std::size_t>(value)];
    return static_cast<int>(out);
  });
}

// Of the changes that treat all channels alike.
std::optional<Table> table_of_all(const ColourChange& change, const Kernels& kernels,
                                  const PlanarPixels& pixels) {
  using enum ColourChange::Kind;
  if (change.kind == kBrightness) return blended(0, change.factor);
  if (change.kind == kContrast) return blended(mean_luma(kernels, pixels), change.factor);
  if (change.kind == kInvert) return table_of([](int value) { return 255 - value; });
  if (change.kind == kPosterize) {
    const int kept = 0xFF << (8 - static_cast<int>(change.factor));
    return table_of([kept](int value) { return value & kept; });
  }
  if (change.kind == kSolarizeAdd) {
    const int more = static_cast<int>(change.factor);
    return table_of(
        [more](int value) { return value < 128 ? std::min(255, value + more) : value; });
  }
  if (change.kind != kSolarize) return std::nullopt;
  const float bound = change.factor;
  return table_of(
      [bound](int value) { return static_cast<float>(value) < bound ? value : 255 - value; });
}

}  // namespace

void change_colours(const ColourChange& change, const Kernels& kernels,
                    const PlanarPixels& pixels) {
  using enum ColourChange::Kind;
  if (const auto table = table_of_all(change, kernels, pixels))
    return look_up_all(*table, kernels, pixels);
  if (change.kind == kEqualize || change.kind == kAutoContrast) {
    for (int channel = 0; channel < pixels.channels; ++channel) {
      const Histogram histogram = histogram_of(channel, pixels);
      const Table table =
          change.kind == kEqualize ? equalized(histogram) : auto_contrast(histogram);
      look_up_channel(table, channel, kernels, pixels);
    }
    return;
  }
  if (pixels.channels == 1) return;
  // torchvision's np.int32(factor * 255).astype(np.uint8)
  const auto turn =
      static_cast<std::uint8_t>(static_cast<int>(static_cast<double>(change.factor) * 255));
  for (int y = 0; y < pixels.height; ++y) {
    std::uint8_t* const row = pixels.row(y);
    if (change.kind == kSaturation)
      kernels.saturate(row, pixels.plane, pixels.width, change.factor);
    if (change.kind == kHue) kernels.turn_hue(row, pixels.plane, pixels.width, turn);
    if (change.kind == kGrey) kernels.grey(row, pixels.plane, pixels.width);
  }
}

}  // namespace flatout::data::transform
