#include "store/run_meta.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <fstream>
#include <thread>

#include "base/file.h"
#include "store/catalog_fixture.h"

namespace flatout::store {
namespace {

using MetaTest = CatalogTest;

TEST_F(MetaTest, TwoThatChangeTheMetaBothCount) {
  const auto id = record(1);
  std::vector<std::thread> threads;
  for (const char* tag : {"a", "b", "c", "d"}) {
    threads.emplace_back([&, tag] {
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(update_meta(home.folder(id), [&](RunMeta& meta) {
          meta.tags.push_back(tag + std::to_string(i % 5));
        }));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(read_meta(home.folder(id))->tags.size(), 20U);
}

TEST_F(MetaTest, MetaHasItsBounds) {
  const auto folder = home.folder(record(1));
  EXPECT_EQ(read_meta(folder), RunMeta{});
  for (const char* bad : {"", " a", "a ", "a,b", "a\nb"}) {
    EXPECT_FALSE(update_meta(folder, [&](RunMeta& meta) { meta.tags = {bad}; })) << bad;
  }
  EXPECT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.tags = {"a b"}; }));
  EXPECT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.tags = {}; }));
  EXPECT_FALSE(update_meta(folder, [](RunMeta& meta) { meta.note.assign(20'000, 'x'); }));
  EXPECT_FALSE(update_meta(home.folder("nope"), [](RunMeta&) {}));
  std::ofstream(folder / kMetaFileName) << R"({"later":{"x":1},"tags":["a"]})";
  ASSERT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.note = "n"; }));
  std::ifstream in(folder / kMetaFileName);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text, testing::HasSubstr("later"));
  EXPECT_EQ(read_meta(folder)->note, "n");
  std::ofstream(folder / kMetaFileName) << "no JSON";
  EXPECT_EQ(read_meta(folder).error().code, base::ErrorCode::kCorrupt);
  EXPECT_EQ(list().runs[0].problem, "");
  EXPECT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.note = "again"; }));
}

// What another program put into it must not make it unreadable for ever, nor
// recurse as deep as 256 KiB of brackets go.
TEST_F(MetaTest, AMetaThatNestsWithoutEndIsReplaced) {
  const auto folder = home.folder(record(1));
  for (const std::size_t depth : {20U, 120'000U}) {
    std::ofstream(folder / kMetaFileName)
        << R"({"later":)" << std::string(depth, '[') << std::string(depth, ']') << '}';
    EXPECT_EQ(read_meta(folder).error().code, base::ErrorCode::kCorrupt) << depth;
    EXPECT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.note = "again"; })) << depth;
    EXPECT_EQ(read_meta(folder)->note, "again") << depth;
  }
}

TEST_F(MetaTest, WhatAProgramTrackedIsListed) {
  const std::string id = record(1);
  std::string deep = "1";
  for (int i = 0; i < 20; ++i) deep = R"({"a":)" + deep + "}";
  const auto written = update_meta(home.folder(id), [&](RunMeta& meta) {
    meta.tracked = TrackedHeadline{.id = "x1",
                                   .project = std::string(5000, 'p'),
                                   .name = "n",
                                   .group = {},
                                   .job_type = {},
                                   .tags = {"a"},
                                   .config = R"({"lr":0.1,"deep":)" + deep + R"(,"long":")" +
                                             std::string(100'000, 'x') + "\"}",
                                   .summary = "no JSON"};
  });
  ASSERT_TRUE(written);
  const auto meta = read_meta(home.folder(id));
  ASSERT_TRUE(meta && meta->tracked);
  EXPECT_EQ(meta->tracked->id, "x1");
  EXPECT_EQ(meta->tracked->project.size(), 1024U);
  EXPECT_EQ(meta->tracked->summary, "{}");
  EXPECT_THAT(meta->tracked->config, testing::HasSubstr(R"("lr":0.1)"));
  EXPECT_THAT(meta->tracked->config, testing::HasSubstr(R"({"a":{"a":{"a":"{)"));
  EXPECT_THAT(meta->tracked->config, testing::HasSubstr(R"("long":"xxxx)"));
  EXPECT_LT(meta->tracked->config.size(), 1300U);  // the beginning of the long one
  ASSERT_EQ(list().runs.size(), 1U);
  EXPECT_EQ(list().runs[0].meta.tracked, meta->tracked);  // the second time from the catalog
  expect_true_listing();
}

TEST_F(MetaTest, WhatAKilledWriterOfAMetaLeftIsRemoved) {
  const auto folder = home.folder(record(1));
  const auto leave = [&](const char* name) {
    ASSERT_TRUE(base::write_file_atomic(folder / name, "half"));
  };
  for (const char* const name : {"meta.json.AbC123", "meta.json.bak", "other.json.AbC123"}) {
    leave(name);
  }
  std::filesystem::create_directory(folder / "meta.json.folder");
  sweep_meta(folder);
  EXPECT_FALSE(std::filesystem::exists(folder / "meta.json.AbC123"));
  leave("meta.json.DeF456");
  ASSERT_TRUE(update_meta(folder, [](RunMeta& meta) { meta.note = "n"; }));
  EXPECT_FALSE(std::filesystem::exists(folder / "meta.json.DeF456"));
  for (const char* const name : {"meta.json", "meta.json.bak", "other.json.AbC123"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
  // Somebody writes just now.
  const base::UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  leave("meta.json.GhI789");
  sweep_meta(folder);
  EXPECT_TRUE(std::filesystem::exists(folder / "meta.json.GhI789"));
}

}  // namespace
}  // namespace flatout::store
