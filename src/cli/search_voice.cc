#include "cli/search_voice.h"

#include "report/search_text.h"

namespace flatout::cli {

void SearchVoice::line(const std::string& text) { live_.keep(text); }

void SearchVoice::finished(const std::string& text) { live_.keep_finished(text); }

void SearchVoice::baseline(const run::SearchReport& so_far) {
  line(report::search_baseline_line(so_far));
}

void SearchVoice::begins(const run::SearchReport& so_far, const run::SearchPointReport& point,
                         int rung) {
  live_.show(report::search_live_line(so_far, point, rung));
}

// Of the lowest rung only what failed: its points are many, and the table shows the best.
void SearchVoice::ended(const run::SearchReport& so_far, const run::SearchPointReport& point) {
  const run::SearchResult& last = point.results.back();
  if (last.rung > 0 || !last.value) line(report::search_point_line(so_far, point));
}

void SearchVoice::confirming(const run::SearchPointReport& point, int run, int of) {
  live_.show("confirming #" + std::to_string(point.number) + " against the program as it is: run " +
             std::to_string(run) + " of " + std::to_string(of));
}

}  // namespace flatout::cli
