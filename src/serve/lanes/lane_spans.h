// The rectangles of one lane of a picture: what is shorter than a pixel is put together. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyse/contention.h"

namespace flatout::serve {

// What rectangles are called, each name once.
class LaneNames {
 public:
  struct Name {
    std::string text;
    std::string kind;  // by which it is coloured
  };
  std::uint32_t number_of(std::string_view text, std::string_view kind);
  const std::vector<Name>& all() const { return all_; }

 private:
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> numbers_;
  std::vector<Name> all_;
};

struct LaneSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t filled_ns = 0;  // of it; less than its length where it stands for several
  std::uint32_t name = 0;      // of the longest of them
  std::uint32_t count = 1;
};

class LaneSpans {
 public:
  // At most two rectangles for each of `columns`.
  LaneSpans(analyse::TimeWindow window, std::size_t columns);

  // In order of begin. What lies outside of the window is cut off, and what overlaps the one
  // before begins behind it. Never more than the bound, whatever comes.
  void add(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t name);
  std::vector<LaneSpan> taken();

 private:
  void end_group();

  analyse::TimeWindow window_;
  std::int64_t pixel_ns_;
  std::vector<LaneSpan> spans_;
  LaneSpan group_;
  std::int64_t longest_ns_ = 0;  // in the group; 0 = there is none
};

}  // namespace flatout::serve
