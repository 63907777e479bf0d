#include "data/device/device_context.h"

#include "data/device/fake_cuda_for_test.h"

namespace flatout::data::device {
namespace {

class DeviceContextTest : public FakeCudaTest {};

TEST_F(DeviceContextTest, NamesADevice) {
  EXPECT_EQ(open("cuda")->name(), "cuda:0");
  EXPECT_EQ(open("cuda:1")->ordinal(), 1);
  EXPECT_EQ(open("cuda:1")->gpu(), "made-up GPU");
}

TEST_F(DeviceContextTest, WhatIsNoNameIsRefused) {
  for (const char* name : {"", "mps", "cuda:", "cuda:-1", "cuda:1x", "cuda1", "cuda:99999999999"})
    EXPECT_NE(refused(name).find("is no device that batches can go to"), std::string::npos) << name;
}

TEST_F(DeviceContextTest, WhatIsMissingIsNamed) {
  EXPECT_NE(refused("cuda:2").find("the last is cuda:1"), std::string::npos) << refused("cuda:2");
  const std::string none = refused("cuda", "/nowhere/libcuda.so.1");
  EXPECT_NE(none.find("/nowhere/libcuda.so.1"), std::string::npos) << none;
  EXPECT_NE(none.find("install NVIDIA's driver"), std::string::npos) << none;
  const std::string old = refused("cuda", FAKE_CUDA_OLD);
  EXPECT_NE(old.find("has no cuMemHostRegister_v2"), std::string::npos) << old;
  ::setenv("FAKE_CUDA_DEVICES", "0", 1);
  EXPECT_NE(refused("cuda").find("cuInit: CUDA_ERROR_NO_DEVICE"), std::string::npos);
  EXPECT_NE(refused("cuda").find("CUDA_VISIBLE_DEVICES"), std::string::npos);
}

TEST_F(DeviceContextTest, ADeviceThatIsTakenIsAnError) {
  fail("cuDevicePrimaryCtxRetain=46");
  const std::string why = refused("cuda:1");
  EXPECT_EQ(why.find("cuda:1: cuDevicePrimaryCtxRetain: error 46"), 0U) << why;
}

TEST_F(DeviceContextTest, ABatchThatCannotBePinnedIsAnError) {
  BatchPool pool(10'000, 2, std::make_shared<CudaPagePin>(open()));
  const auto first = pool.take();
  ASSERT_TRUE(first);
  EXPECT_EQ(counts().pinned, 1);
  fail("cuMemHostRegister_v2=2");
  const auto second = pool.take();
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("10000 bytes could not be pinned for cuda:0"),
            std::string::npos)
      << second.error().message;
}

}  // namespace
}  // namespace flatout::data::device
