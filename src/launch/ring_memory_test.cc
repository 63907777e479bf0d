#include "launch/ring_memory.h"

#include <gtest/gtest.h>

#include <vector>

namespace flatout::launch {
namespace {

using Env = std::vector<std::string>;

std::optional<std::uint64_t> size_of(const std::string& text) {
  return ring_bytes(Env{"FLATOUT_RING_BYTES=" + text}).value();
}

TEST(RingMemory, TheUsersSizeIsAPowerOfTwoOfBytes) {
  EXPECT_EQ(size_of("64K"), 64U << 10);
  EXPECT_EQ(size_of("65536"), 64U << 10);
  EXPECT_EQ(size_of("3m"), 2U << 20);
  EXPECT_EQ(size_of("1G"), 1U << 30);
  EXPECT_EQ(size_of(""), std::nullopt);
  EXPECT_EQ(ring_bytes(Env{}).value(), std::nullopt);
}

TEST(RingMemory, WhatIsNoSizeIsSaid) {
  for (const char* bad :
       {"x", "4X", "-1", "1.5M", "63K", "2G", "99999999999999999999", "17179869184G", "4 M"}) {
    const auto size = ring_bytes(Env{std::string("FLATOUT_RING_BYTES=") + bad});
    ASSERT_FALSE(size) << bad;
    EXPECT_TRUE(size.error().message.contains(bad));
  }
}

TEST(RingMemory, SegmentsCanBeRefused) {
  EXPECT_EQ(ring_ipc(Env{"FLATOUT_RING_IPC=off"}), "");
  const std::string here = ring_ipc(Env{});
  EXPECT_TRUE(here.empty() || here.starts_with("ipc:[")) << here;
}

}  // namespace
}  // namespace flatout::launch
