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

TEST(TarName, IsCutAtTheFirstDotOfItsLastPart) {
  for (const auto& [name, key, part] : {std::tuple{"a.b/000.JPG", "a.b/000", "jpg"},
                                        {"x.seg.png", "x", "seg.png"},
                                        {"x", "x", ""},
                                        {"a/.jpg", "a/.jpg", ""},
                                        {".jpg", ".jpg", ""},
                                        {"__notes__/a.jpg", "__notes__/a.jpg", ""},
                                        {"__a/b.jpg", "__a/b", "jpg"}}) {
    EXPECT_EQ(split_tar_name(name).key, key);
    EXPECT_EQ(split_tar_name(name).part, part);
  }
}

TEST_F(TarShardsTest, MembersOfOneNameAreASample) {
  const auto shards = open({tar_member("0.jpg", "zero") + tar_member("0.cls", "7\n") +
                                tar_member("1.cls", "-2") + tar_member("1.jpeg", "one") + tar_end(),
                            tar_member("d/2.json", "{}") + tar_member("d/2.jpg", "two") +
                                tar_member("readme", "text") + tar_member("3.json", "{}")});
  ASSERT_TRUE(shards) << shards.error().message;
  const TarShards& all = **shards;
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(content(all, 0), "zero");
  EXPECT_EQ(content(all, 1), "one");
  EXPECT_EQ(content(all, 2), "two");
  EXPECT_EQ(all.label(0), 7);
  EXPECT_EQ(all.label(1), -2);
  EXPECT_EQ(all.label(2), 0) << "no cls";
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
}

TEST_F(TarShardsTest, ALabelWithoutItsPictureIsAnError) {
  const auto apart = open({tar_member("a.jpg", "1") + tar_member("b.jpg", "2") +
                           tar_member("a.cls", "1") + tar_member("b.cls", "2")});
  ASSERT_FALSE(apart);
  EXPECT_TRUE(apart.error().message.contains("a.cls has no picture")) << apart.error().message;
  EXPECT_FALSE(
      open({tar_member("a.jpg", "1") + tar_member("b.gif", "2") + tar_member("b.cls", "2")}));
}

TEST_F(TarShardsTest, WhatIsWrongIsNamed) {
  EXPECT_FALSE(open({}));
  EXPECT_TRUE(open({tar_member("a.json", "{}")}).error().message.contains("no sample"));
  EXPECT_TRUE(open({tar_member("a.jpg", "x") + tar_member("a.cls", "cat")})
                  .error()
                  .message.contains("a.cls"));
  const auto shards = open({tar_member("a.jpg", "") + tar_member("b.jpg", "longer")});
  ASSERT_TRUE(shards);
  EXPECT_TRUE(content(**shards, 0).contains("a.jpg: the member is empty"));
  std::filesystem::resize_file(root_ / "0.tar", 1026);
  EXPECT_TRUE(content(**shards, 1).contains("shorter"));
}

}  // namespace
}  // namespace flatout::data
