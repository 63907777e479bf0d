// One screen of `flatout top`. Pure; any thread; never throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "report/top/grid.h"
#include "run/watched.h"

namespace flatout::report {

enum class TopSort : std::uint8_t { kCpu, kMemory, kRead, kDevice, kPid };
constexpr std::size_t kTopSorts = 5;
std::string_view sort_name(TopSort sort);

// What the user chose.
struct TopView {
  TopSort sort = TopSort::kCpu;
  std::size_t first = 0;  // process at the top of the list
  bool paused = false;
  bool help = false;
  bool once = false;  // printed once: no keys
};

// What the terminal is.
struct TopSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool unicode = true;
  bool colour = true;  // else what colours say is said by letters
};

// A screen that is smaller than 40 x 8 says so and nothing else.
Grid top_screen(const run::Watched& watched, const TopView& view, const TopSize& size);

// Rows of the list of processes on that screen: how far a page is.
std::size_t top_process_rows(const run::Watched& watched, const TopView& view, const TopSize& size);

// The column of the list's head at which a click sorts by it; false where there is none.
bool top_sort_at(const run::Watched& watched, const TopView& view, const TopSize& size,
                 std::size_t x, std::size_t y, TopSort& sort);

}  // namespace flatout::report
