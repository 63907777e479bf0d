#include "data/open/device_layout.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "data/open/open_loader.h"

namespace flatout::data {

std::size_t label_bytes(const OpenLoader& open) {
  return !open.mix.mixes() ? sizeof(std::int64_t)
                           : static_cast<std::size_t>(open.mix.classes) * sizeof(float);
}

std::vector<device::Piece> place_pictures(const OpenLoader& open, ReadyBatch& batch) {
  const auto count = static_cast<std::int64_t>(batch.made.indices.size());
  const std::size_t pixels = batch.made.indices.size() * open.device->sample_bytes;
  const std::size_t numbers = batch.made.indices.size() * open.sample_bytes;
  const std::array<std::int64_t, 3> axes = open.recipe->chain.shape().axes();
  batch.device_arrays = {
      {"images", transform::name_of(open.spec.chain.type), 0, {count, axes[0], axes[1], axes[2]}}};
  // The labels go along, behind the pixels.
  const bool mixed = !batch.targets.empty();
  const std::size_t labels = batch.made.indices.size() * label_bytes(open);
  const std::size_t from = aligned_array(pixels);
  const void* const told = batch.labels.data();
  std::memcpy(batch.made.memory.get() + from, mixed ? batch.targets.data() : told, labels);
  DeviceArray what{"labels", "int64", aligned_on_device(numbers), {count}};
  if (mixed) what = {"targets", "float32", what.begin, {count, batch.classes}};
  batch.device_arrays.push_back(what);
  return {{.from = 0, .to = 0, .bytes = pixels, .pixels = open.device->makes_numbers},
          {.from = from, .to = what.begin, .bytes = labels}};
}

std::vector<device::Piece> place_arrays(ReadyBatch& batch) {
  std::vector<device::Piece> out;
  std::size_t from = 0;
  std::size_t to = 0;
  for (const ArrayPart& part : batch.arrays) {
    const std::size_t bytes = batch.made.indices.size() * part.bytes();
    out.push_back({.from = from, .to = to, .bytes = bytes});
    DeviceArray array{part.name, name_of(part.type), to, {std::ssize(batch.made.indices)}};
    array.shape.insert(array.shape.end(), part.shape.begin(), part.shape.end());
    batch.device_arrays.push_back(std::move(array));
    from = aligned_array(from + bytes);
    to = aligned_on_device(to + bytes);
  }
  return out;
}

}  // namespace flatout::data
