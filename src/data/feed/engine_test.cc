#include "data/feed/engine.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace flatout::data {
namespace {

constexpr std::size_t kBytes = sizeof(std::int64_t);

std::int64_t content_of(std::int64_t index, std::uint32_t epoch) { return index * 1000 + epoch; }

// Multiples of 7 are bad; 13 throws.
class MadeUp final : public SampleMaker {
 public:
  base::Result<void> make(std::int64_t index, std::uint32_t epoch, std::span<std::byte> out,
                          StageTimes& times) override {
    times.read += 1;
    if (index == 13) throw std::runtime_error("unlucky");
    if (index % 7 == 6)
      return base::fail(base::ErrorCode::kCorrupt, "bad " + std::to_string(index));
    const std::int64_t content = content_of(index, epoch);
    std::memcpy(out.data(), &content, kBytes);
    return {};
  }
};

MakeMaker made_up() {
  return [] { return std::make_unique<MadeUp>(); };
}

Engine started(int threads, std::size_t batch_size = 4) {
  return Engine::start({.threads = threads, .sample_bytes = kBytes, .batch_size = batch_size},
                       made_up())
      .value();
}

std::vector<std::int64_t> from(std::int64_t first, std::size_t count) {
  std::vector<std::int64_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

std::int64_t content(const Batch& batch, std::size_t place) {
  std::int64_t out = 0;
  std::memcpy(&out, batch.memory.get() + place * kBytes, kBytes);
  return out;
}

TEST(Engine, BatchesComeInOrderForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 3, 8}) {
    Engine engine = started(threads);
    for (std::int64_t i = 0; i < 50; ++i) ASSERT_TRUE(engine.submit(from(100 + 7 * i, 4), 5));
    EXPECT_EQ(engine.pending(), 50U);
    for (std::int64_t i = 0; i < 50; ++i) {
      const Batch batch = engine.next().value();
      ASSERT_EQ(batch.indices, from(100 + 7 * i, 4));
      for (std::size_t place = 0; place < 4; ++place) {
        if ((100 + static_cast<std::int64_t>(place)) % 7 == 6) continue;
        EXPECT_EQ(content(batch, place), content_of(batch.indices[place], 5));
      }
    }
    EXPECT_EQ(engine.stats().samples, 200U);
    EXPECT_EQ(engine.stats().busy.read, 200);
  }
}

TEST(Engine, WhatCannotBeMadeIsToldByPlaceAndSpoilsNothingElse) {
  Engine engine = started(3, 16);
  ASSERT_TRUE(engine.submit(from(0, 16), 0));
  const Batch batch = engine.next().value();
  std::vector<std::pair<std::size_t, std::string>> bad;
  for (const BadSample& one : batch.bad) bad.emplace_back(one.place, one.error.message);
  EXPECT_EQ(bad, (std::vector<std::pair<std::size_t, std::string>>{{6, "bad 6"},
                                                                   {13, "sample 13: unlucky"}}));
  EXPECT_EQ(content(batch, 15), content_of(15, 0));
  EXPECT_EQ(engine.stats().bad_samples, 2U);
}

TEST(Engine, ABatchThatIsHeldStaysAsItWas) {
  Engine engine = started(2);
  ASSERT_TRUE(engine.submit(from(0, 4), 1));
  const Batch held = engine.next().value();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(engine.submit(from(100, 4), 2));
    ASSERT_TRUE(engine.next());
  }
  EXPECT_EQ(content(held, 3), content_of(3, 1));
}

TEST(Engine, WhatIsClearedIsNotHandedOver) {
  Engine engine = started(2);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(engine.submit(from(0, 4), 1));
  engine.clear();
  ASSERT_TRUE(engine.submit(from(200, 3), 9));
  EXPECT_EQ(engine.next().value().indices, from(200, 3));
  EXPECT_FALSE(engine.next());
}

TEST(Engine, ThreadsMayComeAndGo) {
  Engine engine = started(1);
  for (const int threads : {4, 1, 2, 16, 3}) {
    ASSERT_TRUE(engine.set_threads(threads));
    EXPECT_EQ(engine.stats().threads, threads);
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(engine.submit(from(14, 4), 3));
    for (int i = 0; i < 10; ++i) EXPECT_EQ(content(engine.next().value(), 2), content_of(16, 3));
  }
  EXPECT_FALSE(engine.set_threads(0));
  EXPECT_FALSE(engine.set_threads(Engine::kMaxThreads + 1));
}

TEST(Engine, EndsWithBatchesLeft) {
  for (int i = 0; i < 20; ++i) {
    Engine engine = started(4);
    for (int n = 0; n < 8; ++n) ASSERT_TRUE(engine.submit(from(0, 4), 0));
  }
}

TEST(Engine, WhatItIsNotMadeForIsRefused) {
  const auto refused = [](EngineOptions options) { return !Engine::start(options, made_up()); };
  EXPECT_TRUE(refused({.threads = 0, .sample_bytes = 1}));
  EXPECT_TRUE(refused({.threads = 1, .sample_bytes = 0}));
  EXPECT_TRUE(refused({.threads = 1, .sample_bytes = 1, .batch_size = 0}));
  EXPECT_TRUE(refused({.threads = 1, .sample_bytes = SIZE_MAX / 2, .batch_size = 3}));
  Engine engine = started(1);
  EXPECT_FALSE(engine.submit({}, 0));
  EXPECT_FALSE(engine.submit(from(0, 5), 0));
}

// The child has none of the threads: it gets an error, and ends as it would have without the
// engine.
TEST(Engine, AForkedChildIsToldAndEnds) {
  Engine engine = started(2);
  ASSERT_TRUE(engine.submit(from(0, 4), 0));
  const pid_t child = ::fork();
  if (child == 0) {
    const bool told = !engine.next() && !engine.submit(from(0, 4), 0) && !engine.set_threads(3);
    {
      const Engine ended = std::move(engine);
    }
    ::_exit(told ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(engine.next());
}

// Threads that hold a lock when the child is forked off leave it to the child, and nobody opens it.
TEST(Engine, AForkedChildWaitsForNoLock) {
  Engine engine = started(1);
  const std::jthread locking([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) (void)engine.stats();
  });
  for (int turn = 0; turn < 40; ++turn) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(10);
      engine.clear();
      engine.set_ahead(3);
      ::_exit(engine.pending() == 0 && engine.stats().bad_samples == 0 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
}

}  // namespace
}  // namespace flatout::data
