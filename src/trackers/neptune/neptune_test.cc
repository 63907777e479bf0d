// What the reader of Neptune's Parquet answers, and the folders of the exporter. Whole Parquet
// files are read in tests/imports/test_neptune_export.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/little_endian.h"
#include "trackers/neptune/export_folder.h"
#include "trackers/neptune/frames.h"
#include "trackers/neptune/read_run.h"
#include "trackers/neptune/run_head.h"

namespace flatout::trackers::neptune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct Said final : ParquetRows {
  std::string bytes;
  std::size_t at = 0;
  base::Result<void> ask(const std::vector<fs::path>&) override { return {}; }
  base::Result<std::size_t> read(std::span<char> into) override {
    const std::size_t some = std::min({into.size(), bytes.size() - at, std::size_t{7}});
    std::copy_n(bytes.data() + at, some, into.data());
    at += some;
    return some;
  }
  void done() override {}
};

struct Taken final : ImportSink {
  std::vector<std::string> names;
  std::vector<std::string> facts;
  std::vector<std::string> notes;
  bool ended = false;
  base::Result<void> begin(const ImportedHead&) override { return {}; }
  base::Result<void> values(std::span<const ImportedValue> values) override {
    for (const ImportedValue& one : values) {
      names.push_back(one.name + "@" + std::to_string(one.step.value_or(-1)));
    }
    return {};
  }
  base::Result<void> fact(std::string_view key, std::string json, std::int64_t) override {
    facts.push_back(std::string(key) + " " + json);
    return {};
  }
  base::Result<std::string> file(std::string_view, std::string_view extension) override {
    return "kept." + std::string(extension);
  }
  base::Result<void> end(ImportedEnd, std::optional<int>, std::int64_t) override {
    ended = true;
    return {};
  }
  void note(std::string line) override { notes.push_back(std::move(line)); }
};

std::string frame(char kind, std::string_view payload) {
  std::string out(1, kind);
  base::append(out, static_cast<std::uint32_t>(payload.size()));
  return out + std::string(payload);
}

std::string numbers(std::uint32_t index, std::int64_t step_millionths) {
  std::string out;
  base::append(out, std::uint32_t{1});
  base::append(out, std::uint32_t{1});
  out += "l";
  base::append(out, std::uint32_t{1});
  base::append(out, index);
  base::append(out, std::int64_t{1'700'000'000'000});
  base::append(out, step_millionths);
  base::append(out, 0.5);
  return out;
}

constexpr const char* kHead = R"({"run":"r","project":"team/p","scale":{"l":1}})";

std::string problem_of(std::string bytes, Taken& sink) {
  Said rows;
  rows.bytes = std::move(bytes);
  const auto done = read_run({"/data/p/r_part_0.parquet"}, rows, sink);
  return done ? "" : done.error().message;
}

std::string problem_of(std::string bytes) {
  Taken sink;
  auto problem = problem_of(std::move(bytes), sink);
  EXPECT_EQ(problem.empty(), sink.ended);
  return problem;
}

TEST(NeptuneAnswer, NumbersKeepStepsThatAreNotWhole) {
  Taken sink;
  EXPECT_EQ(
      problem_of(frame('H', kHead) + frame('V', numbers(0, 2'500'000)) + frame('E', "null"), sink),
      "");
  EXPECT_THAT(sink.names, ElementsAre("l@25"));
  EXPECT_THAT(sink.notes, ElementsAre(HasSubstr("times 10")));
}

TEST(NeptuneAnswer, WhatIsNoFrameIsAnErrorNotACrash) {
  EXPECT_THAT(problem_of(""), HasSubstr("ended before it was through"));
  EXPECT_THAT(problem_of(frame('H', kHead)), HasSubstr("ended before it was through"));
  EXPECT_THAT(problem_of("H\xff\xff\xff\xff"), HasSubstr("no frame"));
  EXPECT_THAT(problem_of(frame('V', numbers(0, 0))), HasSubstr("out of order"));
  EXPECT_THAT(problem_of(frame('H', kHead) + frame('V', numbers(1, 0)) + frame('E', "null")),
              HasSubstr("no frame"));
  const std::string cut = numbers(0, 0).substr(0, 30);
  EXPECT_THAT(problem_of(frame('H', kHead) + frame('V', cut)), HasSubstr("no frame"));
  EXPECT_THAT(problem_of(frame('H', "{}")), HasSubstr("name no run"));
  EXPECT_THAT(problem_of(frame('E', "null")), HasSubstr("hold no run"));
  EXPECT_THAT(problem_of(frame('E', R"("it is torn")")),
              HasSubstr("r_part_0.parquet cannot be read: "
                        "it is torn"));
}

TEST(NeptuneAnswer, TextsBeyondTheBoundAreCounted) {
  std::string rows = frame('H', kHead);
  const std::string row = R"({"path":"t","type":"string_series","step":0,"ms":1,"value":"x"})";
  for (int i = 0; i < 10'003; ++i) rows += frame('R', row);
  Taken sink;
  EXPECT_EQ(problem_of(rows + frame('E', "null"), sink), "");
  EXPECT_EQ(sink.facts.size(), 10'001U) << "and what hides monitoring/*";
  EXPECT_THAT(sink.notes, testing::Contains(HasSubstr("3 rows of series of more than 10000")));
}

TEST(NeptuneFolder, PartsByTheirName) {
  const auto part = part_name("a_part_b-00ff_part_12.parquet");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->run, "a_part_b-00ff");
  EXPECT_EQ(part->part, 12);
  for (const char* other :
       {"_part_0.parquet", "a_part_.parquet", "a_part_-1.parquet", "a_part_0.parquet.tmp",
        "a_part_99999999999.parquet", "a.parquet", "a_part_0x.parquet"}) {
    EXPECT_FALSE(part_name(other)) << other;
  }
}

TEST(NeptuneFolder, NoPathLeavesItAndNoLinkIsFollowed) {
  const fs::path root =
      fs::temp_directory_path() / ("neptune_folder." + std::to_string(::getpid()));
  fs::create_directories(root / "files" / "set" / "in");
  for (const char* name : {"out", "files/one", "files/set/b", "files/set/in/a"}) {
    std::ofstream(root / name) << "x";
  }
  fs::create_symlink(root / "out", root / "files" / "link");
  fs::create_directory_symlink(root, root / "files" / "up");
  const fs::path files = root / "files";
  EXPECT_THAT(named_files(files, "one").value(), ElementsAre(files / "one"));
  EXPECT_THAT(named_files(files, "set").value(), ElementsAre(files / "set/b", files / "set/in/a"));
  for (const char* bad :
       {"../out", "link", "up/out", "one/x", "", ".", "set/../../out", "missing"}) {
    EXPECT_FALSE(named_files(files, bad)) << bad;
  }
  EXPECT_FALSE(named_files(files, (root / "out").string()));
  EXPECT_FALSE(named_files({}, "one"));
  EXPECT_EQ(files_folder(root / "data" / "set" / "r_part_0.parquet"), files / "set");
  EXPECT_EQ(files_folder(root / "model_data" / "set" / "models" / "r_part_0.parquet"),
            files / "set");
  EXPECT_EQ(files_folder(root / "data" / "other" / "r_part_0.parquet"), fs::path());
  fs::remove_all(root);
}

TEST(NeptuneHead, SettingsByTheirNamespace) {
  for (const char* path : {"params/lr", "a/model_config/x", "sys/id", "hparams", "parameters/a"}) {
    EXPECT_TRUE(is_setting(path)) << path;
  }
  for (const char* path : {"result/acc", "myparams/x", "system/x", "", "config2"}) {
    EXPECT_FALSE(is_setting(path)) << path;
  }
}

}  // namespace
}  // namespace flatout::trackers::neptune
