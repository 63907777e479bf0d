// What `run` has to say, and where. stdout belongs to the program: nothing here
// writes to it. Main thread. Writing never fails loudly: a full disk behind
// --report-to must not change how the program ends.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace flatout::app {

class Voice {
 public:
  // `fallback` is stderr's descriptor; tests pass another.
  explicit Voice(bool quiet, int fallback = 2) : quiet_(quiet), fallback_(fallback) {}

  // Sends everything to `path` from now on (truncated). When it cannot be
  // opened, says so once and stays where it is.
  void redirect(const std::string& path);

  // From now on a line that would wait for a reader of stderr is left out.
  void never_wait() { waits_ = false; }

  // Where it speaks now; `path` given to redirect() only where that could be opened.
  int fd() const { return file_ ? file_.get() : fallback_; }
  // Called before anything is written, to take away what stands in its place.
  void before_writing(std::function<void()> clear) { clear_ = std::move(clear); }

  // "flatout: <line>", each line at most once. Errors are said even when quiet.
  void error(std::string_view line) { say(line); }
  void note(std::string_view line) {
    if (!quiet_) say(line);
  }
  void page(std::string_view text) {
    if (!quiet_) write(text);
  }

 private:
  void say(std::string_view line);
  void write(std::string_view text);

  bool quiet_;
  bool waits_ = true;
  int fallback_;
  base::UniqueFd file_;
  std::function<void()> clear_;
  std::set<std::string, std::less<>> said_;
};

}  // namespace flatout::app
