// The made-up driver, as a test loads it. For tests only.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <vector>

#include "data/batch/batch_pool.h"
#include "data/device/device_context.h"
#include "data/device/fake/fake_cuda.h"

namespace flatout::data::device {

class FakeCudaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    library = ::dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    function<void()>("fake_cuda_forget_calls")();
  }
  // Whatever a test does, all is given back, and nothing was done that no right program does.
  void TearDown() override {
    ::unsetenv("FAKE_CUDA_FAIL");
    ::unsetenv("FAKE_CUDA_DEVICES");
    const fake::Counts now = counts();
    EXPECT_EQ(now.allocations, 0);
    EXPECT_EQ(now.pinned, 0);
    EXPECT_EQ(now.streams, 0);
    EXPECT_EQ(now.events, 0);
    EXPECT_EQ(now.modules, 0);
    EXPECT_EQ(now.contexts, 0);
    EXPECT_EQ(now.pushed, 0);
    EXPECT_EQ(now.faults, 0);
  }

  template <typename Signature>
  Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(::dlsym(library, name));
  }
  fake::Counts counts() const {
    fake::Counts out;
    function<void(fake::Counts*)>("fake_cuda_counts")(&out);
    return out;
  }
  static void fail(const char* what) { ::setenv("FAKE_CUDA_FAIL", what, 1); }

  static std::shared_ptr<const DeviceContext> open(std::string_view name = "cuda") {
    auto opened = DeviceContext::open(name, FAKE_CUDA);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *opened : nullptr;
  }
  static std::string refused(std::string_view name, const std::string& from = FAKE_CUDA) {
    const auto opened = DeviceContext::open(name, from);
    return opened ? "" : opened.error().message;
  }

  void* library = nullptr;
};

// A stream of the program's own.
class ProgramStream {
 public:
  explicit ProgramStream(const DeviceContext& context) : context_(context) {
    EXPECT_TRUE(context.call(context.f().stream, &stream, kStreamNonBlocking));
  }
  ~ProgramStream() { (void)context_.call_code(context_.f().stream_destroy, stream); }
  ProgramStream(const ProgramStream&) = delete;
  ProgramStream& operator=(const ProgramStream&) = delete;
  void synchronize() const { EXPECT_TRUE(context_.call(context_.f().stream_synchronize, stream)); }

  CudaStream stream = nullptr;

 private:
  const DeviceContext& context_;
};

inline std::vector<std::byte> bytes_at(DeviceAddress address, std::size_t count) {
  const auto* const at = reinterpret_cast<const std::byte*>(address);
  return {at, at + count};
}

}  // namespace flatout::data::device
