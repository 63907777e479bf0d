#include "data/source/tar_shards.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "data/source/folder_fixture.h"
#include "data/source/tar_for_test.h"

namespace flatout::data {
namespace {

class TarShardsTest : public FolderTest {
 protected:
  base::Result<std::unique_ptr<TarShards>> open(const std::vector<std::string>& tars) {
    std::vector<std::string> paths;
    for (const std::string& tar : tars) {
      const std::string name = std::to_string(paths.size()) + ".tar";
      write(name, tar);
      paths.push_back((root_ / name).string());
    }
    return TarShards::open(std::move(paths));
  }
  static std::string content(const TarShards& shards, std::int64_t index) {
    ReadBuffer buffer;
    const auto bytes = shards.read(index, buffer);
    return bytes ? std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size())
                 : "!" + bytes.error().message;
  }
};

TEST_F(TarShardsTest, MembersOfOneNameAreASample) {
  const auto shards = open({tar_member("0.jpg", "zero") + tar_member("0.cls", "7\n") +
                                tar_member("1.cls", "-2") + tar_member("1.jpeg", "one") + tar_end(),
                            tar_member("d/2.json", "{}") + tar_member("d/2.jpg", "two") +
                                tar_member("d/2.cls", " 8 ") + tar_member("readme", "text") +
                                tar_member("3.json", "{}")});
  ASSERT_TRUE(shards) << shards.error().message;
  const TarShards& all = **shards;
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(content(all, 0), "zero");
  EXPECT_EQ(content(all, 1), "one");
  EXPECT_EQ(content(all, 2), "two");
  EXPECT_EQ(all.label(0), 7);
  EXPECT_EQ(all.label(1), -2);
  EXPECT_EQ(all.label(2), 8);
  EXPECT_TRUE(all.name(2).ends_with("1.tar: d/2.jpg"));
}

TEST_F(TarShardsTest, ASampleDoesNotReachIntoTheNextShard) {
  const auto shards =
      open({tar_member("0.jpg", "a"), tar_member("0.cls", "3") + tar_member("1.jpg", "b")});
  ASSERT_FALSE(shards);
  EXPECT_TRUE(shards.error().message.contains("1.tar: 0.cls has no picture"))
      << shards.error().message;
}

// What webdataset raises ValueError for.
TEST_F(TarShardsTest, APartThatComesTwiceIsAnErrorAndNoSampleIsLost) {
  const std::string five = tar_member("a.jpg", "1") + tar_member("a.jpg", "2") +
                           tar_member("a.jpg", "3") + tar_member("a.jpg", "4") +
                           tar_member("a.jpg", "5");
  for (const std::string& tar :
       {five, tar_member("a.jpg", "1") + tar_member("a.JPG", "2"),
        tar_member("a.jpg", "1") + tar_member("a.cls", "2") + tar_member("a.cls", "3"),
        tar_member("x", pax_record("path", "a.jpg"), 'x') + tar_member("0", "1") +
            tar_member("a.jpg", "2")}) {
    const auto shards = open({tar});
    ASSERT_FALSE(shards);
    EXPECT_TRUE(shards.error().message.contains("comes twice in its sample"))
        << shards.error().message;
  }
}

TEST_F(TarShardsTest, OneNameInTwoShardsOrFoldersOrApartIsAsManySamples) {
  const auto shards =
      open({tar_member("a.jpg", "1") + tar_member("A.jpg", "2") + tar_member("d/a.jpg", "3") +
                tar_member("D/a.jpg", "4") + tar_member("a.jpg", "5"),
            tar_member("a.jpg", "6")});
  ASSERT_TRUE(shards) << shards.error().message;
  ASSERT_EQ((*shards)->size(), 6);
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(content(**shards, i), std::to_string(i + 1));
}

TEST_F(TarShardsTest, LinksAndSparseFilesAreNoSampleThatIsLeftOut) {
  const std::string good = tar_member("a.jpg", "1");
  const std::string sparse =
      pax_record("GNU.sparse.major", "1") + pax_record("GNU.sparse.name", "b.jpg");
  for (const auto& [tar, said] :
       {std::pair{good + tar_header("b.jpg", 0, '1'), "b.jpg is a link"},
        {good + tar_header("b.jpg", 0, '2'), "b.jpg is a link"},
        {good + tar_header("a.cls", 0, '2'), "a.cls is a link"},
        {good + tar_member("b.jpg", "x", 'S'), "b.jpg is a sparse file"},
        {good + tar_member("x", sparse, 'x') + tar_member("GNUSparseFile.0/b.jpg", "x"),
         "b.jpg is a sparse file"}}) {
    const auto shards = open({tar});
    ASSERT_FALSE(shards) << said;
    EXPECT_TRUE(shards.error().message.contains(said)) << shards.error().message;
  }
  EXPECT_TRUE(open({good + tar_header("latest", 0, '2')})) << "of no sample";
  const auto between = open({good + tar_header("b.json", 0, '2') + tar_member("a.cls", "4")});
  ASSERT_TRUE(between) << "webdataset passes over it";
  EXPECT_EQ((*between)->label(0), 4);
}

TEST_F(TarShardsTest, ALabelWithoutItsPictureIsAnError) {
  const auto apart = open({tar_member("a.jpg", "1") + tar_member("b.jpg", "2") +
                           tar_member("a.cls", "1") + tar_member("b.cls", "2")});
  ASSERT_FALSE(apart);
  EXPECT_TRUE(apart.error().message.contains("a.cls has no picture")) << apart.error().message;
  EXPECT_FALSE(
      open({tar_member("a.jpg", "1") + tar_member("b.mp4", "2") + tar_member("b.cls", "2")}));
}

// webdataset gives such members to other samples, or to none.
TEST_F(TarShardsTest, ADotInANameLosesNoSample) {
  const auto named = [](const std::string& name, const std::string& number) {
    return tar_member(name + ".png", "x") + tar_member(name + ".cls", number);
  };
  for (const auto& [tar, member] :
       {std::pair{named("0", "0") + named("track 2.0 (clean)", "1"), "track 2.0 (clean).png"},
        {named("v1", "0") + named("v1.5", "1"), "v1.5.cls"},
        {tar_member("a.png", "x") + tar_member("a.fine.cls", "1"), "a.fine.cls"},
        {tar_member("a.left.jpg", "x") + tar_member("a.right.jpg", "x"), "a.left.jpg"}}) {
    const auto shards = open({tar});
    ASSERT_FALSE(shards) << member;
    EXPECT_TRUE(shards.error().message.contains("0.tar: " + std::string(member) +
                                                ": names are cut at their first dot"))
        << shards.error().message;
  }
  const auto more = open({named("0", "4") + tar_member("0.seg.png", "x") +
                          tar_member("0.fine.cls", "7") + named("1", "5")});
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ((*more)->size(), 2);
  EXPECT_EQ((*more)->label(0), 4);
}

TEST_F(TarShardsTest, ASampleOfManyPartsTakesNoLongTime) {
  std::string tar;
  for (int frame = 0; frame < 20000; ++frame)
    tar += tar_header("film." + std::to_string(frame) + ".jpg", 0);
  EXPECT_TRUE(open({tar}).error().message.contains("film.0.jpg: names are cut"));
}

TEST_F(TarShardsTest, NoSampleOfALabelledSetGetsALabelThatItHasNot) {
  const std::string labelled = tar_member("0.jpg", "x") + tar_member("0.cls", "5");
  for (const auto& tars : {std::vector{labelled + tar_member("1.jpg", "x")},
                           {tar_member("1.jpg", "x") + labelled},
                           {labelled, tar_member("1.jpg", "x") + tar_member("1.json", "{}")}}) {
    const auto shards = open(tars);
    ASSERT_FALSE(shards);
    EXPECT_TRUE(shards.error().message.contains("1.jpg has no label (.cls) beside it"))
        << shards.error().message;
  }
  const auto none = open({tar_member("0.jpg", "x") + tar_member("1.jpg", "x")});
  ASSERT_TRUE(none) << "a set without labels";
  EXPECT_EQ((*none)->label(1), 0);
}

TEST_F(TarShardsTest, APictureOfAnotherKindIsNotLeftOut) {
  const auto shards = open({tar_member("a.jpg", "x") + tar_member("b.GIF", "x")});
  ASSERT_FALSE(shards);
  EXPECT_TRUE(shards.error().message.contains("b.GIF: pictures of this kind are not decoded"))
      << shards.error().message;
}

TEST_F(TarShardsTest, WhatIsWrongIsNamed) {
  EXPECT_FALSE(open({}));
  EXPECT_TRUE(open({tar_member("a.json", "{}")}).error().message.contains("no sample"));
  EXPECT_TRUE(open({tar_member("a.jpg", "x") + tar_member("a.cls", "cat")})
                  .error()
                  .message.contains("a.cls"));
  EXPECT_TRUE(open({tar_member("a.jpg", "x") + tar_member("a.cls", std::string(5000, ' ') + "7")})
                  .error()
                  .message.contains("a.cls is no whole number"));
  const auto shards = open({tar_member("a.jpg", "") + tar_member("b.jpg", "longer")});
  ASSERT_TRUE(shards);
  EXPECT_TRUE(content(**shards, 0).contains("a.jpg: the member is empty"));
  std::filesystem::resize_file(root_ / "0.tar", 1026);
  EXPECT_TRUE(content(**shards, 1).contains("shorter"));
}

}  // namespace
}  // namespace flatout::data
