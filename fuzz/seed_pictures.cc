#include "seed_pictures.h"

#include <span>
#include <string_view>
#include <utility>

#include "data/cache/segment_index.h"
#include "data/decode/jpeg/jpeg_for_test.h"
#include "data/decode/png/png_for_test.h"
#include "data/decode/webp/webp_for_test.h"
#include "data/source/compressed_for_test.h"
#include "data/source/folder_listing.h"
#include "data/source/shard_layout.h"
#include "data/source/tar_for_test.h"
#include "seed_file.h"

namespace flatout::fuzz {

using flatout::data::gzipped;
using flatout::data::zstd_of;

namespace {

// Scans again and again, scans that are not there, a frame that is lossless.
bool write_hostile_jpeg_seeds(const std::string& folder) {
  const auto file = flatout::data::make_jpeg({.width = 256, .height = 256, .progressive = true});
  const std::string whole(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string end = whole.substr(whole.size() - 2);
  const std::size_t last = whole.rfind("\xFF\xDA");
  std::string many = whole.substr(0, whole.size() - 2);
  for (int i = 0; i < 100; ++i) many += whole.substr(last, whole.size() - 2 - last);
  std::string lossless = whole;
  lossless[whole.find("\xFF\xC2") + 1] = '\xC3';
  const std::string scale(1, '\0');
  return write_file(folder + "/many_scans", scale + many + end) &&
         write_file(folder + "/few_scans", scale + whole.substr(0, last) + end) &&
         write_file(folder + "/lossless", scale + lossless);
}

// A size that nothing of the file stands for, and data that grow to a thousand times their size.
bool write_hostile_png_seeds(const std::string& folder) {
  using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
  const auto file = [](int width, int height, std::size_t data_bytes) {
    return std::string(kPngSignature) + png_header(width, height, 16, PngColour::kRgbAlpha) +
           png_chunk("IDAT", zlib_data(std::string(data_bytes, '\0'))) + png_chunk("IEND", "");
  };
  return write_file(folder + "/declared", file(12000, 12000, 100)) &&
         write_file(folder + "/one_row", file(178000000, 1, 100)) &&
         write_file(folder + "/bomb", file(500, 500, std::size_t{1} << 21));
}

// The width and the height of a lossy file lie at 26, 14 bits each; those of a lossless one at 21.
bool write_hostile_webp_seeds(const std::string& folder) {
  bool ok = true;
  for (const bool lossless : {false, true}) {
    const auto file = flatout::data::make_webp({.width = 40, .height = 33, .lossless = lossless});
    std::string seed(reinterpret_cast<const char*>(file.data()), file.size());
    for (std::size_t i = 0; i < 3; ++i) seed[(lossless ? 21 : 26) + i] = '\x1F';
    ok &= write_file(folder + (lossless ? "/declared_lossless" : "/declared"), seed);
  }
  return ok;
}

}  // namespace

// Small files of each kind that our decoder takes, and of some that it leaves to libjpeg-turbo, at
// each part of their size; see jpeg_fuzz.cc.
bool write_jpeg_seeds(const std::string& folder) {
  using flatout::data::JpegRecipe;
  const std::pair<const char*, JpegRecipe> kFiles[] = {
      {"h2v2", {.width = 20, .height = 18}},
      {"h2v1", {.width = 20, .height = 18, .v = 1}},
      {"h1v2", {.width = 20, .height = 18, .h = 1}},
      {"h1v1", {.width = 20, .height = 18, .quality = 99, .h = 1, .v = 1, .noise = 120}},
      {"grey", {.width = 20, .height = 18, .h = 1, .v = 1, .colour = JpegRecipe::Colour::kGrey}},
      {"rgb", {.width = 20, .height = 18, .h = 1, .v = 1, .colour = JpegRecipe::Colour::kRgb}},
      {"restarts", {.width = 40, .height = 18, .restart_interval = 1, .optimise = true}},
      {"separate", {.width = 20, .height = 18, .separate_scans = true}},
      {"progressive", {.width = 20, .height = 18, .progressive = true}},
      {"flat", {.width = 256, .height = 256, .progressive = true, .noise = 0}},
      {"cmyk", {.width = 20, .height = 18, .h = 1, .v = 1, .colour = JpegRecipe::Colour::kCmyk}}};
  bool ok = true;
  for (const auto& [name, recipe] : kFiles) {
    const auto file = flatout::data::make_jpeg(recipe);
    for (char scale = 0; scale < 4; ++scale) {
      std::string seed(1, scale);
      seed.append(reinterpret_cast<const char*>(file.data()), file.size());
      ok &= write_file(folder + "/" + name + std::to_string(1 << scale), seed);
    }
  }
  return ok && write_hostile_jpeg_seeds(folder);
}

// Small files of each colour, and of each kind of compression; see png_fuzz.cc.
bool write_png_seeds(const std::string& folder) {
  using flatout::data::PngColour;
  using flatout::data::PngRecipe;
  const std::pair<const char*, PngRecipe> kFiles[] = {
      {"rgb", {.width = 20, .height = 18}},
      {"grey4", {.width = 21, .height = 9, .depth = 4, .colour = PngColour::kGrey}},
      {"grey16", {.width = 9, .height = 9, .depth = 16, .colour = PngColour::kGrey, .level = 0}},
      {"palette", {.width = 30, .height = 9, .depth = 2, .colour = PngColour::kPalette}},
      {"rgba", {.width = 20, .height = 8, .colour = PngColour::kRgbAlpha, .strategy = 4}},
      {"grey_alpha", {.width = 9, .height = 8, .depth = 16, .colour = PngColour::kGreyAlpha}},
      {"interlaced", {.width = 19, .height = 17, .interlaced = true, .piece = 50}},
      {"flat", {.width = 300, .height = 100, .noise = 0}}};
  bool ok = true;
  for (const auto& [name, recipe] : kFiles) {
    const auto file = flatout::data::make_png(recipe).file;
    ok &=
        write_file(folder + "/" + name, {reinterpret_cast<const char*>(file.data()), file.size()});
  }
  return ok && write_hostile_png_seeds(folder);
}

// Lossy and lossless ones; see webp_fuzz.cc.
bool write_webp_seeds(const std::string& folder) {
  bool ok = true;
  for (int kind = 0; kind < 4; ++kind) {
    const auto file = flatout::data::make_webp(
        {.width = 40, .height = 33, .lossless = kind / 2 != 0, .alpha = kind % 2 != 0});
    ok &= write_file(folder + "/kind" + std::to_string(kind),
                     {reinterpret_cast<const char*>(file.data()), file.size()});
  }
  return ok && write_hostile_webp_seeds(folder);
}

// Of each format, JPEG files with an orientation of their own; see image_fuzz.cc for the first
// byte.
bool write_image_seeds(const std::string& folder) {
  bool ok = true;
  const auto write = [&](const std::string& name, char which, const auto& file) {
    ok &= write_file(folder + "/" + name,
                     std::string(1, which) +
                         std::string(reinterpret_cast<const char*>(file.data()), file.size()));
  };
  for (std::uint8_t turn = 1; turn <= 8; ++turn) {
    const std::vector<std::uint8_t> exif = {'E', 'x', 'i',  'f', 0, 0,    'I',  'I', '*', 0, 8,
                                            0,   0,   0,    1,   0, 0x12, 0x01, 3,   0,   1, 0,
                                            0,   0,   turn, 0,   0, 0,    0,    0,   0,   0};
    const auto jpeg = flatout::data::make_jpeg({.width = 20, .height = 13, .exif = exif});
    write("jpeg" + std::to_string(turn), static_cast<char>(turn * 29), jpeg);
  }
  write("progressive", 4 + 16,
        flatout::data::make_jpeg({.width = 20, .height = 18, .progressive = true}));
  write("png", 8, flatout::data::make_png({.width = 20, .height = 18}).file);
  write("webp", 0, flatout::data::make_webp({.width = 20, .height = 18}));
  return ok;
}

// Two bytes for the picture's size, and each kind of step; see loader_spec_fuzz.cc.
bool write_loader_spec_seeds(const std::string& folder) {
  constexpr const char* kSpecs[] = {
      R"({"shards":["a.tgz"],"unpack":{"folder":"/ssd","disk_mb":9},"steps":[{"resize":[8,9]}]})",
      R"({"images":"a","shuffle":true,"seed":7,"batch_size":4,"steps":[{"random_resized_crop":{"size":[8,9],"scale":[0.1,0.5]}}]})",
      R"({"steps":[{"resize":20},{"center_crop":16},"random_horizontal_flip"],"normalize":{"mean":[0,0,0],"std":[1,1,1]}})",
      R"({"dtype":"uint8","layout":"nhwc","steps":[{"resize":[10,12]},{"random_crop":{"size":8,"padding":2}},"random_vertical_flip"]})",
      R"({"dtype":"bfloat16","steps":[{"resize":[9,9]},{"color_jitter":{"brightness":[0.6,1.4],"hue":[-0.1,0.1]}},{"random_grayscale":0.2}]})",
      R"({"dtype":"float16","channels":1,"cache":{"memory_mb":"auto","folder":"/ssd","disk_mb":9,"keep":"decoded"},"steps":[{"resize":[9,9]},{"random_erasing":{"p":0.9,"one_colour":true,"count":[2,4]}}]})",
      R"({"steps":[{"random_rotation":{"degrees":40,"expand":true,"interpolation":"bicubic","fill":[1,2,3]}},"random_horizontal_flip",{"resize":[9,9]},{"random_affine":{"degrees":[5,9],"translate":[0.1,0.2],"scale":[0.8,2],"shear":[1,2,3,4],"center":[1,2],"interpolation":"bilinear"}}]})",
      R"({"decode":"fast","index_cache":false,"steps":[{"random_perspective":{"distortion_scale":0.9,"p":1,"interpolation":"nearest"}},{"resize":[9,9]},{"random_perspective":{"distortion_scale":1,"p":1,"fill":[1,2,3]}}]})",
      R"({"mix":[{"mixup":{"alpha":0.2}},{"cutmix":{}}],"classes":9,"steps":[{"resize":[9,9]},"rand_augment",{"gaussian_blur":3},{"random_posterize":{"bits":2,"p":1}},"trivial_augment_wide","auto_augment",{"random_solarize":100},"random_equalize","random_autocontrast","random_invert",{"random_adjust_sharpness":{"sharpness_factor":2,"p":1}}]})",
      R"({"mix":[{"timm":{"mixup_alpha":0.8,"cutmix_alpha":1,"smoothing":0.1}}],"classes":9,"dtype":"uint8","steps":[{"resize":[9,9]},{"random_apply":{"steps":["grayscale"],"p":0.5}},{"random_choice":{"steps":[[{"timm_operation":{"op":"ShearX","magnitude":9,"deviation":0.5}}],[{"timm_operation":{"op":"PosterizeIncreasing","evenly":true,"blackens":false}},"random_invert"]],"p":[1,2],"count":2,"distinct":true}},{"random_order":{"steps":[["random_equalize"],[{"timm_operation":{"op":"TranslateYRel","p":1,"interpolation":"nearest"}}]]}}]})"};
  constexpr const char* kArrays[] = {
      R"({"tokens":{"files":["a","b"],"type":"uint16","header_bytes":8,"out":"int32","window":{"length":4,"stride":2,"joined":true}}})",
      R"({"tokens":{"files":["a"],"end_of_text":0,"pack":{"length":4,"method":"concat","pad":1,"ignore":-1}},"shuffle":true})",
      R"({"tokens":{"files":["a"],"index":"b","pad_to_bucket":{"lengths":[4,8],"pad":1}}})",
      R"({"arrays":{"data":"a","labels":"b","out":"float32","scale":0.5,"offset":1}})"};
  bool ok = true;
  int number = 0;
  for (const char* spec : kArrays)
    ok &= write_file(folder + "/arrays" + std::to_string(number++), "\x17\x11" + std::string(spec));
  for (const char* spec : kSpecs)
    ok &= write_file(folder + "/spec" + std::to_string(number++), "\x17\x11" + std::string(spec));
  return ok;
}

// A tar of two samples, with each way to name a member; see tar_fuzz.cc.
bool write_tar_seeds(const std::string& folder) {
  using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
  const std::string name(120, 'n');
  return write_file(folder + "/plain",
                    tar_member("0.jpg", "pixels") + tar_member("0.cls", "7") + tar_end()) &&
         write_file(folder + "/gnu",
                    tar_member("././@LongLink", name + ".jpg", 'L') + tar_member("n", "pixels")) &&
         write_file(
             folder + "/pax",
             tar_member("x", pax_record("path", name + ".jpg") + pax_record("size", "6"), 'x') +
                 tar_member("n", "pixels")) &&
         write_file(folder + "/prefix",
                    tar_member("1.png", "pixels", '0', "a/b") + tar_member("a/b/1.cls", "-3"));
}

// Two parts of each format, and one that is passed over; see compressed_fuzz.cc.
bool write_compressed_seeds(const std::string& folder) {
  const std::string text =
      flatout::data::tar_member("0.cls", "7") + "seven" + std::string(300, 'a');
  const std::string gzip = gzipped(text) + gzipped(text.substr(500));
  const std::string zstd = zstd_of(text) + zstd_of(text.substr(500));
  const std::string skipped("\x53\x2a\x4d\x18\x02\0\0\0ab", 10);
  return write_file(folder + "/gzip", gzip) && write_file(folder + "/zstd", zstd) &&
         write_file(folder + "/skipped", skipped + zstd) &&
         write_file(folder + "/zeros", gzip + std::string(9, '\0'));
}

// An index of each kind of shard and the file of a set; see shard_fuzz.cc for the first byte.
bool write_shard_seeds(const std::string& folder) {
  using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
  bool ok = true;
  for (const ShardKind kind : {ShardKind::kOriginal, ShardKind::kJpeg, ShardKind::kRaw}) {
    ShardIndexBuilder index;
    const std::uint32_t side = kind == ShardKind::kRaw ? 2 : 0;
    for (const char* name : {"a/0.jpg", "b/1.jpg"})
      index.add({.offset = 64, .bytes = 12, .label = 1, .width = side, .height = side}, name);
    const ShardFacts facts{.kind = kind, .set = 7, .end = 2, .data_bytes = 140};
    ok &=
        write_file(folder + "/index-" + name_of(kind), std::string(1, '\0') + index.finish(facts));
    const PackManifest manifest{
        .set = 7, .kind = kind, .shards = 1, .samples = 2, .size = 256, .classes = {"a", "b"}};
    ok &= write_file(folder + "/set-" + name_of(kind), "\1" + pack_manifest_text(manifest));
  }
  return ok;
}

// An index of a segment: four samples of the target's source, whole, and cut; see cache_fuzz.cc.
bool write_cache_seeds(const std::string& folder) {
  using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
  std::string index = cache::segment_header();
  for (std::uint64_t number = 0; number < 4; ++number) {
    const SampleVersion version{"/far/" + std::to_string(number), 20 + number, 7, 0, 20 + number};
    const std::string bytes(20 + number, static_cast<char>('a' + number));
    index += cache::segment_entry_bytes({.key = cache::key_of(version),
                                         .offset = 30 * number,
                                         .bytes = static_cast<std::uint32_t>(bytes.size()),
                                         .checksum = checksum_of(std::as_bytes(std::span(bytes)))});
  }
  return write_file(folder + "/whole", index) &&
         write_file(folder + "/cut", index.substr(0, index.size() - 20)) &&
         write_file(folder + "/header", index.substr(0, cache::kSegmentHeaderBytes));
}

// A listing of two classes; see folder_index_fuzz.cc.
bool write_folder_index_seeds(const std::string& folder) {
  using namespace flatout::data;  // NOLINT(google-build-using-namespace): a program of one file
  const FolderListing listing{
      .root = "/set",
      .root_stamp = {1, 2, 3, 4},
      .folders = {{"a", {5, 6, 7, 8}, 2}, {"a/b", {9, 10, 11, 12}, 0}, {"c", {1, 1, 1, 1}, 1}},
      .names = std::string("1.jpg\0002.jpg\0003.png\0", 18)};
  return write_file(folder + "/two", folder_index_text(listing));
}

}  // namespace flatout::fuzz
