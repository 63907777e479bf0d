// Any text as the description of a loader, after two bytes that are the size of a picture. A chain
// that it makes plans a box within the picture and writes its sample, and nothing else.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "data/draws.h"
#include "data/spec/loader_spec.h"
#include "data/transform/chain.h"

namespace {

using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file

constexpr std::size_t kLargestSample = 1 << 18;  // larger ones are right as well, and slow

bool is_within(const Box& box, int width, int height) {
  return box.left >= 0 && box.top >= 0 && box.width > 0 && box.height > 0 &&
         box.left <= width - box.width && box.top <= height - box.height;
}

void make_sample(const transform::Chain& chain, int channels, int width, int height,
                 const Draws& draws) {
  const auto plan = chain.plan(width, height, draws);
  if (!plan) return;
  if (!is_within(plan->source, width, height)) std::abort();
  if (plan->picture.kept_pixels() > std::int64_t{kLargestSample}) return;
  const auto stride =
      static_cast<std::size_t>(plan->source.width) * static_cast<std::size_t>(channels);
  // Exactly as large as they must be, so that a sanitizer sees every byte beyond.
  const std::vector<std::uint8_t> pixels(stride * static_cast<std::size_t>(plan->source.height),
                                         77);
  std::vector<std::byte> sample(chain.shape().bytes());
  const PixelView view{.data = pixels.data(),
                       .width = plan->source.width,
                       .height = plan->source.height,
                       .channels = channels,
                       .stride = static_cast<std::ptrdiff_t>(stride)};
  transform::Scratch scratch;
  if (!chain.write(view, *plan, scratch, sample.data())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto spec = spec::read_loader_spec(text);
  if (!spec) return 0;
  const auto chain = transform::Chain::make(spec->chain);
  if (!chain || chain->shape().bytes() > kLargestSample) return 0;
  for (std::uint64_t sample = 0; sample < 3; ++sample) {
    make_sample(*chain, spec->chain.channels, 1 + data[0], 1 + data[1],
                Draws(spec->order.seed, 1, sample));
  }
  return 0;
}
