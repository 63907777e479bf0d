#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "app/watch/watch.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/time.h"
#include "cli/answer.h"
#include "cli/terminal.h"
#include "cli/top_keys.h"
#include "cli/top_terminal.h"
#include "cli/verbs.h"
#include "report/top/screen.h"
#include "report/top/top_json.h"

namespace flatout::cli {
namespace {

// How long a lone Escape waits for the rest of a sequence.
constexpr base::DurationNs kEscapePatience = 50 * base::kMillisecond;
constexpr std::size_t kRowsOfText = 60;  // printed once: as many as are filled

void pause_for(base::DurationNs time) {
  timespec rest{.tv_sec = time / base::kSecond, .tv_nsec = time % base::kSecond};
  while (::nanosleep(&rest, &rest) != 0) {
  }
}

bool takes_a_screen() {
  const char* term = std::getenv("TERM");
  const std::string_view name = term == nullptr ? "" : term;
  return !name.empty() && name != "dumb" && is_terminal(0) && is_terminal(1);
}

// Rates need two looks.
run::Watched second_look(app::Watch& watch, base::DurationNs interval) {
  run::Watched first = watch.look();
  if (first.kind == run::WatchedKind::kRun) return first;
  pause_for(std::min(interval, base::kSecond));
  return watch.look();
}

int print_once(app::Watch& watch, base::DurationNs interval) {
  const run::Watched watched = second_look(watch, interval);
  const report::TopSize size = {.columns = columns_of(1),
                                .rows = kRowsOfText,
                                .unicode = shows_unicode() && is_terminal(1),
                                .colour = false};
  std::string text = report::top_screen(watched, {.once = true}, size).text();
  text.resize(text.find_last_not_of('\n') + 1);
  return answer_styled(text + "\n");
}

int print_json(app::Watch& watch, base::DurationNs interval, bool once) {
  run::Watched watched = second_look(watch, interval);
  for (;;) {
    const int status = answer(report::top_json(watched));
    if (once || status != 0) return status;
    if (watched.kind == run::WatchedKind::kRun && watched.state != run::RunState::kRunning)
      return 0;
    pause_for(interval);
    watched = watch.look();
  }
}

class TopScreen {
 public:
  TopScreen(app::Watch& watch, base::DurationNs interval)
      : watch_(watch), interval_(interval), colour_(coloured(1)), terminal_(colour_) {}

  // False where there is no terminal that can be taken.
  bool run() {
    if (!terminal_.enter()) return false;
    watched_ = watch_.look();
    base::TimeNs next = clock_.monotonic() + std::min(interval_, base::kSecond / 4);  // rates
    while (!over_) {
      if (!terminal_.show(report::top_screen(watched_, view_, size()))) return true;
      const base::TimeNs now = clock_.monotonic();
      if (now >= next && !keys_.waits()) {
        if (!view_.paused) watched_ = watch_.look();
        next = now + interval_;
        continue;
      }
      wait(keys_.waits() ? kEscapePatience : next - now);
    }
    return true;
  }

 private:
  report::TopSize size() const {
    const TopTerminal::Size size = terminal_.size();
    return {size.columns, size.rows, shows_unicode(), colour_};
  }

  void wait(base::DurationNs patience) {
    std::string input;
    switch (terminal_.wait(patience, input)) {
      case TopTerminal::Woken::kInput:
        for (const TopEvent& event : keys_.take(input)) act(event);
        break;
      case TopTerminal::Woken::kTime:
        for (const TopEvent& event : keys_.rest()) act(event);
        break;
      case TopTerminal::Woken::kResized:
      case TopTerminal::Woken::kStopped:
        terminal_.forget();
        break;
      case TopTerminal::Woken::kEnd:
        over_ = true;
        break;
    }
  }

  void act(const TopEvent& event) {
    const std::size_t page =
        std::max<std::size_t>(1, report::top_process_rows(watched_, view_, size()));
    const std::size_t count = watched_.processes.size();
    const std::size_t last = count - std::min(count, page);
    const auto to = [&](std::size_t first) { view_.first = std::min(first, last); };
    const auto back = [&](std::size_t by) { to(view_.first - std::min(view_.first, by)); };
    switch (event.act) {
      case TopAct::kQuit:
        // Out of the help first.
        over_ = !view_.help;
        view_.help = false;
        break;
      case TopAct::kHelp:
        view_.help = !view_.help;
        break;
      case TopAct::kPause:
        view_.paused = !view_.paused;
        break;
      case TopAct::kSortNext:
        view_.sort = static_cast<report::TopSort>((static_cast<std::size_t>(view_.sort) + 1) %
                                                  report::kTopSorts);
        break;
      case TopAct::kSortCpu:
      case TopAct::kSortMemory:
      case TopAct::kSortRead:
      case TopAct::kSortDevice:
      case TopAct::kSortPid:
        view_.sort = static_cast<report::TopSort>(static_cast<std::size_t>(event.act) -
                                                  static_cast<std::size_t>(TopAct::kSortCpu));
        break;
      case TopAct::kUp:
        back(1);
        break;
      case TopAct::kDown:
        to(view_.first + 1);
        break;
      case TopAct::kPageUp:
        back(page);
        break;
      case TopAct::kPageDown:
        to(view_.first + page);
        break;
      case TopAct::kHome:
        to(0);
        break;
      case TopAct::kEnd:
        to(last);
        break;
      case TopAct::kClick:
        (void)report::top_sort_at(watched_, view_, size(), event.x, event.y, view_.sort);
        break;
    }
  }

  app::Watch& watch_;
  base::DurationNs interval_;
  bool colour_;
  base::SystemClock clock_;
  TopTerminal terminal_;
  TopKeys keys_;
  report::TopView view_;
  run::Watched watched_;
  bool over_ = false;
};

}  // namespace

int top_verb(const TopOptions& options) {
  const base::SystemClock clock;
  auto watch = app::open_watch(options.home, options.what, clock);
  if (!watch) return answer(std::unexpected(watch.error()));
  const auto interval = static_cast<base::DurationNs>(std::llround(options.interval_s * 1e9));
  if (options.json) return print_json(**watch, interval, options.once);
  if (!options.once && takes_a_screen() && TopScreen(**watch, interval).run()) return 0;
  return print_once(**watch, interval);
}

}  // namespace flatout::cli
