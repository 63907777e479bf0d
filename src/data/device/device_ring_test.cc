#include "data/device/device_ring.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <utility>

#include "data/device/fake_cuda_for_test.h"

namespace flatout::data::device {
namespace {

constexpr std::size_t kBytes = 5000;

class DeviceRingTest : public FakeCudaTest {
 protected:
  void SetUp() override {
    FakeCudaTest::SetUp();
    context = open();
    auto opened = DeviceRing::open(context, {.batch_bytes = kBytes});
    ASSERT_TRUE(opened);
    ring = std::move(*opened);
    pool.emplace(kBytes, 4, std::make_shared<CudaPagePin>(context));
  }
  void TearDown() override {
    ring.reset();
    pool.reset();
    context.reset();
    FakeCudaTest::TearDown();
  }

  std::shared_ptr<std::byte> batch(int value) {
    auto memory = pool->take().value();
    std::memset(memory.get(), value, kBytes);
    return memory;
  }
  std::shared_ptr<DeviceBuffer> send(std::shared_ptr<std::byte> host) {
    auto sent = ring->send(std::move(host), kWhole);
    EXPECT_TRUE(sent) << sent.error().message;
    return sent ? *sent : nullptr;
  }
  static std::vector<std::byte> all(int value) {
    return std::vector<std::byte>(kBytes, static_cast<std::byte>(value));
  }

  static constexpr std::array<Piece, 1> kWhole = {{{.from = 0, .to = 0, .bytes = kBytes}}};
  std::shared_ptr<const DeviceContext> context;
  std::unique_ptr<DeviceRing> ring;
  std::optional<BatchPool> pool;
};

TEST_F(DeviceRingTest, TheProgramsStreamWaitsAndTheHostDoesNot) {
  const ProgramStream stream(*context);
  const auto buffer = send(batch(7));
  ASSERT_TRUE(buffer->wait(stream.stream));
  EXPECT_NE(bytes_at(buffer->address(), kBytes), all(7));  // nothing has waited for it
  stream.synchronize();
  EXPECT_EQ(bytes_at(buffer->address(), kBytes), all(7));
  EXPECT_EQ(ring->stats().waits, 0U);
  EXPECT_EQ(counts().pageable_copies, 0);
}

TEST_F(DeviceRingTest, PiecesGoWhereTheyBelong) {
  auto host = batch(1);
  std::memset(host.get() + 100, 2, 50);
  const std::array<Piece, 2> pieces = {
      {{.from = 0, .to = 256, .bytes = 100}, {.from = 100, .to = 0, .bytes = 50}}};
  const auto buffer = *ring->send(std::move(host), pieces);
  ring->settle();
  EXPECT_EQ(bytes_at(buffer->address(), 50), std::vector<std::byte>(50, std::byte{2}));
  EXPECT_EQ(bytes_at(buffer->address() + 256, 100), std::vector<std::byte>(100, std::byte{1}));
  EXPECT_EQ(ring->stats().bytes, 150U);
}

// The memory of a batch on its way is nobody else's; the third batch waits for the first.
TEST_F(DeviceRingTest, HostMemoryIsHeldUntilItWasRead) {
  auto host = batch(1);
  const std::weak_ptr<std::byte> first = host;
  std::byte* const place = host.get();
  const auto one = send(std::move(host));
  const auto two = send(batch(2));
  EXPECT_FALSE(first.expired());
  EXPECT_NE(batch(3).get(), place);
  const auto three = send(batch(3));
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(ring->stats().waits, 1U);
  ring->settle();
  EXPECT_EQ(bytes_at(one->address(), kBytes), all(1));
  EXPECT_EQ(bytes_at(two->address(), kBytes), all(2));
  EXPECT_EQ(bytes_at(three->address(), kBytes), all(3));
  EXPECT_EQ(ring->stats().timed, 3U);
}

// What the program still computes when it lets a batch go reads that batch, not the next.
TEST_F(DeviceRingTest, MemoryIsUsedAgainBehindTheProgramsWork) {
  const ProgramStream stream(*context);
  auto buffer = send(batch(1));
  ring->settle();
  const DeviceAddress place = buffer->address();
  ASSERT_TRUE(buffer->wait(stream.stream));
  // The program's step writes into it, when its stream gets there.
  auto pinned = batch(9);
  ASSERT_TRUE(context->call(context->f().copy, place, static_cast<const void*>(pinned.get()),
                            kBytes, stream.stream));
  buffer.reset();
  const auto next = send(batch(2));
  EXPECT_EQ(next->address(), place);
  ring->settle();
  stream.synchronize();
  EXPECT_EQ(bytes_at(place, kBytes), all(2)) << "the step came behind the next batch";
}

TEST_F(DeviceRingTest, WhatUsesItUnseenIsWaitedFor) {
  for (const std::uintptr_t number : {std::uintptr_t{0}, kLegacyStream, kPerThreadStream}) {
    auto buffer = send(batch(1));
    ASSERT_TRUE(buffer->wait(reinterpret_cast<CudaStream>(number)));
  }
  const ProgramStream unseen(*context);
  auto buffer = send(batch(1));
  buffer->used_by_unknown();
  auto pinned = batch(9);
  ASSERT_TRUE(context->call(context->f().copy, buffer->address(),
                            static_cast<const void*>(pinned.get()), kBytes, unseen.stream));
  const DeviceAddress place = buffer->address();
  buffer.reset();
  ring->settle();  // the slot lets go, too
  std::vector<std::shared_ptr<DeviceBuffer>> all_kept;
  while (all_kept.empty() || all_kept.back()->address() != place)
    all_kept.push_back(send(batch(2)));
  ring->settle();
  unseen.synchronize();
  EXPECT_EQ(bytes_at(place, kBytes), all(2));
}

TEST_F(DeviceRingTest, ABatchOutlivesTheRing) {
  const auto buffer = send(batch(5));
  ring.reset();
  EXPECT_EQ(bytes_at(buffer->address(), kBytes), all(5));
}

TEST_F(DeviceRingTest, ACopyThatFailsIsAnErrorAndTheNextGoesOn) {
  fail("cuMemcpyHtoDAsync_v2=700");
  auto host = batch(1);
  const std::weak_ptr<std::byte> held = host;
  const auto failed = ring->send(std::move(host), kWhole);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "cuda:0: cuMemcpyHtoDAsync_v2: CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_TRUE(held.expired());
  ::unsetenv("FAKE_CUDA_FAIL");
  const auto buffer = send(batch(4));
  ring->settle();
  EXPECT_EQ(bytes_at(buffer->address(), kBytes), all(4));
}

TEST_F(DeviceRingTest, EveryCallMayFail) {
  const char* const calls[] = {"cuMemAlloc_v2",     "cuEventCreate",      "cuEventRecord",
                               "cuStreamWaitEvent", "cuEventQuery",       "cuEventSynchronize",
                               "cuStreamCreate",    "cuCtxPushCurrent_v2"};
  for (const char* const name : calls) {
    function<void()>("fake_cuda_forget_calls")();
    fail((std::string(name) + "=2").c_str());
    auto other = DeviceRing::open(context, {.batch_bytes = kBytes});
    for (int i = 0; other && i < 4; ++i) {
      const auto sent = (*other)->send(batch(i), kWhole);
      if (sent) (void)(*sent)->wait(nullptr);
      if (!sent) {
        EXPECT_NE(sent.error().message.find(name), std::string::npos) << name;
      }
    }
    ::unsetenv("FAKE_CUDA_FAIL");  // what is given back is given back by a driver that works
  }
}

TEST_F(DeviceRingTest, TooLittleDeviceMemoryIsSaid) {
  fail("cuMemAlloc_v2=2");
  const auto sent = ring->send(batch(1), kWhole);
  ASSERT_FALSE(sent);
  EXPECT_NE(sent.error().message.find("no memory for a batch of 5000 bytes on cuda:0: "
                                      "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)"),
            std::string::npos)
      << sent.error().message;
}

// The child has neither the driver's threads nor the pinned memory: it lets all go, and calls none.
TEST_F(DeviceRingTest, AChildLeavesTheDeviceAlone) {
  auto buffer = send(batch(1));
  const pid_t child = ::fork();
  if (child == 0) {
    buffer.reset();
    ring.reset();
    context.reset();
    const fake::Counts now = counts();
    ::_exit(now.streams == 1 && now.allocations == 1 && now.contexts == 1 && now.pending > 0 ? 0
                                                                                             : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ring->settle();
  EXPECT_EQ(bytes_at(buffer->address(), kBytes), all(1));
}

}  // namespace
}  // namespace flatout::data::device
