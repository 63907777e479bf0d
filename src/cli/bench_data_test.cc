#include "cli/bench_data.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string_view>

struct flatout_loader {};
struct flatout_batch {
  std::int64_t size;
};

namespace flatout::cli {
namespace {

// A library of ten samples in batches of four, which take a tenth of a second each on a clock of
// its own.
struct Fake {
  base::FakeClock clock;
  flatout_loader loader;
  int batches_left = 0;
  int epochs = 0;
  int fail_in_epoch = -1;
  int open_batches = 0;
  std::string stats;
  bool closed = false;
  bool cache = false;
};
Fake* fake = nullptr;

app::DataLibrary fake_library() {
  app::DataLibrary calls;
  calls.error = [] { return "a file is no good"; };
  calls.open = [](const char* spec, flatout_loader** out) -> int {
    *out = &fake->loader;
    return std::string_view(spec) == "{}" ? FLATOUT_OK : FLATOUT_INVALID;
  };
  calls.close = [](flatout_loader*) { fake->closed = true; };
  calls.samples = [](const flatout_loader*) { return std::int64_t{10}; };
  calls.begin = [](flatout_loader*, std::uint32_t, const std::int64_t*, std::int64_t) -> int {
    ++fake->epochs;
    fake->batches_left = 3;
    return FLATOUT_OK;
  };
  calls.next = [](flatout_loader*, flatout_batch** batch) -> int {
    if (fake->epochs - 1 == fake->fail_in_epoch) return FLATOUT_INVALID;
    if (fake->batches_left == 0) return FLATOUT_END;
    fake->clock.advance(100 * base::kMillisecond);
    *batch = new flatout_batch{--fake->batches_left == 0 ? 2 : 4};
    ++fake->open_batches;
    return FLATOUT_OK;
  };
  // Of each epoch: 20 samples (two threads work ahead), of 10, 60 and 30 ms.
  calls.stats = [](flatout_loader*) {
    const nlohmann::json kept{{"memory",
                               {{"samples", 9},
                                {"bytes", 3 << 20},
                                {"hits", 15 * (fake->epochs - 1)},
                                {"misses", 15 + 5 * fake->epochs}}}};
    fake->stats = nlohmann::json{{"threads", 2},
                                 {"samples", 20 * fake->epochs},
                                 {"skipped_samples", 3},
                                 {"read_ns", 200'000'000 * std::int64_t{fake->epochs}},
                                 {"decode_ns", 1'200'000'000 * std::int64_t{fake->epochs}},
                                 {"transform_ns", 600'000'000 * std::int64_t{fake->epochs}},
                                 {"cache", fake->cache ? kept : nlohmann::json()}}
                      .dump();
    return fake->stats.c_str();
  };
  calls.batch_size = [](const flatout_batch* batch) { return batch->size; };
  calls.batch_free = [](flatout_batch* batch) {
    --fake->open_batches;
    delete batch;
  };
  return calls;
}

class BenchDataTest : public ::testing::Test {
 protected:
  BenchDataTest() { fake = &fake_; }
  ~BenchDataTest() override { fake = nullptr; }
  Fake fake_;
};

TEST_F(BenchDataTest, CountsSamplesOfTheEpochsBehindTheFirst) {
  const auto bench = bench_data(fake_library(), "{}", 4, fake_.clock);
  ASSERT_TRUE(bench);
  EXPECT_EQ(bench->samples, 10);
  EXPECT_EQ(fake_.epochs, 5);
  EXPECT_EQ(bench->first_batch_ns, 100 * base::kMillisecond);
  ASSERT_EQ(bench->samples_per_s.size(), 4U);
  EXPECT_NEAR(bench->samples_per_s[0], 10 / 0.3, 1e-9);
  EXPECT_EQ(bench->made, 80);
  EXPECT_EQ(bench->skipped, 0) << "those of the first epoch are not counted";
  EXPECT_NEAR(ceiling_per_s(*bench), 2 / 0.1, 1e-9);
  EXPECT_EQ(fake_.open_batches, 0);
  EXPECT_TRUE(fake_.closed);
}

TEST_F(BenchDataTest, SaysItAsTextAndAsJson) {
  const auto bench = bench_data(fake_library(), "{}", 1, fake_.clock);
  ASSERT_TRUE(bench);
  EXPECT_EQ(bench_data_text(*bench, "train/"),
            "train/: 10 samples, 2 threads, 1 epoch after one\n"
            "33 samples/s (33 to 33); first batch after 0.10 s\n\n"
            "of a thread's time, per sample\n"
            "  reading        10.000 ms   10 %\n"
            "  decoding       60.000 ms   60 %\n"
            "  transforming   30.000 ms   30 %\n"
            "ceiling: 20 samples/s, if 2 threads did nothing else; decoding is most of it\n");
  const auto json = nlohmann::json::parse(bench_data_json(*bench));
  EXPECT_EQ(json["schema"], "flatout.bench_data/1");
  EXPECT_EQ(json["ceiling_samples_per_s"], 20);
  EXPECT_EQ(json["decode_ms"], 60);
}

TEST_F(BenchDataTest, SaysWhatWasFoundInMemory) {
  fake_.cache = true;
  const auto bench = bench_data(fake_library(), "{}", 2, fake_.clock);
  ASSERT_TRUE(bench && bench->cache);
  const std::string text = bench_data_text(*bench, "train/");
  EXPECT_TRUE(text.ends_with("kept in memory: 9 samples, 3 MiB; 75 % found there\n")) << text;
  EXPECT_EQ(nlohmann::json::parse(bench_data_json(*bench))["cache"]["hits"], 30);
}

TEST_F(BenchDataTest, WhatTheLibrarySaysIsTheError) {
  const auto refused = bench_data(fake_library(), "[]", 1, fake_.clock);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "a file is no good");
  fake_.fail_in_epoch = 2;
  EXPECT_FALSE(bench_data(fake_library(), "{}", 4, fake_.clock));
  EXPECT_TRUE(fake_.closed);
}

TEST(Median, OfNoneOneAndTwo) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1}), 2.5);
}

}  // namespace
}  // namespace flatout::cli
