// Loaders of flatout/data.h that are closed before, after and while they are used.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "flatout/data.h"

namespace {

constexpr int kRaces = 200;
constexpr std::int64_t kTokens = 4096;

class CloseTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "flatout-close-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream file(folder_ + "/tokens.bin", std::ios::binary);
    for (std::int64_t i = 0; i < kTokens; ++i) file.put(static_cast<char>(i % 251));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string spec() const {
    return R"({"tokens":{"files":[")" + folder_ +
           R"(/tokens.bin"],"type":"uint8","header_bytes":0,"window":{"length":16,"joined":false}},)"
           R"("batch_size":2,"threads":2,"shuffle":true})";
  }
  flatout_loader* open() const {
    flatout_loader* out = nullptr;
    EXPECT_EQ(flatout_loader_open(spec().c_str(), &out), FLATOUT_OK) << flatout_data_error();
    return out;
  }

  std::string folder_;
};

void expect_closed(flatout_loader* loader) {
  const std::int64_t first = 0;
  flatout_batch* batch = nullptr;
  std::int64_t shape[3] = {1, 1, 1};
  flatout_loader_shape(loader, shape);
  EXPECT_EQ(shape[0] + shape[1] + shape[2], 0);
  EXPECT_EQ(flatout_loader_begin(loader, 0, nullptr, 0), FLATOUT_CLOSED);
  EXPECT_EQ(flatout_loader_resume(loader, 0, 0), FLATOUT_CLOSED);
  EXPECT_EQ(flatout_loader_append(loader, &first, 1), FLATOUT_CLOSED);
  EXPECT_EQ(flatout_loader_passed(loader, &first, 1), FLATOUT_CLOSED);
  EXPECT_EQ(flatout_loader_next(loader, &batch), FLATOUT_CLOSED);
  EXPECT_EQ(flatout_loader_set_threads(loader, 1), FLATOUT_CLOSED);
  EXPECT_EQ(flatout_loader_to_device(loader, "cpu"), FLATOUT_CLOSED);
  EXPECT_EQ(flatout_loader_samples(loader), -1);
  EXPECT_EQ(flatout_loader_classes(loader), -1);
  EXPECT_EQ(flatout_loader_sample_bytes(loader), -1);
  EXPECT_EQ(flatout_loader_drawn(loader), -1);
  EXPECT_EQ(flatout_loader_class(loader, 0), nullptr);
  EXPECT_EQ(flatout_loader_name(loader, 0), nullptr);
  EXPECT_EQ(flatout_loader_stats(loader), nullptr);
  EXPECT_NE(std::string(flatout_data_error()).find("the loader is closed"), std::string::npos);
}

TEST_F(CloseTest, ACallThatSucceedsLeavesTheReasonOfOneThatFailed) {
  flatout_loader* loader = open();
  ASSERT_EQ(flatout_loader_append(loader, nullptr, -1), FLATOUT_INVALID);
  const std::string why = flatout_data_error();
  EXPECT_NE(flatout_loader_stats(loader), nullptr);
  EXPECT_NE(flatout_loader_name(loader, 0), nullptr);
  flatout_loader* another = open();
  flatout_loader_close(another);
  EXPECT_EQ(flatout_data_error(), why);
  EXPECT_NE(why, "");
  flatout_loader_close(loader);
}

TEST_F(CloseTest, EveryCallOfAClosedLoaderSaysSo) {
  flatout_loader* const loader = open();
  flatout_loader_close(loader);
  flatout_loader_close(loader);
  flatout_loader* const another = open();
  expect_closed(loader);
  EXPECT_NE(loader, another);
  EXPECT_GT(flatout_loader_samples(another), 0);
  flatout_loader_close(another);
}

TEST_F(CloseTest, NoLoaderIsAnError) {
  flatout_batch* batch = nullptr;
  EXPECT_EQ(flatout_loader_next(nullptr, &batch), FLATOUT_INVALID);
  EXPECT_EQ(flatout_loader_samples(nullptr), -1);
  EXPECT_EQ(flatout_loader_stats(nullptr), nullptr);
  flatout_loader_close(nullptr);
}

TEST_F(CloseTest, ABatchOutlivesItsLoader) {
  flatout_loader* const loader = open();
  ASSERT_EQ(flatout_loader_begin(loader, 0, nullptr, 0), FLATOUT_OK);
  flatout_batch* batch = nullptr;
  ASSERT_EQ(flatout_loader_next(loader, &batch), FLATOUT_OK);
  flatout_loader_close(loader);
  EXPECT_EQ(flatout_batch_size(batch), 2);
  flatout_array array{};
  ASSERT_EQ(flatout_batch_array(batch, 0, &array), FLATOUT_OK);
  EXPECT_LT(*static_cast<const std::int64_t*>(array.data), 251);
  flatout_batch_free(batch);
}

// Reads epochs until the loader is closed; the last status.
int read_until_closed(flatout_loader* loader, std::atomic<int>& batches) {
  for (std::uint32_t epoch = 0;; ++epoch) {
    if (const int status = flatout_loader_begin(loader, epoch, nullptr, 0); status != FLATOUT_OK)
      return status;
    flatout_batch* batch = nullptr;
    int status = FLATOUT_OK;
    while ((status = flatout_loader_next(loader, &batch)) == FLATOUT_OK) {
      ++batches;
      batches.notify_all();
      flatout_batch_free(batch);
    }
    if (status != FLATOUT_END) return status;
  }
}

TEST_F(CloseTest, ClosedByOtherThreadsWhileOneReadsAndOneAsks) {
  for (int race = 0; race < kRaces; ++race) {
    flatout_loader* const loader = open();
    std::atomic<int> batches = 0;
    int ended = FLATOUT_OK;
    std::thread reader([&] { ended = read_until_closed(loader, batches); });
    std::thread asker([&] {
      while (flatout_loader_stats(loader) != nullptr && flatout_loader_drawn(loader) >= 0) {
      }
    });
    batches.wait(0);
    std::thread closer([&] { flatout_loader_close(loader); });
    flatout_loader_close(loader);
    for (std::thread* one : {&reader, &asker, &closer}) one->join();
    ASSERT_EQ(ended, FLATOUT_CLOSED) << race;
    expect_closed(loader);
  }
}

TEST_F(CloseTest, TwoThreadsReadOneEpoch) {
  for (int race = 0; race < kRaces; ++race) {
    flatout_loader* const loader = open();
    ASSERT_EQ(flatout_loader_begin(loader, 0, nullptr, 0), FLATOUT_OK);
    std::atomic<std::int64_t> samples = 0;
    const auto read = [&] {
      for (flatout_batch* batch = nullptr; flatout_loader_next(loader, &batch) == FLATOUT_OK;) {
        samples += flatout_batch_size(batch);
        flatout_batch_free(batch);
      }
    };
    std::thread one(read);
    std::thread other(read);
    one.join();
    other.join();
    EXPECT_EQ(samples, flatout_loader_samples(loader));
    flatout_loader_close(loader);
  }
}

TEST_F(CloseTest, AChildOfForkMayCloseWhileThreadsOfTheParentCall) {
  flatout_loader* const loader = open();
  std::atomic<int> batches = 0;
  std::thread reader([&] { read_until_closed(loader, batches); });
  batches.wait(0);
  for (int fork = 0; fork < 10; ++fork) {
    const pid_t child = ::fork();
    if (child == 0) {
      flatout_batch* batch = nullptr;
      const bool refused = flatout_loader_next(loader, &batch) == FLATOUT_INVALID;
      flatout_loader_close(loader);
      ::_exit(refused && flatout_loader_next(loader, &batch) == FLATOUT_CLOSED ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  flatout_loader_close(loader);
  reader.join();
}

}  // namespace
