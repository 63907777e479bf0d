#include "data/device/levels_table.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "data/device/device_ring.h"
#include "data/device/fake_cuda_for_test.h"
#include "data/transform/chain.h"

namespace flatout::data::device {
namespace {

using transform::Chain;
using transform::ChainOptions;
using transform::Layout;
using transform::NumberType;

constexpr int kWidth = 37;
constexpr int kHeight = 23;
constexpr std::size_t kPictures = 3;

// Three pictures as `options` makes them, one after the other.
std::vector<std::byte> made(const ChainOptions& options) {
  const Chain chain = Chain::make(options).value();
  transform::Scratch scratch;
  std::vector<std::uint8_t> pixels(std::size_t{kWidth} * kHeight * 3);
  std::vector<std::byte> out(kPictures * chain.shape().bytes());
  for (std::size_t i = 0; i < kPictures; ++i) {
    for (std::size_t at = 0; at < pixels.size(); ++at)
      pixels[at] = static_cast<std::uint8_t>(at * 31 + at / 251 + i * 77);
    const PixelView view{.data = pixels.data(),
                         .width = kWidth,
                         .height = kHeight,
                         .channels = options.channels,
                         .stride = std::ptrdiff_t{kWidth} * options.channels};
    const auto plan = chain.plan(kWidth, kHeight, Draws(0, 0, i));
    EXPECT_TRUE(chain.write(view, *plan, scratch, out.data() + i * chain.shape().bytes()));
  }
  return out;
}

class LevelsTableTest : public FakeCudaTest {
 protected:
  // The same, with bytes made here, and numbers on the made-up device.
  std::vector<std::byte> made_on_device(ChainOptions options) {
    const auto type = options.type;
    const auto levels = transform::levels(options.normalization, type).value();
    const bool wide = type == NumberType::kFloat32;
    std::span<const std::byte> table = std::as_bytes(std::span(levels.float32));
    if (!wide) table = std::as_bytes(std::span(levels.bits16));
    options.normalization = {};
    options.type = NumberType::kUint8;
    const std::vector<std::byte> bytes = made(options);
    const std::size_t out_bytes = bytes.size() * transform::bytes_of(type);
    const auto context = open();
    auto loaded = LevelsTable::load(context, "made up", table, transform::bytes_of(type));
    EXPECT_TRUE(loaded);
    const auto channels = static_cast<std::uint32_t>(options.channels);
    const bool first = options.layout == Layout::kChannelsFirst;
    RingOptions to{.batch_bytes = out_bytes,
                   .levels = std::move(*loaded),
                   .pixels = {0, first ? std::uint32_t{kWidth * kHeight} : 1, channels},
                   .pixel_bytes = bytes.size()};
    const auto ring = DeviceRing::open(context, std::move(to)).value();
    BatchPool pool(bytes.size(), 1, std::make_shared<CudaPagePin>(context));
    auto host = pool.take().value();
    std::memcpy(host.get(), bytes.data(), bytes.size());
    const std::array<Piece, 1> all = {{{.bytes = bytes.size(), .pixels = true}}};
    const auto buffer = ring->send(std::move(host), all).value();
    ring->settle();
    return bytes_at(buffer->address(), out_bytes);
  }
};

TEST_F(LevelsTableTest, TheSameBitsAsOnTheCpu) {
  const transform::Normalization imagenet{.mean = {0.485F, 0.456F, 0.406F},
                                          .std = {0.229F, 0.224F, 0.225F}};
  const transform::Normalization bare{.scaling = transform::Scaling::kMultiply};
  for (const auto& normalization : {imagenet, bare}) {
    for (const NumberType type :
         {NumberType::kFloat32, NumberType::kFloat16, NumberType::kBfloat16}) {
      for (const Layout layout : {Layout::kChannelsFirst, Layout::kChannelsLast}) {
        for (const int channels : {1, 3}) {
          const ChainOptions options{.steps = {transform::CenterCrop{.size = {kWidth, kHeight}}},
                                     .normalization = normalization,
                                     .type = type,
                                     .layout = layout,
                                     .channels = channels};
          EXPECT_EQ(made_on_device(options), made(options))
              << static_cast<int>(type) << " " << static_cast<int>(layout) << " " << channels;
        }
      }
    }
  }
}

TEST_F(LevelsTableTest, AnImageThatTheDriverRefusesIsAnError) {
  const std::array<std::byte, 256 * 4> table{};
  const auto none = LevelsTable::load(open(), nullptr, table, 4);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "this build has no CUDA kernels");
  fail("cuModuleLoadData=218");
  const auto refused_image = LevelsTable::load(open(), "made up", table, 4);
  ASSERT_FALSE(refused_image);
  EXPECT_EQ(refused_image.error().message, "cuda:0: cuModuleLoadData: CUDA_ERROR_INVALID_PTX");
  fail("cuMemAlloc_v2=2");
  EXPECT_FALSE(LevelsTable::load(open(), "made up", table, 4));
}

}  // namespace
}  // namespace flatout::data::device
