// From decoded pixels to a sample, without decoding: RandomResizedCrop(224), flip and normalize of
// 500 x 400 pictures, as images a second and thread. Samples are written one after the other into a
// ring of batches as large as a loader's, so that stores meet memory and not the cache.
#include <benchmark/benchmark.h>

#include <vector>

#include "data/instruction_set.h"
#include "data/transform/chain.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
using namespace flatout::data::transform;  // NOLINT(google-build-using-namespace)

constexpr int kWidth = 500;
constexpr int kHeight = 400;
constexpr std::size_t kSamplesInMemory = 128;  // 77 MB of float32

std::vector<std::uint8_t> picture() {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(kWidth) * kHeight * 3);
  DrawStream draw = Draws(1, 1, 1).stream(0);
  for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(draw.bits());
  return pixels;
}

const Kernels& chosen(std::int64_t set) {
#if defined(__x86_64__)
  if (set == 1) return v3::kernels();
#endif
  (void)set;
  return baseline::kernels();
}

bool lacks(benchmark::State& state) {
  if (state.range(0) == 0 || runs_v3()) return false;
  state.SkipWithError("this machine has no AVX2");
  return true;
}

Chain training(NumberType type, Layout layout, Filter filter = Filter::kBilinear) {
  ChainOptions options{
      .steps = {RandomResizedCrop{.size = {224, 224}, .filter = filter}, RandomHorizontalFlip{}},
      .type = type,
      .layout = layout};
  if (type != NumberType::kUint8) {
    for (int channel = 0; channel < 3; ++channel) {
      options.normalization.mean[channel] = 0.45F;
      options.normalization.std[channel] = 0.225F;
    }
  }
  return *Chain::make(options);
}

void run(benchmark::State& state, const Chain& chain) {
  if (lacks(state)) return;
  const auto pixels = picture();
  Scratch scratch(chosen(state.range(0)));
  std::vector<std::byte> memory(chain.shape().bytes() * kSamplesInMemory);
  std::uint64_t sample = 0;
  for (auto _ : state) {
    const auto plan = *chain.plan(kWidth, kHeight, Draws(0, 0, sample));
    const Box& box = plan.source;
    const PixelView view{pixels.data() + (std::ptrdiff_t{box.top} * kWidth + box.left) * 3,
                         box.width, box.height, 3, std::ptrdiff_t{kWidth} * 3};
    (void)chain.write(view, plan, scratch,
                      memory.data() + sample % kSamplesInMemory * chain.shape().bytes());
    ++sample;
  }
  benchmark::DoNotOptimize(memory.data());
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(chosen(state.range(0)).name);
}

void float32_first(benchmark::State& state) {
  run(state, training(NumberType::kFloat32, Layout::kChannelsFirst));
}
void float32_last(benchmark::State& state) {
  run(state, training(NumberType::kFloat32, Layout::kChannelsLast));
}
void bfloat16_first(benchmark::State& state) {
  run(state, training(NumberType::kBfloat16, Layout::kChannelsFirst));
}
void float16_first(benchmark::State& state) {
  run(state, training(NumberType::kFloat16, Layout::kChannelsFirst));
}
void uint8_first(benchmark::State& state) {
  run(state, training(NumberType::kUint8, Layout::kChannelsFirst));
}
void uint8_last(benchmark::State& state) {
  run(state, training(NumberType::kUint8, Layout::kChannelsLast));
}
void bicubic(benchmark::State& state) {
  run(state, training(NumberType::kFloat32, Layout::kChannelsFirst, Filter::kBicubic));
}
BENCHMARK(float32_first)->Arg(0)->Arg(1);
BENCHMARK(float32_last)->Arg(0)->Arg(1);
BENCHMARK(float16_first)->Arg(0)->Arg(1);
BENCHMARK(bfloat16_first)->Arg(0)->Arg(1);
BENCHMARK(uint8_first)->Arg(0)->Arg(1);
BENCHMARK(uint8_last)->Arg(0)->Arg(1);
BENCHMARK(bicubic)->Arg(0)->Arg(1);

// One change of colours on top of float32_first.
void changed(benchmark::State& state, const Step& step) {
  run(state, *Chain::make(
                 {.steps = {RandomResizedCrop{.size = {224, 224}}, RandomHorizontalFlip{}, step}}));
}
void brightness(benchmark::State& state) { changed(state, ColorJitter{.brightness = {0.6, 1.4}}); }
void contrast(benchmark::State& state) { changed(state, ColorJitter{.contrast = {0.6, 1.4}}); }
void saturation(benchmark::State& state) { changed(state, ColorJitter{.saturation = {0.6, 1.4}}); }
void hue(benchmark::State& state) { changed(state, ColorJitter{.hue = {-0.1, 0.1}}); }
void erasing_noise(benchmark::State& state) {
  changed(state, RandomErasing{.probability = 1, .noise = true});
}
BENCHMARK(brightness)->Arg(0)->Arg(1);
BENCHMARK(contrast)->Arg(0)->Arg(1);
BENCHMARK(saturation)->Arg(0)->Arg(1);
BENCHMARK(hue)->Arg(0)->Arg(1);
BENCHMARK(erasing_noise)->Arg(1);

// Where the time of float32_first goes, over the same plans.

void plan_alone(benchmark::State& state) {
  const Chain chain = training(NumberType::kFloat32, Layout::kChannelsFirst);
  std::uint64_t sample = 0;
  for (auto _ : state) benchmark::DoNotOptimize(chain.plan(kWidth, kHeight, Draws(0, 0, sample++)));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plan_alone);

void weights_alone(benchmark::State& state) {
  const Chain chain = training(NumberType::kFloat32, Layout::kChannelsFirst);
  LinePlan line;
  ColumnPlan column;
  std::uint64_t sample = 0;
  for (auto _ : state) {
    const auto plan = *chain.plan(kWidth, kHeight, Draws(0, 0, sample++));
    line.build(plan.picture.x, 3);
    column.build(plan.picture.y);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(weights_alone);

// Everything but the writing of numbers.
void rows_alone(benchmark::State& state) {
  if (lacks(state)) return;
  const Chain chain = training(NumberType::kFloat32, Layout::kChannelsFirst);
  const auto pixels = picture();
  Resampler rows(chosen(state.range(0)));
  std::uint64_t sample = 0;
  for (auto _ : state) {
    const auto plan = *chain.plan(kWidth, kHeight, Draws(0, 0, sample++));
    const Box& box = plan.source;
    rows.begin(plan.picture.x, plan.picture.y, plan.order,
               {pixels.data() + (std::ptrdiff_t{box.top} * kWidth + box.left) * 3, box.width,
                box.height, 3, std::ptrdiff_t{kWidth} * 3});
    for (int turn = 0; turn < rows.height(); ++turn) benchmark::DoNotOptimize(rows.row(turn));
  }
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(chosen(state.range(0)).name);
}
BENCHMARK(rows_alone)->Arg(0)->Arg(1);

// Only the writing of numbers.
void write_alone(benchmark::State& state) {
  if (lacks(state)) return;
  const SampleShape shape{224, 224, 3, NumberType::kFloat32, Layout::kChannelsFirst};
  const auto values = *levels({{0.45F, 0.45F, 0.45F}, {0.225F, 0.225F, 0.225F}}, shape.type);
  const auto pixels = picture();
  std::vector<std::byte> memory(shape.bytes() * kSamplesInMemory);
  std::size_t sample = 0;
  for (auto _ : state) {
    std::byte* const out = memory.data() + sample++ % kSamplesInMemory * shape.bytes();
    for (int row = 0; row < shape.height; ++row) {
      write_row(chosen(state.range(0)), shape, values, row,
                pixels.data() + std::ptrdiff_t{row} * 672, 224, out);
    }
  }
  benchmark::DoNotOptimize(memory.data());
  state.SetItemsProcessed(state.iterations());
  state.SetLabel(chosen(state.range(0)).name);
}
BENCHMARK(write_alone)->Arg(0)->Arg(1);

}  // namespace

BENCHMARK_MAIN();
