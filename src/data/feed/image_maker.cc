#include "data/feed/image_maker.h"

#include <string>
#include <utility>

#include "data/decode/luma.h"

namespace flatout::data {
namespace {

// Adds the time since it was last asked to a stage.
class Lap {
 public:
  void into(base::DurationNs& stage) {
    const base::TimeNs now = base::read_clock_ns(CLOCK_MONOTONIC);
    stage += now - since_;
    since_ = now;
  }

 private:
  base::TimeNs since_ = base::read_clock_ns(CLOCK_MONOTONIC);
};

}  // namespace

ImageMaker::ImageMaker(std::shared_ptr<const ImageRecipe> recipe)
    : recipe_(std::move(recipe)), decoder_(recipe_->decoding) {}

base::Result<void> ImageMaker::make(std::int64_t index, std::uint32_t epoch,
                                    std::span<std::byte> out, StageTimes& times) {
  Lap lap;
  const Source& source = *recipe_->source;
  const std::string number = "sample " + std::to_string(index) + ": ";
  const Draws draws(recipe_->seed, epoch, static_cast<std::uint64_t>(index));
  if (const auto size = source.raw_size(index)) {
    auto made = read_and_transform(index, *size, draws, out.data(), times);
    if (!made) return base::fail(made.error().code, number + made.error().message);
    return {};
  }
  const auto file = source.read(index, buffer_);
  lap.into(times.read);
  if (!file) return base::fail(file.error().code, number + file.error().message);
  auto done = decode_and_transform(*file, draws, out.data(), times);
  if (!done)
    return base::fail(done.error().code, number + source.name(index) + ": " + done.error().message);
  return {};
}

base::Result<void> ImageMaker::decode_and_transform(std::span<const std::byte> file,
                                                    const Draws& draws, std::byte* out,
                                                    StageTimes& times) {
  Lap lap;
  const auto size = decoder_.open(file);
  if (!size) return std::unexpected(size.error());
  const transform::Chain& chain = recipe_->chain;
  const auto plan = chain.plan(size->width, size->height, draws);
  if (!plan) return std::unexpected(plan.error());
  const auto pixels = decoder_.decode(plan->source, chain.shape().channels);
  lap.into(times.decode);
  if (!pixels) return std::unexpected(pixels.error());
  auto written = chain.write(*pixels, *plan, scratch_, out);
  lap.into(times.transform);
  return written;
}

base::Result<void> ImageMaker::read_and_transform(std::int64_t index, const PixelSize& size,
                                                  const Draws& draws, std::byte* out,
                                                  StageTimes& times) {
  Lap lap;
  const transform::Chain& chain = recipe_->chain;
  const auto plan = chain.plan(size.width, size.height, draws);
  if (!plan) {
    return base::fail(plan.error().code,
                      recipe_->source->name(index) + ": " + plan.error().message);
  }
  const Box& box = plan->source;
  const auto rows = recipe_->source->read_rows(index, box.top, box.height, buffer_);
  lap.into(times.read);
  if (!rows) return std::unexpected(rows.error());
  PixelView pixels = *rows;
  pixels.data += std::ptrdiff_t{3} * box.left;
  pixels.width = box.width;
  if (chain.shape().channels == 1) pixels = to_grey(pixels, grey_);
  auto written = chain.write(pixels, *plan, scratch_, out);
  lap.into(times.transform);
  return written;
}

}  // namespace flatout::data
