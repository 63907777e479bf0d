// One sample of a source as shards of a kind hold it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "data/decode/image_decoder.h"
#include "data/decode/scratch_bytes.h"
#include "data/source/shard_layout.h"
#include "data/source/source.h"
#include "data/transform/resample/resampler.h"

namespace flatout::data {

struct SampleForm {
  ShardKind kind = ShardKind::kOriginal;
  int size = 256;    // of the shorter side; a smaller picture stays as it is
  int quality = 90;  // of kJpeg
};

struct PackedSample {
  std::vector<std::byte> bytes;
  std::uint32_t width = 0;  // of kRaw, else 0
  std::uint32_t height = 0;
};

// One thread; keeps its memory from sample to sample.
//
// kOriginal: the bytes as they are, looked at no further. kJpeg and kRaw: decoded whole, resized as
// torchvision's Resize(size) does it, bilinear with antialiasing (Pillow 13's to the last bit), and
// encoded. Where a JPEG file is not larger than `size` and its own bytes are fewer, kJpeg keeps
// these. Errors name the sample: what the source and the decoder say.
class SamplePacker {
 public:
  explicit SamplePacker(const SampleForm& form);

  base::Result<PackedSample> make(const Source& source, std::int64_t index);

 private:
  base::Result<PackedSample> recode(std::span<const std::byte> file);
  base::Result<PixelView> resized(std::span<const std::byte> file, bool& shrunk);
  PixelView shrink(const PixelView& pixels, int width, int height);

  SampleForm form_;
  ReadBuffer buffer_;
  ImageDecoder decoder_;
  transform::Resampler resampler_;
  ScratchBytes pixels_;
};

}  // namespace flatout::data
