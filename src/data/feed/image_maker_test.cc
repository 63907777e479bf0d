// From files to batches with everything in between.
#include "data/feed/image_maker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "data/decode/jpeg/jpeg_for_test.h"
#include "data/feed/loader.h"
#include "data/feed/order.h"
#include "data/source/folder_fixture.h"
#include "data/source/image_folder.h"

namespace flatout::data {
namespace {

class ImageMakerTest : public FolderTest {
 protected:
  void make_folder(int pictures) const {
    for (int i = 0; i < pictures; ++i) {
      const auto file =
          make_jpeg({.width = 40 + i, .height = 30 + i % 7, .seed = static_cast<std::uint64_t>(i)});
      write("class" + std::to_string(i % 3) + "/" + std::to_string(i) + ".jpg",
            {reinterpret_cast<const char*>(file.data()), file.size()});
    }
  }

  std::shared_ptr<const ImageRecipe> recipe() const {
    auto chain = transform::Chain::make({.steps = {transform::RandomResizedCrop{.size = {16, 16}},
                                                   transform::RandomHorizontalFlip{}}});
    return std::make_shared<const ImageRecipe>(
        ImageRecipe{std::move(open_image_folder(root_)->files), std::move(*chain), 11});
  }

  // All samples of an epoch, index after index.
  std::vector<std::string> epoch(int threads, std::uint32_t number) const {
    const auto shared = recipe();
    const std::size_t bytes = shared->chain.shape().bytes();
    const std::int64_t samples = shared->source->size();
    auto engine = Engine::start({.threads = threads, .sample_bytes = bytes, .batch_size = 4},
                                [shared] { return std::make_unique<ImageMaker>(shared); });
    Loader loader(std::move(*engine), bytes, {.batch_size = 4});
    std::vector<std::string> out(static_cast<std::size_t>(samples));
    EXPECT_TRUE(loader.begin(
        number, epoch_order(samples, number,
                            {.shuffle = true, .seed = static_cast<std::uint64_t>(threads)})));
    while (const auto batch = loader.next().value()) {
      for (std::size_t i = 0; i < batch->indices.size(); ++i) {
        out[static_cast<std::size_t>(batch->indices[i])].assign(
            reinterpret_cast<const char*>(batch->memory.get()) + i * bytes, bytes);
      }
    }
    return out;
  }

  std::string error_of(std::int64_t index) const {
    const auto shared = recipe();
    ImageMaker maker(shared);
    std::vector<std::byte> out(shared->chain.shape().bytes());
    StageTimes times;
    const auto made = maker.make(index, 0, out, times);
    return made ? "made" : made.error().message;
  }
};

// Another number of threads, another order: the same samples. Another epoch: others.
TEST_F(ImageMakerTest, ASampleHangsOnSeedEpochAndIndexAlone) {
  make_folder(25);
  const auto one = epoch(1, 0);
  EXPECT_EQ(epoch(3, 0), one);
  const auto later = epoch(2, 1);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NE(one[i], later[i]) << i;
}

// Where the whole picture fills the sample, it is the file's own pixels over 255.
TEST_F(ImageMakerTest, PixelsAreThoseOfTheFile) {
  const auto file = make_jpeg({.width = 16, .height = 16, .seed = 3});
  write("a/1.jpg", {reinterpret_cast<const char*>(file.data()), file.size()});
  auto chain = transform::Chain::make({.steps = {transform::CenterCrop{.size = {16, 16}}}});
  const auto shared = std::make_shared<const ImageRecipe>(
      ImageRecipe{std::move(open_image_folder(root_)->files), std::move(*chain), 0});
  ImageMaker maker(shared);
  std::vector<float> out(3 * 16 * 16);
  StageTimes times;
  ASSERT_TRUE(maker.make(0, 0, std::as_writable_bytes(std::span(out)), times));
  const Pixels pixels = libjpeg_pixels(file).value();
  for (std::size_t at = 0; at < out.size(); ++at) {
    EXPECT_EQ(out[at], static_cast<float>(pixels.rgb[at % 256 * 3 + at / 256]) / 255.0F) << at;
  }
  EXPECT_GT(times.read, 0);
  EXPECT_GT(times.decode, 0);
  EXPECT_GT(times.transform, 0);
}

// Fast: where a resize scales down, of a JPEG file scaled before it; all else is as it was. Turned
// or not, the crop stays where it is.
TEST_F(ImageMakerTest, FastIsNearAndOnlyWhereAResizeScalesDown) {
  const auto pixels_of = [&](const std::string& name, bool fast,
                             std::vector<transform::Step> steps) {
    FileList files(root_.string());
    files.add(name, 0);
    auto chain = transform::Chain::make({.steps = std::move(steps)});
    const ImageDecoderOptions decoding{.exif_orientation = true, .fast = fast};
    ImageMaker maker(std::make_shared<const ImageRecipe>(
        ImageRecipe{std::make_unique<FileList>(std::move(files)), std::move(*chain), 0, decoding}));
    std::vector<float> out(3 * 16 * 16);
    StageTimes times;
    EXPECT_TRUE(maker.make(0, 0, std::as_writable_bytes(std::span(out)), times));
    for (float& one : out) one *= 255;
    return out;
  };
  const auto mean_difference = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
    return sum / static_cast<double>(a.size());
  };
  const std::vector<transform::Step> crop = {transform::RandomCrop{.size = {101, 83}},
                                             transform::Resize{{16, 16}}};
  for (const char orientation : {'\0', '\3', '\6', '\7'}) {
    std::string exif("Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 32);
    exif[24] = orientation;
    const auto file =
        make_jpeg({.width = 203, .height = 117, .noise = 0, .exif = {exif.begin(), exif.end()}});
    const std::string name = "f/" + std::to_string(orientation) + ".jpg";
    write(name, {reinterpret_cast<const char*>(file.data()), file.size()});
    const double off = mean_difference(pixels_of(name, true, crop), pixels_of(name, false, crop));
    EXPECT_GT(off, 0) << name;
    EXPECT_LT(off, 2) << name;
    const std::vector<transform::Step> kept = {transform::CenterCrop{{16, 16}}};
    EXPECT_EQ(pixels_of(name, true, kept), pixels_of(name, false, kept));
  }
}

TEST_F(ImageMakerTest, WhatIsBadIsNamedByNumberAndFile) {
  make_folder(2);
  write("class1/2.jpg", "no picture at all");
  write("class1/3.jpg", "");
  std::filesystem::remove(root_ / "class0/0.jpg");
  write("class0/0.jpg", "\xff\xd8\xff");
  for (const auto& [index, name] :
       {std::pair{0, "class0/0.jpg"}, {2, "class1/2.jpg"}, {3, "class1/3.jpg"}}) {
    const std::string error = error_of(index);
    EXPECT_EQ(error.find("sample " + std::to_string(index) + ": "), 0U) << error;
    EXPECT_NE(error.find(name), std::string::npos) << error;
  }
  EXPECT_EQ(error_of(1), "made");
}

// What one maker gives for each sample of an epoch, in an order of its own: bytes, or the error.
std::vector<std::string> made_by(const std::shared_ptr<const ImageRecipe>& recipe,
                                 std::uint32_t epoch, std::size_t first) {
  ImageMaker maker(recipe);
  const auto samples = static_cast<std::size_t>(recipe->source->size());
  std::vector<std::string> out(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t index = (first + i) % samples;
    std::string bytes(recipe->chain.shape().bytes(), '\0');
    StageTimes times;
    const auto made = maker.make(static_cast<std::int64_t>(index), epoch,
                                 std::as_writable_bytes(std::span(bytes)), times);
    out[index] = made ? bytes : made.error().message;
  }
  return out;
}

// Whole files of each kind, and each of them cut and changed: with some of their pictures kept, all
// or none, samples and errors are the same to the last bit.
TEST_F(ImageMakerTest, KeptPicturesGiveTheSameSamples) {
  std::mt19937_64 draw(9);
  for (int i = 0; i < 24; ++i) {
    auto file = make_jpeg({.width = 60 + i,
                           .height = 50,
                           .h = 1 + i % 2,
                           .v = 1 + i / 2 % 2,
                           .progressive = i % 5 == 0,
                           .seed = static_cast<std::uint64_t>(i)});
    if (i % 4 == 1) file.resize(file.size() * 2 / 3);
    if (i % 4 == 2) file[file.size() / 2 + draw() % (file.size() / 3)] ^= std::byte{0x10};
    write("a/" + std::to_string(10 + i) + ".jpg",
          {reinterpret_cast<const char*>(file.data()), file.size()});
  }
  for (const int channels : {1, 3}) {
    for (const std::uint64_t budget :
         {std::uint64_t{0}, std::uint64_t{50'000}, std::uint64_t{1} << 20}) {
      const auto of = [&](std::shared_ptr<cache::SampleMemory> pictures) {
        auto chain = transform::Chain::make(
            {.steps = {transform::RandomResizedCrop{.size = {16, 16}}}, .channels = channels});
        return std::make_shared<const ImageRecipe>(ImageRecipe{
            std::move(open_image_folder(root_)->files), std::move(*chain), 11, {}, pictures});
      };
      const auto pictures =
          std::make_shared<cache::SampleMemory>(24, cache::MemoryOptions{.budget_bytes = budget});
      const auto kept = of(pictures), plain = of(nullptr);
      for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
        EXPECT_EQ(made_by(kept, epoch, draw() % 24), made_by(plain, epoch, 0)) << budget;
      EXPECT_LE(pictures->stats().bytes, budget);
      EXPECT_EQ(pictures->stats().hits > 0, budget > 0);
      EXPECT_EQ(pictures->stats().denied > 0, budget <= 50'000U);
    }
  }
}

}  // namespace
}  // namespace flatout::data
