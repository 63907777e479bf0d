#include "data/decode/jpeg/jpeg_for_test.h"

// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <cstring>

namespace flatout::data {
namespace {

struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf leave;
};

void on_error(j_common_ptr jpeg) { std::longjmp(reinterpret_cast<Errors*>(jpeg->err)->leave, 1); }
void on_message(j_common_ptr, int) {}
void on_begin(j_decompress_ptr) {}
boolean on_empty(j_decompress_ptr jpeg) {
  on_error(reinterpret_cast<j_common_ptr>(jpeg));
  return FALSE;
}
void on_skip(j_decompress_ptr jpeg, long count) {
  if (count <= 0) return;
  if (static_cast<std::size_t>(count) > jpeg->src->bytes_in_buffer) on_empty(jpeg);
  jpeg->src->next_input_byte += count;
  jpeg->src->bytes_in_buffer -= static_cast<std::size_t>(count);
}

// Waves of several lengths, an edge, and noise: something of every frequency.
std::uint8_t sample(const JpegRecipe& recipe, int x, int y, int channel, TestRandom& random) {
  const double wave =
      std::sin(0.05 * x + 0.4 * channel) * 60 + std::cos(0.031 * y + 0.0007 * x * y) * 50;
  const double edge = (x / 23 + y / 17) % 3 == channel % 3 ? 40 : -10;
  const int noise = recipe.noise == 0 ? 0 : random.below(2 * recipe.noise + 1) - recipe.noise;
  return static_cast<std::uint8_t>(std::clamp(static_cast<int>(128 + wave + edge) + noise, 0, 255));
}

struct Spaces {
  J_COLOR_SPACE in;
  J_COLOR_SPACE coded;
  int components;
};

Spaces spaces_of(JpegRecipe::Colour colour) {
  switch (colour) {
    case JpegRecipe::Colour::kGrey:
      return {JCS_GRAYSCALE, JCS_GRAYSCALE, 1};
    case JpegRecipe::Colour::kYcc:
      return {JCS_RGB, JCS_YCbCr, 3};
    case JpegRecipe::Colour::kRgb:
      return {JCS_RGB, JCS_RGB, 3};
    case JpegRecipe::Colour::kCmyk:
      return {JCS_CMYK, JCS_CMYK, 4};
    case JpegRecipe::Colour::kYcck:
      return {JCS_CMYK, JCS_YCCK, 4};
  }
  std::abort();
}

void set_up(jpeg_compress_struct& jpeg, const JpegRecipe& recipe, const Spaces& spaces) {
  jpeg.image_width = static_cast<JDIMENSION>(recipe.width);
  jpeg.image_height = static_cast<JDIMENSION>(recipe.height);
  jpeg.input_components = spaces.components;
  jpeg.in_color_space = spaces.in;
  jpeg_set_defaults(&jpeg);
  jpeg_set_colorspace(&jpeg, spaces.coded);
  jpeg_set_quality(&jpeg, recipe.quality, TRUE);
  for (int i = 0; i < spaces.components; ++i) {
    const bool full = i == 0 || i == 3;
    jpeg.comp_info[i].h_samp_factor = full ? recipe.h : 1;
    jpeg.comp_info[i].v_samp_factor = full ? recipe.v : 1;
  }
  jpeg.restart_interval = static_cast<unsigned>(recipe.restart_interval);
  jpeg.optimize_coding = recipe.optimise ? TRUE : FALSE;
  jpeg.arith_code = recipe.arithmetic ? TRUE : FALSE;
  if (recipe.progressive) jpeg_simple_progression(&jpeg);
}

}  // namespace

std::uint64_t TestRandom::next() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
  return z ^ z >> 31;
}

std::vector<std::byte> make_jpeg(const JpegRecipe& recipe) {
  const Spaces spaces = spaces_of(recipe.colour);
  jpeg_compress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg.err =
      jpeg_std_error(&errors);  // the default ends the program with a message: recipes are ours
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  set_up(jpeg, recipe, spaces);
  jpeg_scan_info scans[4] = {};
  if (recipe.separate_scans) {
    for (int i = 0; i < spaces.components; ++i)
      scans[i] = {.comps_in_scan = 1, .component_index = {i}, .Ss = 0, .Se = 63, .Ah = 0, .Al = 0};
    jpeg.scan_info = scans;
    jpeg.num_scans = spaces.components;
  }
  jpeg_start_compress(&jpeg, TRUE);
  if (!recipe.exif.empty())
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, recipe.exif.data(),
                      static_cast<unsigned>(recipe.exif.size()));
  TestRandom random(recipe.seed);
  std::vector<JSAMPLE> row(static_cast<std::size_t>(recipe.width * spaces.components));
  for (int y = 0; y < recipe.height; ++y) {
    const std::size_t begin = static_cast<std::size_t>(y) * row.size();
    if (!recipe.pixels.empty())
      std::copy_n(recipe.pixels.begin() + static_cast<std::ptrdiff_t>(begin), row.size(),
                  row.begin());
    for (int i = 0; recipe.pixels.empty() && i < recipe.width * spaces.components; ++i) {
      row[static_cast<std::size_t>(i)] =
          sample(recipe, i / spaces.components, y, i % spaces.components, random);
    }
    JSAMPROW rows[1] = {row.data()};
    jpeg_write_scanlines(&jpeg, rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  std::vector<std::byte> file(first, first + size);
  std::free(bytes);
  jpeg_destroy_compress(&jpeg);
  return file;
}

std::optional<Pixels> libjpeg_pixels(const std::vector<std::byte>& file, int scale_denom) {
  jpeg_decompress_struct jpeg = {};
  Errors errors = {};
  Pixels pixels;
  jpeg_source_mgr source = {.next_input_byte = reinterpret_cast<const JOCTET*>(file.data()),
                            .bytes_in_buffer = file.size(),
                            .init_source = on_begin,
                            .fill_input_buffer = on_empty,
                            .skip_input_data = on_skip,
                            .resync_to_restart = jpeg_resync_to_restart,
                            .term_source = on_begin};
  jpeg.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = on_error;
  errors.base.emit_message = on_message;
  if (setjmp(errors.leave) != 0) {
    jpeg_destroy_decompress(&jpeg);
    return std::nullopt;
  }
  jpeg_create_decompress(&jpeg);
  jpeg.src = &source;
  jpeg_read_header(&jpeg, TRUE);
  if (jpeg.num_components != 4) jpeg.out_color_space = JCS_RGB;
  jpeg.scale_num = 1;
  jpeg.scale_denom = static_cast<unsigned>(scale_denom);
  jpeg_start_decompress(&jpeg);
  pixels.width = static_cast<int>(jpeg.output_width);
  pixels.height = static_cast<int>(jpeg.output_height);
  const auto stride = static_cast<std::size_t>(jpeg.output_width) *
                      static_cast<std::size_t>(jpeg.output_components);
  pixels.rgb.resize(stride * jpeg.output_height);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW rows[1] = {pixels.rgb.data() + stride * jpeg.output_scanline};
    jpeg_read_scanlines(&jpeg, rows, 1);
  }
  jpeg_finish_decompress(&jpeg);
  jpeg_destroy_decompress(&jpeg);
  return pixels;
}

bool is_box_of(const PixelView& got, const Pixels& whole, const Box& box) {
  if (got.width != box.width || got.height != box.height || got.channels != 3) return false;
  for (int y = 0; y < box.height; ++y) {
    const std::uint8_t* expected = whole.view().row(box.top + y) + std::ptrdiff_t{3} * box.left;
    if (std::memcmp(got.row(y), expected, std::size_t{3} * static_cast<std::size_t>(box.width)) !=
        0)
      return false;
  }
  return true;
}

Box random_box(TestRandom& random, int width, int height) {
  Box box = {.left = random.below(width), .top = random.below(height)};
  box.width = 1 + random.below(width - box.left);
  box.height = 1 + random.below(height - box.top);
  return box;
}

JpegRecipe random_recipe(TestRandom& random, int largest) {
  return {.width = 1 + random.below(largest),
          .height = 1 + random.below(largest),
          .quality = 5 + random.below(96),
          .h = 1 + random.below(2),
          .v = 1 + random.below(2),
          .colour = random.below(6) == 0   ? JpegRecipe::Colour::kRgb
                    : random.below(6) == 0 ? JpegRecipe::Colour::kGrey
                                           : JpegRecipe::Colour::kYcc,
          .restart_interval = random.below(3) == 0 ? 1 + random.below(12) : 0,
          .optimise = random.below(2) == 0,
          .separate_scans = random.below(6) == 0,
          .noise = random.below(3) * 60,
          .seed = random.next()};
}

}  // namespace flatout::data
