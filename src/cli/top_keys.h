// What a user does in `flatout top`, from the bytes of a terminal. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flatout::cli {

enum class TopAct : std::uint8_t {
  kQuit,
  kHelp,
  kPause,
  kSortNext,
  kSortCpu,
  kSortMemory,
  kSortRead,
  kSortDevice,
  kSortPid,
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
  kClick,
};

struct TopEvent {
  TopAct act = TopAct::kQuit;
  std::size_t x = 0, y = 0;  // of a click, from 0
  friend bool operator==(const TopEvent&, const TopEvent&) = default;
};

// Keys come as bytes, some as sequences that may arrive in parts. What is not known does nothing.
class TopKeys {
 public:
  std::vector<TopEvent> take(std::string_view bytes);
  // Escape was pressed, or the rest of a sequence is on its way: which of the two, time says.
  bool waits() const { return !held_.empty(); }
  // No more came: a lone Escape is a key.
  std::vector<TopEvent> rest();

 private:
  std::string held_;
};

}  // namespace flatout::cli
