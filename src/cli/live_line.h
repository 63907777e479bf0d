// What a long verb says while it works: lines to stdout that stay, and on a terminal one line
// on stderr that the next replaces. Main thread.
#pragma once

#include <string>

namespace flatout::cli {

class LiveLine {
 public:
  LiveLine();
  ~LiveLine() { show(""); }
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;

  void show(const std::string& text);  // "" = none any more
  void keep(const std::string& line);
  void keep_finished(const std::string& text);  // report::finished() has seen it

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace flatout::cli
