#include "data/feed/image_maker.h"

#include <cstring>
#include <string>
#include <utility>

#include "data/decode/luma.h"

namespace flatout::data {
namespace {

PixelView part_of(const cache::KeptSample& kept, const Box& box) {
  const std::ptrdiff_t row = std::ptrdiff_t{kept.pixels.width} * kept.channels;
  return {.data = reinterpret_cast<const std::uint8_t*>(kept.data) + row * box.top +
                  std::ptrdiff_t{kept.channels} * box.left,
          .width = box.width,
          .height = box.height,
          .channels = kept.channels,
          .stride = row};
}

}  // namespace

ImageMaker::ImageMaker(std::shared_ptr<const ImageRecipe> recipe)
    : recipe_(std::move(recipe)), decoder_(recipe_->decoding) {}

base::Result<void> ImageMaker::make(std::int64_t index, std::uint32_t epoch,
                                    std::span<std::byte> out, StageTimes& times) {
  clock_.begin();
  const Source& source = *recipe_->source;
  const std::string number = "sample " + std::to_string(index) + ": ";
  const Draws draws(recipe_->seed, epoch, static_cast<std::uint64_t>(index));
  if (const auto size = source.raw_size(index)) {
    auto made = read_and_transform(index, *size, draws, out.data(), times);
    if (!made) return base::fail(made.error().code, number + made.error().message);
    return {};
  }
  const cache::SampleMemory::Reading reading(recipe_->memory.get());
  const auto* kept = recipe_->pictures ? recipe_->pictures->find(index) : nullptr;
  base::Result<void> done;
  if (kept != nullptr) {
    clock_.into(&StageSums::read, times);
    done = transform_kept(*kept, draws, out.data(), times);
  } else {
    const auto file = source.read(index, buffer_);
    clock_.into(&StageSums::read, times);
    if (!file) return base::fail(file.error().code, number + file.error().message);
    done = decode_and_transform(index, *file, draws, out.data(), times);
  }
  if (!done)
    return base::fail(done.error().code, number + source.name(index) + ": " + done.error().message);
  return {};
}

base::Result<void> ImageMaker::decode_and_transform(std::int64_t index,
                                                    std::span<const std::byte> file,
                                                    const Draws& draws, std::byte* out,
                                                    StageTimes& times) {
  const auto size = decoder_.open(file);
  if (!size) return std::unexpected(size.error());
  const transform::Chain& chain = recipe_->chain;
  auto plan = chain.plan(size->width, size->height, draws);
  if (!plan) return std::unexpected(plan.error());
  int scale_denom = 1;
  if (decoder_.can_scale()) {
    const ImageSize from_end = decoder_.from_end();
    scale_denom = transform::Chain::take_scaled(*plan, {from_end.width, from_end.height});
  }
  const auto pixels = decode(index, *size, plan->source, scale_denom);
  clock_.into(&StageSums::decode, times);
  if (!pixels) return std::unexpected(pixels.error());
  auto written = chain.write(*pixels, *plan, scratch_, out);
  clock_.into(&StageSums::transform, times);
  return written;
}

// What the crop needs; the whole picture where there is room to keep it. One that cannot be decoded
// as a whole may still have the crop.
base::Result<PixelView> ImageMaker::decode(std::int64_t index, const ImageSize& size,
                                           const Box& box, int scale_denom) {
  const int channels = recipe_->chain.shape().channels;
  cache::SampleMemory* const pictures = recipe_->pictures.get();
  const auto row = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels);
  cache::KeptSample* const place =
      pictures == nullptr ? nullptr
                          : pictures->begin(index, row * static_cast<std::size_t>(size.height));
  if (place == nullptr) return decoder_.decode(box, channels, scale_denom);
  const auto whole = decoder_.decode({0, 0, size.width, size.height}, channels);
  if (!whole) return decoder_.decode(box, channels, scale_denom);
  for (int y = 0; y < size.height; ++y)
    std::memcpy(place->data + row * static_cast<std::size_t>(y), whole->row(y), row);
  place->pixels = {size.width, size.height};
  place->channels = channels;
  pictures->finish(index, place);
  return part_of(*place, box);
}

base::Result<void> ImageMaker::transform_kept(const cache::KeptSample& kept, const Draws& draws,
                                              std::byte* out, StageTimes& times) {
  const transform::Chain& chain = recipe_->chain;
  const auto plan = chain.plan(kept.pixels.width, kept.pixels.height, draws);
  if (!plan) return std::unexpected(plan.error());
  auto written = chain.write(part_of(kept, plan->source), *plan, scratch_, out);
  clock_.into(&StageSums::transform, times);
  return written;
}

base::Result<void> ImageMaker::read_and_transform(std::int64_t index, const PixelSize& size,
                                                  const Draws& draws, std::byte* out,
                                                  StageTimes& times) {
  const transform::Chain& chain = recipe_->chain;
  const auto plan = chain.plan(size.width, size.height, draws);
  if (!plan) {
    return base::fail(plan.error().code,
                      recipe_->source->name(index) + ": " + plan.error().message);
  }
  const Box& box = plan->source;
  const auto rows = recipe_->source->read_rows(index, box.top, box.height, buffer_);
  clock_.into(&StageSums::read, times);
  if (!rows) return std::unexpected(rows.error());
  PixelView pixels = *rows;
  pixels.data += std::ptrdiff_t{3} * box.left;
  pixels.width = box.width;
  if (chain.shape().channels == 1) pixels = to_grey(pixels, grey_);
  auto written = chain.write(pixels, *plan, scratch_, out);
  clock_.into(&StageSums::transform, times);
  return written;
}

}  // namespace flatout::data
