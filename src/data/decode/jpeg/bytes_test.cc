#include "data/decode/jpeg/bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "data/decode/jpeg/jpeg_for_test.h"

namespace flatout::data {
namespace {

using File = std::vector<std::byte>;

File file_of(std::initializer_list<int> bytes) {
  File file;
  for (const int byte : bytes) file.push_back(static_cast<std::byte>(byte));
  return file;
}

// Reads byte by byte, as a reader would that has used all bits before.
std::vector<int> read_all(CodedBytes& bytes, BitPlace place) {
  std::vector<int> all;
  for (;;) {
    if (place.next > bytes.last_begin() && bytes.has_more()) bytes.fill(place);
    const BitPlace after = {.acc = 0, .count = 0, .next = place.next + 1};
    if (bytes.is_beyond(after)) return all;
    all.push_back(*place.next);
    place = after;
  }
}

std::vector<int> read_all(const File& file) {
  CodedBytes bytes;
  return read_all(bytes, bytes.begin(file, 0));
}

TEST(JpegBytes, StuffingIsTakenOutAndMarkersEndTheData) {
  EXPECT_EQ(read_all(file_of({1, 0xFF, 0, 2, 0xFF, 0xD9, 3})), (std::vector<int>{1, 0xFF, 2}));
  EXPECT_EQ(read_all(file_of({0xFF, 0xD0, 1})), std::vector<int>{});
  EXPECT_EQ(read_all(file_of({7})), std::vector<int>{7});
  EXPECT_EQ(read_all(file_of({7, 0xFF})), std::vector<int>{7});  // cut
  EXPECT_EQ(read_all({}), std::vector<int>{});
}

TEST(JpegBytes, FillBytesBeforeACodeAreOne) {
  EXPECT_EQ(read_all(file_of({1, 0xFF, 0xFF, 0xFF, 0, 2, 0xFF, 0xFF, 0xD9})),
            (std::vector<int>{1, 0xFF, 2}));
}

TEST(JpegBytes, PiecesOfAnySizeComeWhole) {
  TestRandom random(1);
  CodedBytes bytes;
  for (int i = 0; i < 12; ++i) {
    File file;
    std::vector<int> expected;
    for (int left = random.below(50000); left > 0; --left) {
      const int byte = random.below(i % 2 == 0 ? 256 : 2) == 1 ? 0xFF : random.below(256);
      expected.push_back(byte);
      file.push_back(static_cast<std::byte>(byte));
      if (byte == 0xFF) file.push_back(std::byte{0});
    }
    const std::size_t marker = file.size();
    file.push_back(std::byte{0xFF});
    file.push_back(std::byte{0xD3});
    ASSERT_EQ(read_all(bytes, bytes.begin(file, 0)), expected);
    EXPECT_EQ(bytes.find_marker(), marker);
    EXPECT_EQ(find_jpeg_marker(file, 0), marker);
  }
}

TEST(JpegBytes, ABitBeyondTheEndIsBeyond) {
  const File file = file_of({1, 2, 3});
  CodedBytes bytes;
  const BitPlace begin = bytes.begin(file, 0);
  EXPECT_FALSE(bytes.is_beyond({.acc = 0, .count = 0, .next = begin.next + 3}));
  EXPECT_FALSE(bytes.is_beyond({.acc = 0, .count = 40, .next = begin.next + 8}));
  EXPECT_TRUE(bytes.is_beyond({.acc = 0, .count = 39, .next = begin.next + 8}));
}

}  // namespace
}  // namespace flatout::data
