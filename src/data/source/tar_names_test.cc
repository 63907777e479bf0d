#include "data/source/tar_names.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace flatout::data {
namespace {

// Each is what webdataset.tariterators.base_plus_ext and its skip_meta make of the name, which
// tests/knobs/test_shard_names.py compares for any name.
TEST(TarName, IsCutAtTheFirstDotOfItsLastPart) {
  for (const auto& [name, key, part] : {std::tuple{"a.b/000.JPG", "a.b/000", "jpg"},
                                        {"x.seg.png", "x", "seg.png"},
                                        {"track 2.0 (clean).png", "track 2", "0 (clean).png"},
                                        {"x.", "x", ""},
                                        {"a/.jpg", "a/", "jpg"},
                                        {"a.b/c/.x.jpg", "a.b/c/", "x.jpg"},
                                        {"/.jpg", "/", "jpg"},
                                        {"a//.jpg", "a//", "jpg"},
                                        {"__a/b.jpg", "__a/b", "jpg"},
                                        {"a\nb/c.jpg", "a\nb/c", "jpg"}}) {
    const auto got = split_tar_name(name);
    ASSERT_TRUE(got) << name;
    EXPECT_EQ(got->key, key);
    EXPECT_EQ(got->part, part);
  }
  for (const char* none : {"x", "", ".jpg", "a.b/.jpg", "./.jpg", "..", "a.b/c", "__notes__/a.jpg",
                           "____/a.jpg", "__a.jpg__", "__a.jpg__\n", "a\nb.c/d.jpg"}) {
    EXPECT_FALSE(split_tar_name(none)) << none;
  }
}

TEST(TarName, ALongOneTakesNoLongTime) {
  EXPECT_FALSE(split_tar_name(std::string(std::size_t{1} << 20U, '/')));
  EXPECT_FALSE(split_tar_name(std::string(std::size_t{1} << 20U, '.')));
}

TEST(TarName, ItsEnding) {
  EXPECT_EQ(ending_of("png"), "png");
  EXPECT_EQ(ending_of("seg.png"), "png");
  EXPECT_EQ(ending_of(""), "");
  EXPECT_EQ(ending_of("x."), "");
}

TEST(TarLabel, IsReadAsPythonReadsIt) {
  for (const auto& [text, label] :
       {std::pair<std::string, std::int64_t>{"8", 8},
        {" 8 ", 8},
        {"\t\v\f\r\n8\r\n", 8},
        {"-2", -2},
        {"+3", 3},
        {"-0", 0},
        {"007", 7},
        {"1_000", 1000},
        {std::string(100, ' ') + "5", 5},
        {std::string(100, '0') + "6", 6},
        {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
        {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()}}) {
    EXPECT_EQ(label_in(text), label) << text;
  }
  for (const char* none : {"", " ", "cat", "1.0", "1e3", "0x10", "- 8", "--8", "+-8", "-", "_1",
                           "1_", "1__0", "8 8", "9223372036854775808", "\xd9\xa3"}) {
    EXPECT_FALSE(label_in(none)) << none;
  }
  EXPECT_FALSE(label_in(std::string("8\0", 2)));
}

}  // namespace
}  // namespace flatout::data
