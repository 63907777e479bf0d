// What `flatout search` prints while it goes on: rows to stdout, and on a terminal a
// live line on stderr. Main thread.
#pragma once

#include <string>

#include "apply/search/searcher.h"
#include "cli/live_line.h"

namespace flatout::cli {

class SearchVoice final : public apply::SearchListener {
 public:
  void line(const std::string& text);
  void finished(const std::string& text);  // as report::finished() gives it

  void baseline(const run::SearchReport& so_far) override;
  void begins(const run::SearchReport& so_far, const run::SearchPointReport& point,
              int rung) override;
  void ended(const run::SearchReport& so_far, const run::SearchPointReport& point) override;
  void confirming(const run::SearchPointReport& point, int run, int of) override;

 private:
  LiveLine live_;
};

}  // namespace flatout::cli
