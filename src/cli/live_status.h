// What `run` shows while its program runs: step, rate and verdict so far.
//
// The program has the terminal to itself: what it writes there goes through no hand of ours, so
// a line of ours between its lines could not be taken away in time. So the text is
//   - the terminal's title, where the program may write to that terminal as well;
//   - a line that the next replaces, where what flatout has to say goes to a terminal of its own
//     (--report-to), which is neither the program's stdout nor its stderr;
//   - nothing otherwise: no terminal, one that knows no title, a job in the background.
// Main thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace flatout::cli {

// Of the run so far. Pure text comes of it.
struct LiveFigures {
  base::DurationNs elapsed_ns = 0;
  std::uint64_t steps = 0;                 // updates of weights
  std::optional<double> steps_per_s = {};  // of the last seconds
  std::string verdict = {};                // "input_bound", "" = not known yet
  bool hooks = true;                       // steps are seen
};
// "step 1240, 31.2 steps/s, input-bound so far, 4 min 10 s"
std::string live_text(const LiveFigures& figures);

// What of it fits into a line, whose last column stays free: the first clauses. Pure.
std::string live_line(std::string text, std::size_t columns);

// Steps of the last seconds. Pure.
class StepRate {
 public:
  // Absent until there are two looks a second apart, with a step between them.
  std::optional<double> at(base::TimeNs now, std::uint64_t steps);

 private:
  struct Look {
    base::TimeNs t_ns = 0;
    std::uint64_t steps = 0;
  };
  static constexpr std::size_t kLooks = 6;
  Look looks_[kLooks] = {};
  std::size_t count_ = 0;
};

enum class LivePlace : std::uint8_t { kNowhere, kTitle, kLine };
// `fd`: where flatout speaks; `shared`: the program writes to that terminal, too; `term`: of the
// environment.
LivePlace live_place(int fd, bool shared, const char* term);

class LiveStatus {
 public:
  LiveStatus(int fd, LivePlace place) : fd_(fd), place_(place) {}
  ~LiveStatus() { end(); }
  LiveStatus(const LiveStatus&) = delete;
  LiveStatus& operator=(const LiveStatus&) = delete;

  bool wanted() const { return place_ != LivePlace::kNowhere; }
  void show(const std::string& text);
  void clear();  // before a line of flatout's own; the next show() brings it back
  void end();    // the terminal is as it was

 private:
  bool can_write() const;
  void write(const std::string& text) const;

  int fd_;
  LivePlace place_;
  std::string shown_;
  bool begun_ = false;
};

}  // namespace flatout::cli
