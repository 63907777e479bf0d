#include "data/feed/loader.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <string>

#include "data/feed/counted_for_test.h"

namespace flatout::data {
namespace {

constexpr std::int64_t kNoMemoryFor = 200;

// A sample is one byte: its number. Those from `bad_from` to `bad_to` cannot be made.
class OneByte final : public SampleMaker {
 public:
  OneByte(std::int64_t bad_from, std::int64_t bad_to) : bad_from_(bad_from), bad_to_(bad_to) {}
  base::Result<void> make(std::int64_t index, std::uint32_t, std::span<std::byte> out,
                          StageTimes&) override {
    if (index == kNoMemoryFor) throw std::bad_alloc();
    if (index >= bad_from_ && index < bad_to_)
      return base::fail(base::ErrorCode::kCorrupt, "bad " + std::to_string(index));
    out[0] = static_cast<std::byte>(index);
    return {};
  }

 private:
  std::int64_t bad_from_;
  std::int64_t bad_to_;
};

Loader loader(const LoaderOptions& options, std::int64_t bad_from = 0, std::int64_t bad_to = 0) {
  auto engine = Engine::start(
      {.threads = 3, .sample_bytes = 1, .batch_size = options.batch_size, .ahead = options.ahead},
      [=] { return std::make_unique<OneByte>(bad_from, bad_to); });
  return {std::move(*engine), 1, options};
}

// An epoch as text: "0 1 2|3 4|", with "!" and the message for an error. Content and index must
// agree.
std::string epoch(Loader& loader) {
  std::string out;
  for (int calls = 0; calls < 1000; ++calls) {
    const auto batch = loader.next();
    if (!batch) {
      out += "!" + batch.error().message + "|";
      continue;
    }
    if (!*batch) return out;
    for (std::size_t i = 0; i < (*batch)->indices.size(); ++i) {
      const auto index = (*batch)->indices[i];
      EXPECT_EQ((*batch)->memory.get()[i], static_cast<std::byte>(index));
      out += (i == 0 ? "" : " ") + std::to_string(index);
    }
    out += "|";
  }
  return out + "endless";
}

TEST(Loader, EpochsInOrderWithAndWithoutTheLastBatch) {
  Loader all = loader({.batch_size = 3});
  EXPECT_EQ(epoch(all), "") << "before an epoch has begun there is none";
  ASSERT_TRUE(all.begin(0, counted(7)));
  EXPECT_EQ(epoch(all), "0 1 2|3 4 5|6|");
  EXPECT_EQ(all.position(), 7U);
  ASSERT_TRUE(all.begin(1, {5, 4, 3}));
  EXPECT_EQ(epoch(all), "5 4 3|");
  Loader whole = loader({.batch_size = 3, .drop_last = true});
  ASSERT_TRUE(whole.begin(0, counted(7)));
  EXPECT_EQ(epoch(whole), "0 1 2|3 4 5|");
  ASSERT_TRUE(whole.begin(0, counted(2)));
  EXPECT_EQ(epoch(whole), "");
}

// A child that is forked off between two epochs of its parent is refused as at any other time.
TEST(Loader, AForkedChildIsRefusedAtAnEpochsEndToo) {
  Loader all = loader({.batch_size = 3});
  ASSERT_TRUE(all.begin(0, counted(7)));
  EXPECT_EQ(epoch(all), "0 1 2|3 4 5|6|");
  const pid_t child = ::fork();
  if (child == 0) ::_exit(all.next() ? 1 : 0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Loader, NoMoreIsMadeAheadThanAsked) {
  Loader some = loader({.batch_size = 1, .ahead = 4});
  ASSERT_TRUE(some.begin(0, counted(10)));
  EXPECT_EQ(some.engine().pending(), 4U);
  ASSERT_TRUE(some.next());
  EXPECT_EQ(some.engine().pending(), 4U);
}

TEST(Loader, AnEpochThatIsLeftDoesNotReachIntoTheNext) {
  Loader some = loader({.batch_size = 2, .ahead = 3});
  ASSERT_TRUE(some.begin(0, counted(10)));
  ASSERT_TRUE(some.next());
  EXPECT_EQ(some.position(), 2U);
  ASSERT_TRUE(some.begin(1, {8, 9}));
  EXPECT_EQ(epoch(some), "8 9|");
}

TEST(Loader, ABadSampleIsAnErrorAndTheNextBatchGoesOn) {
  Loader raising = loader({.batch_size = 3}, 4, 5);
  ASSERT_TRUE(raising.begin(0, counted(8)));
  EXPECT_EQ(epoch(raising), "0 1 2|!bad 4|6 7|");
}

TEST(Loader, OrItIsLeftOutAndCounted) {
  Loader skipping = loader({.batch_size = 3, .on_bad = OnBadSample::kSkip}, 4, 5);
  ASSERT_TRUE(skipping.begin(0, counted(8)));
  EXPECT_EQ(epoch(skipping), "0 1 2|3 5|6 7|");
  EXPECT_EQ(skipping.skipped(), 1U);
  Loader more = loader({.batch_size = 3, .on_bad = OnBadSample::kSkip}, 2, 7);
  ASSERT_TRUE(more.begin(0, counted(9)));
  EXPECT_EQ(epoch(more), "0 1|7 8|") << "a batch of which nothing is left is left out as a whole";
  EXPECT_EQ(more.skipped(), 5U);
  EXPECT_EQ(more.position(), 9U);
}

TEST(Loader, WhatIsNoFaultOfTheSampleIsNotLeftOut) {
  Loader skipping = loader({.batch_size = 3, .on_bad = OnBadSample::kSkip}, 4, 5);
  ASSERT_TRUE(skipping.begin(0, {4, 5, kNoMemoryFor, 6, 7}));
  const std::string all = epoch(skipping);
  EXPECT_TRUE(all.starts_with("!sample 200: ") && all.ends_with("|6 7|")) << all;
  EXPECT_EQ(skipping.skipped(), 0U);
}

TEST(Loader, OrItIsMarked) {
  Loader marking = loader({.batch_size = 3, .on_bad = OnBadSample::kMark}, 2, 5);
  ASSERT_TRUE(marking.begin(0, counted(6)));
  std::string told;
  while (auto batch = marking.next().value()) {
    EXPECT_EQ(batch->indices.size(), 3U);
    for (const BadSample& bad : batch->bad)
      told += std::to_string(bad.place) + ": " + bad.error.message + "|";
  }
  EXPECT_EQ(told, "2: bad 2|0: bad 3|1: bad 4|");
  EXPECT_EQ(marking.skipped(), 0U);
}

TEST(Loader, AnEpochThatIsToldPieceByPiece) {
  Loader told = loader({.batch_size = 3, .drop_last = true, .ahead = 1}, 7, 8);
  ASSERT_TRUE(told.begin(0, {}));
  ASSERT_TRUE(told.append({5, 4}));
  ASSERT_TRUE(told.append({3, 2, 1})) << "more than are ahead: whose memory it is";
  EXPECT_EQ(epoch(told), "5 4|3 2 1|") << "batches as they were given, small ones too";
  ASSERT_TRUE(told.append({6, 7}));
  ASSERT_TRUE(told.append({0}));
  EXPECT_EQ(epoch(told), "!bad 7|0|") << "it goes on after its end";
  EXPECT_FALSE(told.append({}));
  EXPECT_FALSE(told.append({1, 2, 3, 4}));
  EXPECT_EQ(epoch(told), "") << "what was refused is not in the order";
  ASSERT_TRUE(told.begin(1, {9, 8, 6, 5, 4, 3}));
  EXPECT_FALSE(told.append({1})) << "the order is not begun to its end";
  EXPECT_EQ(epoch(told), "9 8 6|5 4 3|");
}

// Two arrays, of a byte and of three: the sample's number.
class TwoArrays final : public SampleMaker {
 public:
  base::Result<void> make(std::int64_t, std::uint32_t, std::span<std::byte>, StageTimes&) override {
    return base::fail(base::ErrorCode::kInvalid, "not asked for");
  }
  base::Result<void> make_at(std::int64_t index, std::uint32_t, const BatchPlace& at,
                             StageTimes&) override {
    if (index % 5 == 3) return base::fail(base::ErrorCode::kCorrupt, "bad");
    at.batch[at.place] = static_cast<std::byte>(index);
    std::memset(at.batch + aligned_array(at.samples) + 3 * at.place, static_cast<int>(index), 3);
    return {};
  }
};

TEST(Loader, BatchesOfTheirOwnSizesAndOfSeveralArrays) {
  for (const std::size_t claim : {1, 2, 4, 50}) {
    auto engine = Engine::start({.threads = 3,
                                 .sample_bytes = 4,
                                 .batch_size = 5,
                                 .extra_bytes = kArrayAlignment,
                                 .claim = claim},
                                [] { return std::make_unique<TwoArrays>(); });
    Loader some(std::move(*engine), 4,
                {.batch_size = 5,
                 .drop_last = true,
                 .on_bad = OnBadSample::kSkip,
                 .part_bytes = [](std::int64_t) { return std::vector<std::size_t>{1, 3}; }});
    ASSERT_TRUE(some.begin(0, counted(15), {5, 6, 10, 13, 15}));
    std::string seen;
    while (auto batch = some.next().value()) {
      const std::byte* const memory = batch->memory.get();
      const std::size_t count = batch->indices.size();
      for (std::size_t i = 0; i < count; ++i) {
        const auto number = static_cast<std::byte>(batch->indices[i]);
        EXPECT_EQ(memory[i], number);
        for (std::size_t byte = 0; byte < 3; ++byte)
          EXPECT_EQ(memory[aligned_array(count) + 3 * i + byte], number);
        seen += std::to_string(batch->indices[i]) + " ";
      }
      seen += "|";
    }
    EXPECT_EQ(seen, "0 1 2 4 |5 |6 7 9 |10 11 12 |14 |");
    EXPECT_EQ(some.skipped(), 3U);
    EXPECT_EQ(some.engine().stats().samples, 15U);
  }
}

// A sample is what it is made for: its number and the epoch's.
class Epochs final : public SampleMaker {
 public:
  base::Result<void> make(std::int64_t, std::uint32_t epoch, std::span<std::byte> out,
                          StageTimes&) override {
    std::memcpy(out.data(), &epoch, sizeof epoch);
    return {};
  }
};

std::vector<std::uint32_t> epochs_of(Loader& loader) {
  std::vector<std::uint32_t> out;
  while (auto batch = loader.next().value()) {
    const auto* numbers = reinterpret_cast<const std::uint32_t*>(batch->memory.get());
    out.insert(out.end(), numbers, numbers + batch->indices.size());
  }
  return out;
}

TEST(Loader, WhatAnEpochDrawsAgainIsMadeForAnotherNumber) {
  auto engine =
      Engine::start({.threads = 2, .sample_bytes = sizeof(std::uint32_t), .batch_size = 3},
                    [] { return std::make_unique<Epochs>(); });
  Loader told(std::move(*engine), sizeof(std::uint32_t), {.batch_size = 3});
  ASSERT_TRUE(told.begin(7, {5, 5, 0, 5, 1}));
  const std::uint32_t again = epoch_of_repeat(7, 1);
  EXPECT_NE(again, 7U);
  EXPECT_EQ(epochs_of(told), (std::vector<std::uint32_t>{7, again, 7, epoch_of_repeat(7, 2), 7}));
  ASSERT_TRUE(told.begin(8, {}));
  EXPECT_FALSE(told.append({4, 4, 4, 4}));
  ASSERT_TRUE(told.append({5, 4}));
  ASSERT_TRUE(told.append({4}));
  EXPECT_EQ(epochs_of(told), (std::vector<std::uint32_t>{8, 8, epoch_of_repeat(8, 1)}));

  ASSERT_TRUE(told.begin(8, {}));
  told.count_as_drawn({5, 4, 4});
  ASSERT_TRUE(told.append({4, 6, 5}));
  EXPECT_EQ(epochs_of(told),
            (std::vector<std::uint32_t>{epoch_of_repeat(8, 2), 8, epoch_of_repeat(8, 1)}))
      << "where it is resumed";
}

// Takes a millisecond of a core for each sample.
class Slow final : public SampleMaker {
 public:
  base::Result<void> make(std::int64_t index, std::uint32_t epoch, std::span<std::byte> out,
                          StageTimes& times) override {
    const base::TimeNs since = base::read_clock_ns(CLOCK_MONOTONIC);
    while (times.decode < base::kMillisecond)
      times.decode = base::read_clock_ns(CLOCK_MONOTONIC) - since;
    out[0] = static_cast<std::byte>(3 * index + epoch);
    return {};
  }
};

TEST(Loader, TuningChangesThreadsAndNoSample) {
  const tune::Bounds one_core{.cores = 1, .most_threads = 8, .most_ahead = 6, .batch_size = 4};
  auto engine = Engine::start({.threads = 4, .sample_bytes = 1, .batch_size = 4},
                              [] { return std::make_unique<Slow>(); });
  Loader tuned(std::move(*engine), 1, {.batch_size = 4, .tuning = one_core});
  std::uint32_t epoch = 0;
  for (; epoch < 200 && tuned.tuner()->changes_made() == 0; ++epoch) {
    ASSERT_TRUE(tuned.begin(epoch, counted(50)));
    std::int64_t index = 0;
    while (auto batch = tuned.next().value()) {
      for (std::size_t i = 0; i < batch->indices.size(); ++i, ++index)
        ASSERT_EQ(batch->memory.get()[i], static_cast<std::byte>(3 * index + epoch));
    }
    ASSERT_EQ(index, 50);
  }
  ASSERT_GT(tuned.tuner()->changes_made(), 0U) << "one core, and four threads that all want it";
  EXPECT_LT(tuned.tuner()->changes().front().to.threads, 4);
  EXPECT_EQ(tuned.engine().stats().threads, tuned.tuner()->setting().threads);
  EXPECT_GT(tuned.engine().stats().thread_times.cpu, 0);
  ASSERT_TRUE(tuned.set_threads(5)) << "a number that is asked for stays";
  EXPECT_FALSE(tuned.tuner()->bounds().tune_threads);
  EXPECT_EQ(tuned.engine().stats().threads, 5);
  ASSERT_TRUE(tuned.set_threads(0));
  EXPECT_TRUE(tuned.tuner()->bounds().tune_threads);
}

TEST(Loader, WithoutTuningThereIsNoneToGoBackTo) {
  Loader fixed = loader({.batch_size = 3, .ahead = 4});
  EXPECT_EQ(fixed.tuner(), nullptr);
  EXPECT_EQ(fixed.ahead(), 4U);
  EXPECT_FALSE(fixed.set_threads(0));
  EXPECT_TRUE(fixed.set_threads(2));
}

}  // namespace
}  // namespace flatout::data
