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
                                        {"a/.jpg", "a/", "jpg"}}) {
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
  ASSERT_TRUE(shards);
  EXPECT_EQ((*shards)->label(0), 0);
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
