#include "trial/data_files.h"

#include <gtest/gtest.h>

#include <memory>

namespace flatout::trial {
namespace {

// A trial that drew `samples` of a set of `whole` and opened `files` of 100 bytes.
std::optional<std::uint64_t> estimate(double samples, std::optional<double> whole, int files,
                                      int workers = 0) {
  const auto made = std::make_unique<analyse::Analysis>();
  analyse::Analysis& analysis = *made;
  analysis.loader.emplace();
  analysis.loader->dataset_len = whole;
  analysis.loader->batch_size = 10;
  analysis.loader->num_workers = workers;
  for (int i = 0; i < samples / 10; ++i) analysis.cut.steps.emplace_back().samples = 10;
  TrialReads reads;
  for (int i = 0; i < files; ++i) reads.paths.insert("/" + std::to_string(i));
  reads.bytes = static_cast<std::uint64_t>(files) * 100;
  return set_bytes(reads, analysis);
}

TEST(SetBytes, WhereEachSampleIsAFileItIsTheMeanFileTimesTheSamples) {
  EXPECT_EQ(estimate(200, 10'000, 200), 1'000'000U);
  EXPECT_EQ(estimate(200, 10'000, 400), 2'000'000U) << "a picture and its mask";
}

TEST(SetBytes, WhatWorkersFetchedAheadCounts) {
  // 2 workers hold 2 batches of 10 each.
  EXPECT_EQ(estimate(200, 10'000, 240, 2), 1'000'000U);
}

TEST(SetBytes, AFewLargeFilesAreTheSet) {
  EXPECT_EQ(estimate(200, 10'000, 3), 300U);
  EXPECT_EQ(estimate(200, std::nullopt, 200), 20'000U) << "a stream";
}

TEST(SetBytes, AllOfASmallSetWasRead) { EXPECT_EQ(estimate(200, 100, 100), 10'000U); }

TEST(SetBytes, NoFileNoWord) {
  EXPECT_FALSE(estimate(200, 10'000, 0));
  EXPECT_FALSE(set_bytes({}, {}));
}

TEST(DataFiles, AreReadAsTheyWereWritten) {
  for (const apply::DataFiles& files :
       {apply::DataFiles{.cold = true, .files = 42, .set_bytes = 123, .room_bytes = 7},
        apply::DataFiles{.files = 1, .room_bytes = 7}, apply::DataFiles{.files = 3}}) {
    const auto read = parse_data_files(data_files_text(files));
    ASSERT_TRUE(read) << data_files_text(files);
    EXPECT_EQ(read->cold, files.cold);
    EXPECT_EQ(read->files, files.files);
    EXPECT_EQ(read->set_bytes, files.set_bytes);
    EXPECT_EQ(read->room_bytes, files.room_bytes);
  }
  for (const char* text :
       {"", "cold", "warm 1", "warm 1 2", "warm x 1 2", "warm -1 1 2", "hot 1 2 3", "warm - 1 2",
        "cold 1 2 3 4", "cold 99999999999999999999 1 2"}) {
    EXPECT_FALSE(parse_data_files(text)) << text;
  }
}

TEST(DataFiles, WhatTheFirstTrialFoundHoldsForAll) {
  FileCache cache = FileCache::kAuto;
  apply::TrialResult trial;
  take_files("", trial, cache);
  EXPECT_EQ(cache, FileCache::kAuto) << "nothing is known so far";
  EXPECT_FALSE(trial.data_files);
  take_files("cold 4 9 5", trial, cache);
  EXPECT_EQ(cache, FileCache::kCold);
  take_files("warm 4 4 5", trial, cache);
  EXPECT_EQ(cache, FileCache::kCold);
  EXPECT_FALSE(trial.data_files->cold);
}

}  // namespace
}  // namespace flatout::trial
