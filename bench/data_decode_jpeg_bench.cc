// Decoding of JPEG files of ImageNet's mean size (about 500 x 400 pixels, 4:2:0, 4.6 bits a pixel),
// our decoder beside libjpeg-turbo: whole images, also at parts of their size, random crops, and
// Huffman decoding alone. What is
// beside each other should run so too:
//   data_decode_jpeg_bench --benchmark_enable_random_interleaving=true --benchmark_repetitions=9
//   --benchmark_report_aggregates_only=true
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "data/decode/jpeg/decoder.h"
#include "data/decode/jpeg/jpeg_for_test.h"
#include "turbo_object.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr int kWidth = 500;
constexpr int kHeight = 394;
constexpr int kFiles = 24;  // 2.7 MB: beyond the second cache, as files that were just read are

// Noise between lattice points `grain` pixels apart: what photographs have of every scale, more of
// the larger ones.
class Grain {
 public:
  Grain(int grain, TestRandom& random)
      : grain_(grain), columns_(static_cast<std::size_t>(kWidth / grain + 2)) {
    points_.resize(columns_ * static_cast<std::size_t>(kHeight / grain + 2));
    for (double& point : points_) point = random.below(2001) / 1000.0 - 1;
  }
  double at(int x, int y) const {
    const double fx = x % grain_ / static_cast<double>(grain_);
    const double fy = y % grain_ / static_cast<double>(grain_);
    const std::size_t i =
        static_cast<std::size_t>(y / grain_) * columns_ + static_cast<std::size_t>(x / grain_);
    const std::size_t below = i + columns_;
    return (points_[i] * (1 - fx) + points_[i + 1] * fx) * (1 - fy) +
           (points_[below] * (1 - fx) + points_[below + 1] * fx) * fy;
  }

 private:
  int grain_;
  std::size_t columns_;
  std::vector<double> points_;
};

std::vector<std::uint8_t> picture(std::uint64_t seed) {
  TestRandom random(seed);
  std::vector<Grain> grains;
  for (int grain = 1; grain <= 64; grain *= 2) grains.emplace_back(grain, random);
  const Grain tint(48, random);
  const int disc_x = random.below(kWidth);
  const int disc_y = random.below(kHeight);
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      double light = 120 + (std::hypot(x - disc_x, y - disc_y) < 110 ? 45 : 0) +
                     ((x + y / 3) / 90 % 2 == 0 ? -15 : 15);
      double amplitude = 24;
      for (const Grain& grain : grains) {
        light += amplitude * grain.at(x, y);
        amplitude *= 1.12;
      }
      const double colour = 40 * tint.at(x, y);
      for (const double offset : {colour, -0.3 * colour, -colour}) {
        pixels.push_back(static_cast<std::uint8_t>(std::clamp(light + offset, 0.0, 255.0)));
      }
    }
  }
  return pixels;
}

struct Sample {
  std::vector<std::byte> file;
  Box crop;
};

// A crop as torchvision's RandomResizedCrop draws it: 8 to 100 % of the area, 3:4 to 4:3.
Box crop(TestRandom& random) {
  for (;;) {
    const double area = (0.08 + 0.92 * random.below(1000) / 1000.0) * kWidth * kHeight;
    const double ratio = std::exp((random.below(2001) / 1000.0 - 1) * std::log(4.0 / 3));
    const int width = static_cast<int>(std::lround(std::sqrt(area * ratio)));
    const int height = static_cast<int>(std::lround(std::sqrt(area / ratio)));
    if (width > kWidth || height > kHeight) continue;
    return {random.below(kWidth - width + 1), random.below(kHeight - height + 1), width, height};
  }
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> made;
    TestRandom random(5);
    for (int i = 0; i < kFiles; ++i) {
      made.push_back({make_jpeg({.width = kWidth,
                                 .height = kHeight,
                                 .quality = 92,
                                 .pixels = picture(random.next())}),
                      crop(random)});
    }
    return made;
  }();
  return all;
}

// libjpeg-turbo as a loader would use it: one object a thread.
class Turbo : TurboObject {
 public:
  void whole(const std::vector<std::byte>& file, unsigned scale_denom = 1) {
    begin(file);
    jpeg_.scale_denom = scale_denom;
    jpeg_start_decompress(&jpeg_);
    rows_until(jpeg_.output_height);
    jpeg_finish_decompress(&jpeg_);
  }

  void crop(const std::vector<std::byte>& file, const Box& box) {
    begin(file);
    jpeg_start_decompress(&jpeg_);
    auto left = static_cast<JDIMENSION>(box.left);
    auto width = static_cast<JDIMENSION>(box.width);
    jpeg_crop_scanline(&jpeg_, &left, &width);
    jpeg_skip_scanlines(&jpeg_, static_cast<JDIMENSION>(box.top));
    rows_until(static_cast<JDIMENSION>(box.top + box.height));
    jpeg_abort_decompress(&jpeg_);
  }

  void coefficients(const std::vector<std::byte>& file) {
    begin(file);
    benchmark::DoNotOptimize(jpeg_read_coefficients(&jpeg_));
    jpeg_finish_decompress(&jpeg_);
  }

 private:
  void begin(const std::vector<std::byte>& file) {
    jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_read_header(&jpeg_, TRUE);
  }

  void rows_until(JDIMENSION end) {
    const std::size_t stride = std::size_t{3} * jpeg_.output_width;
    pixels_.resize(stride * jpeg_.output_height);
    while (jpeg_.output_scanline < end) {
      JSAMPROW rows[4];
      JDIMENSION count = 0;
      for (; count < 4 && jpeg_.output_scanline + count < end; ++count)
        rows[count] = pixels_.data() + stride * (jpeg_.output_scanline + count);
      jpeg_read_scanlines(&jpeg_, rows, count);
    }
    benchmark::DoNotOptimize(pixels_.data());
  }
};

// Times `decode` over all files in turn. Figures are of whole images: pixels of the file, whatever
// is made of them.
template <typename Decode>
void run(benchmark::State& state, Decode decode) {
  const auto& all = samples();
  std::size_t next = 0;
  for (auto _ : state) decode(all[next++ % all.size()]);
  double bytes = 0;
  for (const Sample& sample : all) bytes += static_cast<double>(sample.file.size());
  const double images = static_cast<double>(state.iterations());
  state.counters["images/s"] = benchmark::Counter(images, benchmark::Counter::kIsRate);
  state.counters["MPix/s"] =
      benchmark::Counter(images * kWidth * kHeight / 1e6, benchmark::Counter::kIsRate);
  state.counters["bits/px"] = bytes * 8 / kFiles / (kWidth * kHeight);
}

void own_box(JpegDecoder& decoder, const Sample& sample, const Box& box, int scale_denom = 1) {
  const auto info = decoder.open(sample.file);
  const auto view = decoder.decode(box, JpegColour::kRgb, scale_denom);
  if (!view || !decoder.was_own()) std::abort();
  benchmark::DoNotOptimize(view->data);
}

void whole_own(benchmark::State& state) {
  JpegDecoder decoder;
  run(state, [&](const Sample& sample) { own_box(decoder, sample, {0, 0, kWidth, kHeight}); });
}
void whole_turbo(benchmark::State& state) {
  Turbo turbo;
  run(state, [&](const Sample& sample) { turbo.whole(sample.file); });
}
// At 1/range(0) of the size.
void scaled_own(benchmark::State& state) {
  JpegDecoder decoder;
  const int denom = static_cast<int>(state.range(0));
  const Box box = {0, 0, scaled_side(kWidth, denom), scaled_side(kHeight, denom)};
  run(state, [&](const Sample& sample) { own_box(decoder, sample, box, denom); });
}
void scaled_turbo(benchmark::State& state) {
  Turbo turbo;
  const auto denom = static_cast<unsigned>(state.range(0));
  run(state, [&](const Sample& sample) { turbo.whole(sample.file, denom); });
}
void crop_own(benchmark::State& state) {
  JpegDecoder decoder;
  run(state, [&](const Sample& sample) { own_box(decoder, sample, sample.crop); });
}
void crop_turbo(benchmark::State& state) {
  Turbo turbo;
  run(state, [&](const Sample& sample) { turbo.crop(sample.file, sample.crop); });
}
// The last pixel: all that is before it is passed over. libjpeg-turbo has no way to pass over
// without storing.
void huffman_own(benchmark::State& state) {
  JpegDecoder decoder;
  run(state,
      [&](const Sample& sample) { own_box(decoder, sample, {kWidth - 1, kHeight - 1, 1, 1}); });
}
void huffman_turbo(benchmark::State& state) {
  Turbo turbo;
  run(state, [&](const Sample& sample) { turbo.coefficients(sample.file); });
}

BENCHMARK(whole_own)->Unit(benchmark::kMicrosecond);
BENCHMARK(whole_turbo)->Unit(benchmark::kMicrosecond);
BENCHMARK(scaled_own)->Unit(benchmark::kMicrosecond)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(scaled_turbo)->Unit(benchmark::kMicrosecond)->Arg(2)->Arg(4)->Arg(8);
BENCHMARK(crop_own)->Unit(benchmark::kMicrosecond);
BENCHMARK(crop_turbo)->Unit(benchmark::kMicrosecond);
BENCHMARK(huffman_own)->Unit(benchmark::kMicrosecond);
BENCHMARK(huffman_turbo)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
