// The terminal while `flatout top` has it: its other screen, keys as they are pressed, the mouse.
// Six sequences that every terminal since xterm has (docs/decisions/0061-flatout-top.md). Main
// thread, one at a time.
#pragma once

#include <termios.h>

#include <cstddef>
#include <optional>
#include <string>

#include "base/time.h"
#include "report/top/grid.h"

namespace flatout::cli {

// The bytes that make a terminal that shows `before` (null: nothing is known) show `now`. Pure.
std::string screen_update(const report::Grid* before, const report::Grid& now, bool colour);

class TopTerminal {
 public:
  explicit TopTerminal(bool colour) : colour_(colour) {}
  ~TopTerminal() { leave(); }  // the terminal is as it was
  TopTerminal(const TopTerminal&) = delete;
  TopTerminal& operator=(const TopTerminal&) = delete;

  // False where stdin or stdout is no terminal that can be taken.
  bool enter();
  void leave();

  struct Size {
    std::size_t columns = 80, rows = 24;
  };
  Size size() const;

  // False where the terminal is gone.
  bool show(const report::Grid& grid);
  // All of it anew, at the next show(): what others wrote there is gone then.
  void forget() { shown_.reset(); }

  enum class Woken { kInput, kTime, kResized, kStopped, kEnd };
  // What came within `patience`: bytes into `input`; the terminal has another size; the user sent
  // it to the background and brought it back (kStopped: nothing is as it was); or it is to end
  // (SIGINT, SIGTERM, SIGHUP, no terminal any more).
  Woken wait(base::DurationNs patience, std::string& input);

 private:
  bool colour_;
  bool entered_ = false;
  termios before_{};
  std::optional<report::Grid> shown_;
};

}  // namespace flatout::cli
