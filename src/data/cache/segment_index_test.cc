#include "data/cache/segment_index.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace flatout::data::cache {
namespace {

SegmentEntry entry(std::uint64_t number) {
  return {.key = {number, ~number}, .offset = 100 * number, .bytes = 7, .checksum = number * 3};
}

TEST(SegmentIndex, EntriesAreReadAsTheyWereWritten) {
  std::string text;
  for (std::uint64_t number = 0; number < 5; ++number) text += segment_entry_bytes(entry(number));
  const SegmentEntries read = read_segment_entries(text);
  ASSERT_EQ(read.entries.size(), 5U);
  for (std::uint64_t number = 0; number < 5; ++number)
    EXPECT_EQ(read.entries[number], entry(number));
  EXPECT_EQ(read.used, text.size());
  EXPECT_TRUE(is_segment_header(segment_header()));
  EXPECT_FALSE(is_segment_header(segment_header().substr(1)));
}

// Wherever a writer was stopped, what is whole is read, and the rest when it is there.
TEST(SegmentIndex, HalfAnEntryWaitsForItsOtherHalf) {
  const std::string text = segment_entry_bytes(entry(1)) + segment_entry_bytes(entry(2));
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const SegmentEntries read = read_segment_entries(text.substr(0, size));
    EXPECT_EQ(read.entries.size(), size / kSegmentEntryBytes);
    EXPECT_EQ(read.used, size / kSegmentEntryBytes * kSegmentEntryBytes);
    EXPECT_EQ(read.damaged, 0U);
  }
}

TEST(SegmentIndex, AChangedBitLosesItsEntryAlone) {
  const std::string text =
      segment_entry_bytes(entry(1)) + segment_entry_bytes(entry(2)) + segment_entry_bytes(entry(3));
  for (std::size_t bit = 0; bit < 8 * kSegmentEntryBytes; ++bit) {
    std::string changed = text;
    changed[kSegmentEntryBytes + bit / 8] ^= static_cast<char>(1 << bit % 8);
    const SegmentEntries read = read_segment_entries(changed);
    ASSERT_EQ(read.entries.size(), 2U) << bit;
    EXPECT_EQ(read.entries[1], entry(3));
    EXPECT_EQ(read.damaged, 1U);
  }
}

TEST(SegmentIndex, AKeyHangsOnAllOfTheVersion) {
  const SampleVersion version{"/a", 1, 2, 3, 4};
  EXPECT_EQ(key_of(version), key_of(SampleVersion{"/a", 1, 2, 3, 4}));
  for (const SampleVersion& other :
       {SampleVersion{"/b", 1, 2, 3, 4}, SampleVersion{"/a", 9, 2, 3, 4},
        SampleVersion{"/a", 1, 9, 3, 4}, SampleVersion{"/a", 1, 2, 9, 4},
        SampleVersion{"/a", 1, 2, 3, 9}})
    EXPECT_FALSE(key_of(version) == key_of(other));
}

}  // namespace
}  // namespace flatout::data::cache
