#include "data/source/tar_index.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "data/source/folder_fixture.h"
#include "data/source/tar_for_test.h"

namespace flatout::data {
namespace {

class TarIndexTest : public FolderTest {
 protected:
  // "name:size@offset" of each member; "!" and the error at the end where there is one.
  std::string index(std::string_view tar) {
    write("a.tar", tar);
    std::string out;
    const auto done = read_tar_index((root_ / "a.tar").string(), [&](int, const TarMember& member) {
      out += member.name + ":" + std::to_string(member.size) + "@" + std::to_string(member.offset) +
             (member.kind == TarMember::Kind::kLink ? "link " : " ");
      return base::Result<void>{};
    });
    return done ? out : out + "!" + done.error().message;
  }
  static bool fails(const std::string& said, std::string_view why) {
    return said.contains('!') && said.contains(why);
  }
};

TEST_F(TarIndexTest, MembersInOrderAndFoldersLeftOut) {
  EXPECT_EQ(index(tar_member("a/", "", '5') + tar_member("a/1.jpg", "pixels") +
                  tar_header("a/2.jpg", 99, '2') + tar_member("a/3.cls", std::string(600, 'x')) +
                  tar_member("old", "y", '\0') + tar_end()),
            "a/1.jpg:6@1024 a/2.jpg:99@2048link a/3.cls:600@2560 old:1@4096 ");
  EXPECT_EQ(index(""), "");
  EXPECT_EQ(index(tar_member("no end", "x")), "no end:1@512 ");
}

TEST_F(TarIndexTest, LongNames) {
  const std::string name = std::string(150, 'n') + ".jpg";
  EXPECT_EQ(index(tar_member("name.jpg", "x", '0', "folder/below")),
            "folder/below/name.jpg:1@512 ");
  EXPECT_EQ(index(tar_member("././@LongLink", name + '\0', 'L') + tar_member(name, "x") +
                  tar_member("b", "")),
            name + ":1@1536 b:0@2560 ");
  EXPECT_EQ(
      index(tar_member("PaxHeader", pax_record("mtime", "1.5") + pax_record("path", name), 'x') +
            tar_member("short", "x") + tar_member("g", pax_record("comment", "c"), 'g') +
            tar_member("b", "y")),
      name + ":1@1536 b:1@3584 ");
}

TEST_F(TarIndexTest, SizesThatOctalDigitsCannotHold) {
  std::string header = tar_header("large.jpg", 0);
  header.replace(124, 12, 12, '\0');
  header[124] = '\x80';
  header[135] = '\x05';
  set_sum(header);
  EXPECT_EQ(index(header + std::string(512, 'x') + tar_end()), "large.jpg:5@512 ")
      << "the last byte is the lowest";
  EXPECT_EQ(index(tar_member("PaxHeader", pax_record("size", "6"), 'x') + tar_header("a", 0) +
                  std::string(512, 'x')),
            "a:6@1536 ");
  header[125] = '\x7f';
  set_sum(header);
  EXPECT_TRUE(fails(index(header), "size")) << "2^94 bytes";
}

TEST_F(TarIndexTest, WhatIsNoTarOrIsCutOffIsNamedWithItsPlace) {
  EXPECT_TRUE(fails(index(std::string(600, 'z')), "at byte 0"));
  const std::string two = tar_member("a", "x") + tar_member("b", std::string(3000, 'y'));
  EXPECT_TRUE(fails(index(two.substr(0, 2000)), "a:1@512 !")) << "what came before is reported";
  EXPECT_TRUE(fails(index(two.substr(0, 2000)), "at byte 1024 it has a member that is cut off"));
  EXPECT_TRUE(fails(index(two.substr(0, 1100)), "ends within a header"));
  // The bytes that fill up a member's last block: whatever came behind them is gone, too.
  EXPECT_TRUE(fails(index(two.substr(0, 600)), "at byte 1024 it has lost the rest of the member"));
  EXPECT_TRUE(fails(index(two.substr(0, 1023)), "at byte 1024 it has lost the rest of the member"));
  std::string damaged = two;
  damaged[1030] ^= 1;
  EXPECT_TRUE(fails(index(damaged), "at byte 1024"));
  EXPECT_TRUE(fails(index(tar_header("././@LongLink", 1 << 20, 'L') + std::string(1 << 20, 'n')),
                    "64 KiB"));
  EXPECT_FALSE(read_tar_index((root_ / "none.tar").string(), {}));
  EXPECT_FALSE(read_tar_index(root_.string(), {}));
}

TEST_F(TarIndexTest, WhoIsToldCanEndIt) {
  write("a.tar", tar_member("a", "x") + tar_member("b", "y"));
  int told = 0;
  const auto done =
      read_tar_index((root_ / "a.tar").string(), [&](int, const TarMember&) -> base::Result<void> {
        ++told;
        return base::fail(base::ErrorCode::kInvalid, "enough");
      });
  EXPECT_FALSE(done);
  EXPECT_EQ(told, 1);
}

// Whatever is changed in a tar: every member that is reported lies within the file.
TEST_F(TarIndexTest, DamagedBytesNeverLeadBeyondTheFile) {
  const std::string whole =
      tar_member("././@LongLink", std::string(200, 'n') + '\0', 'L') + tar_member("n", "xyz") +
      tar_member("P", pax_record("path", "p/q") + pax_record("size", "4"), 'x') +
      tar_member("b", "1234") + tar_end();
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    std::string tar = whole;
    for (int change = 0; change < 3; ++change) {
      const std::size_t header = random() % (tar.size() / 512) * 512;
      tar[header + (random() % 2 == 0 ? 124 + random() % 12 : random() % 512)] =
          static_cast<char>(random() % 256);
      std::string block = tar.substr(header, 512);
      set_sum(block);
      if (random() % 4 != 0) tar.replace(header, 512, block);
    }
    write("d.tar", tar);
    (void)read_tar_index((root_ / "d.tar").string(), [&](int, const TarMember& member) {
      EXPECT_LE(member.offset, tar.size());
      EXPECT_LE(member.size, tar.size() - member.offset);
      return base::Result<void>{};
    });
  }
}

}  // namespace
}  // namespace flatout::data
