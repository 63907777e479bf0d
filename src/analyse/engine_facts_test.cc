// What a recording says of the loading engine's speed, as far as it can be believed.
#include "analyse/engine_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run/facts.h"

namespace flatout::analyse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr pid_t kReaderPid = 7;

run::Timeline saying(std::string_view key, std::vector<std::string> facts, pid_t pid = kReaderPid) {
  run::Timeline timeline;
  for (std::string& json : facts) {
    timeline.processes[pid].facts.push_back({1, std::string(key), std::move(json)});
  }
  return timeline;
}

std::optional<LoaderFiles> files(std::string json) {
  return loader_files(saying(run::facts::kLoaderFiles, {std::move(json)}), kReaderPid, 1);
}

TEST(LoaderFiles, AreNamedBelowAFolder) {
  const auto found =
      files(R"({"loader":1,"folder":"/d","files":["a/1.jpg","b.jpg"],"spec":{"dtype":"uint8"}})");
  ASSERT_TRUE(found);
  EXPECT_THAT(found->files, ElementsAre("/d/a/1.jpg", "/d/b.jpg"));
  EXPECT_EQ(found->spec, R"({"dtype":"uint8"})");
  EXPECT_THAT(found->places, IsEmpty());
  const auto own = files(R"({"loader":1,"files":["/x.jpg"],"places":[[0,5,9]]})");
  ASSERT_TRUE(own);
  EXPECT_EQ(own->spec, "");
  EXPECT_THAT(own->places, ElementsAre(std::array<std::int64_t, 3>{0, 5, 9}));
  EXPECT_EQ(files(R"({"loader":1,"why_not":"in tar shards"})")->why_not, "in tar shards");
}

TEST(LoaderFiles, WhatCannotBeUsedIsNotThere) {
  for (const char* json :
       {"", "[]", "{", R"({"loader":2,"files":["/x"]})", R"({"loader":1})",
        R"({"loader":1,"files":[]})", R"({"loader":1,"files":["x.jpg"]})",
        R"({"loader":1,"files":[1]})", R"({"loader":1,"files":["/x\u0000y"]})",
        R"({"loader":1,"files":"/x"})", R"({"loader":1,"files":["/x"],"spec":3})",
        R"({"loader":1,"files":["/x"],"places":[]})",
        R"({"loader":1,"files":["/x"],"places":[[1,0,5]]})",
        R"({"loader":1,"files":["/x"],"places":[[0,-1,5]]})",
        R"({"loader":1,"files":["/x"],"places":[[0,0,0]]})",
        R"({"loader":1,"files":["/x"],"places":[[0,0,18446744073709551615]]})",
        R"({"loader":1,"files":["/x"],"places":[[0,0]]})"}) {
    EXPECT_FALSE(files(json)) << json;
  }
  std::string many = R"({"loader":1,"files":["/x")";
  for (std::size_t i = 0; i < kMostLoaderFiles; ++i) many += R"(,"/x")";
  EXPECT_FALSE(files(many + "]}"));
  EXPECT_FALSE(files(R"({"loader":1,"files":["/)" + std::string(5000, 'x') + R"("]})"));
  EXPECT_FALSE(loader_files({}, kReaderPid, 1));
}

TEST(EngineMeasurement, IsReadAsItWasSaidWhoeverSaidIt) {
  const run::EngineMeasurement said{.speed = run::EngineSpeed{.samples_per_s = 1100.5,
                                                              .cpu_ms = 1.75,
                                                              .threads = 2,
                                                              .seconds = 0.7,
                                                              .files = 256,
                                                              .size = std::array{224, 200}}};
  const auto timeline =
      saying(run::facts::kEngineSpeed, {engine_measurement_json(kReaderPid, 1, said)}, 3);
  const auto found = engine_measurement(timeline, kReaderPid, 1);
  ASSERT_TRUE(found && found->speed);
  EXPECT_DOUBLE_EQ(found->speed->samples_per_s, 1100.5);
  EXPECT_DOUBLE_EQ(found->speed->cpu_ms, 1.75);
  EXPECT_EQ(found->speed->threads, 2);
  EXPECT_EQ(found->speed->files, 256);
  EXPECT_EQ(found->speed->size, (std::array{224, 200}));
  EXPECT_FALSE(engine_measurement(timeline, kReaderPid, 2)) << "of another loader";
  EXPECT_FALSE(engine_measurement(timeline, 3, 1)) << "of another process";

  const auto why = saying(run::facts::kEngineSpeed,
                          {engine_measurement_json(kReaderPid, 1, {.skipped = "gone"})});
  EXPECT_EQ(engine_measurement(why, kReaderPid, 1)->skipped, "gone");
  EXPECT_FALSE(engine_measurement(why, kReaderPid, 1)->speed);
}

TEST(EngineMeasurement, AbsurdFiguresAreNone) {
  for (const char* json : {"", "[1]", "{}", R"({"samples_per_s":0,"cpu_ms":1,"threads":2})",
                           R"({"samples_per_s":-5,"cpu_ms":1,"threads":2})",
                           R"({"samples_per_s":1e300,"cpu_ms":1,"threads":2})",
                           R"({"samples_per_s":5,"cpu_ms":1e999,"threads":2})",
                           R"({"samples_per_s":5,"cpu_ms":0,"threads":2})",
                           R"({"samples_per_s":5,"cpu_ms":1,"threads":0})",
                           R"({"samples_per_s":5,"cpu_ms":1,"threads":1e20})",
                           R"({"samples_per_s":5,"cpu_ms":1,"threads":99999999999})",
                           R"({"samples_per_s":"5","cpu_ms":1,"threads":2})", R"({"skipped":3})"}) {
    EXPECT_FALSE(engine_measurement_of(json)) << json;
  }
  const auto odd =
      engine_measurement_of(R"({"samples_per_s":5,"cpu_ms":1,"threads":2,"size":[0,9]})");
  ASSERT_TRUE(odd && odd->speed);
  EXPECT_FALSE(odd->speed->size);
}

TEST(PictureSize, IsThatOfTheFirstModelThatWasGivenPictures) {
  const auto of = [](std::vector<std::string> models) {
    return picture_size(saying(run::facts::kModel, std::move(models)), kReaderPid);
  };
  EXPECT_EQ(of({R"({"class":"A"})", R"({"class":"B","input":[32,3,224,160]})"}),
            (std::array{224, 160}));
  EXPECT_FALSE(of({R"({"input":[32,3,224]})"}));
  EXPECT_FALSE(of({R"({"input":[32,3,224,99999999]})", R"({"input":"x"})", "["}));
}

TEST(EngineFacts, TheFolderOfTheClassesWhereItIsPlain) {
  const auto folder = [](std::vector<std::string> files) {
    return class_folders_of({.files = std::move(files)});
  };
  EXPECT_EQ(folder({"/d/cat/1.jpg", "/d/dog/1.jpg", "/d/cat/2.jpg"}), "/d");
  EXPECT_EQ(folder({"/d/cat/1.jpg", "/d/cat/2.jpg"}), "") << "a class, or a folder without any";
  EXPECT_EQ(folder({"/d/train/cat/1.jpg", "/d/val/cat/1.jpg"}), "");
  EXPECT_EQ(folder({}), "");
  LoaderFiles tar = {.files = {"/d/a/1.tar", "/d/b/2.tar"}};
  tar.places = {{0, 0, 10}};
  EXPECT_EQ(class_folders_of(tar), "") << "parts of files";
}

}  // namespace
}  // namespace flatout::analyse
