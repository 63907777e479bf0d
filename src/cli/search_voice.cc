#include "cli/search_voice.h"

#include <unistd.h>

#include "base/file.h"
#include "report/layout.h"
#include "report/search_text.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kLiveColumns = 79;

}  // namespace

SearchVoice::SearchVoice() : terminal_(::isatty(2) == 1) {}

SearchVoice::~SearchVoice() { live(""); }

void SearchVoice::live(const std::string& text) {
  if (!terminal_ || (text.empty() && !live_shown_)) return;
  live_shown_ = !text.empty();
  const std::string shown = report::shorten(report::to_ascii(text), kLiveColumns);
  (void)base::write_all(2, "\r\x1b[K" + shown, "stderr");
}

void SearchVoice::line(const std::string& text) {
  live("");
  (void)base::write_all(1, text + "\n", "stdout");
}

void SearchVoice::baseline(const run::SearchReport& so_far) {
  line(report::search_baseline_line(so_far));
}

void SearchVoice::begins(const run::SearchReport& so_far, const run::SearchPointReport& point,
                         int rung) {
  live(report::search_live_line(so_far, point, rung));
}

// Of the lowest rung only what failed: its points are many, and the table shows the best.
void SearchVoice::ended(const run::SearchReport& so_far, const run::SearchPointReport& point) {
  const run::SearchResult& last = point.results.back();
  if (last.rung > 0 || !last.value) line(report::search_point_line(so_far, point));
}

void SearchVoice::confirming(const run::SearchPointReport& point, int run, int of) {
  live("confirming #" + std::to_string(point.number) + " against the program as it is: run " +
       std::to_string(run) + " of " + std::to_string(of));
}

}  // namespace flatout::cli
