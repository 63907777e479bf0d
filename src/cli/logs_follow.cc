#include "cli/logs_follow.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/stored_runs.h"
#include "app/voice.h"
#include "base/file.h"
#include "base/folder_watch.h"
#include "base/terminal_text.h"
#include "base/time.h"
#include "cli/logs_text.h"
#include "cli/terminal.h"
#include "store/output/output_follower.h"
#include "store/run_reader.h"

namespace flatout::cli {
namespace {

// How long a change may go unseen where the system does not say it (base/folder_watch.h).
constexpr base::DurationNs kLongestLook = base::kSecond;
// A program that writes all the time is read this often.
constexpr base::DurationNs kGather = 50 * base::kMillisecond;
constexpr int kStdout = 1;

// Where the lines of `--tail` begin, of what is there.
std::int64_t tail_begin(const std::filesystem::path& folder, const LogsOptions& options) {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::min();
  if (!options.tail) return kAll;
  const store::OutputPage page =
      store::OutputLog::open(folder).read({.limit = *options.tail,
                                           .last = true,
                                           .pid = options.pid,
                                           .stream = logs_stream(options),
                                           .contains = options.contains});
  if (!page.more && page.lines.size() < *options.tail) return kAll;
  return page.lines.empty() ? std::numeric_limits<std::int64_t>::max() : page.lines.front().t_ns;
}

// stdout: lines that stay, and on a terminal one below them, cut to its width, that the next
// replaces.
class FollowedText {
 public:
  FollowedText() {
    const char* term = std::getenv("TERM");
    shows_open_ = is_terminal(kStdout) && term != nullptr && std::string_view(term) != "dumb";
  }

  base::Result<void> print(const std::string& lines, const std::optional<std::string>& open) {
    std::string out;
    if (!open_.empty() && (!lines.empty() || open.value_or("") != open_)) out = "\r\x1b[K";
    if (!out.empty()) open_.clear();
    out += lines;
    if (shows_open_ && open && open_.empty()) {
      open_ = *open;
      // The last column stays free: some terminals go on to the next line from there.
      out += base::shorten_to(base::terminal_text(open_, shows_unicode()),
                              std::max<std::size_t>(columns_of(kStdout), 2) - 1);
    }
    return out.empty() ? base::Result<void>() : base::write_all(kStdout, out, "stdout");
  }

 private:
  bool shows_open_ = false;
  std::string open_;
};

class LogsFollow {
 public:
  LogsFollow(const LogsOptions& options, app::FoundRun run)
      : run_(std::move(run)),
        follower_(
            run_.folder,
            {.pid = options.pid, .stream = logs_stream(options), .contains = options.contains},
            tail_begin(run_.folder, options)),
        text_(options, run_.summary.info.started_ns, false) {}

  base::Result<void> go_on_until_it_ends() {
    (void)watch_.add(run_.folder, base::FolderChange::kEntries);
    for (;;) {
      watch_output();
      // Asked before reading, so that what is read after its end is all.
      const bool running = run_.summary.state == run::RunState::kRunning;
      if (const auto done = print_new(!running); !done) {
        if (watch_.wait(0, kStdout) == base::FolderWatch::Woken::kReaderGone) return {};
        return done;
      }
      if (!running) return say_end();
      if (!wait()) return {};
      auto summary = store::read_summary(run_.folder, store::viewpoint_here());
      if (!summary) return std::unexpected(summary.error());
      run_.summary = std::move(*summary);
    }
  }

 private:
  void watch_output() {
    if (!output_watched_) {
      output_watched_ =
          watch_.add(run_.folder / store::kOutputFolderName, base::FolderChange::kContents);
    }
  }

  base::Result<void> print_new(bool is_last) {
    for (;;) {
      const store::OutputNews news = follower_.read_new();
      if (follower_.processes() > 1) text_.set_several();
      std::string lines;
      for (const store::OutputLine& line : news.lines) lines += text_.of(line) + "\n";
      if (is_last && !news.more) {
        for (const store::OutputLine& line : follower_.open_lines()) lines += text_.of(line) + "\n";
      }
      std::optional<std::string> open;
      if (!is_last && !news.more) {
        if (const auto line = follower_.open_line()) open = text_.of(*line);
      }
      if (auto done = out_.print(lines, open); !done) return done;
      if (!news.more) return {};
    }
  }

  // False: nobody reads it any more.
  bool wait() {
    using Woken = base::FolderWatch::Woken;
    if (!said_waiting_ && follower_.processes() == 0 &&
        store::OutputLog::open(run_.folder).empty()) {
      said_waiting_ = true;
      voice_.note("run " + run_.summary.info.id + " has no output so far; waiting for it");
    }
    Woken woken = watch_.wait(kLongestLook, kStdout);
    if (woken == Woken::kChange) woken = gather();
    return woken != Woken::kReaderGone;
  }

  // What comes shortly after goes the same way.
  base::FolderWatch::Woken gather() {
    base::FolderWatch nothing;
    return nothing.wait(kGather, kStdout);
  }

  base::Result<void> say_end() {
    if (run_.summary.state == run::RunState::kLost) {
      const bool unseen = run_.summary.end && run_.summary.end->unseen;
      voice_.note("run " + run_.summary.info.id + " is lost: " +
                  (unseen ? "its program ended without saying how"
                          : "flatout ended without seeing how its program ended; more of it, where "
                            "it goes on: flatout logs " +
                                run_.summary.info.id));
    }
    if (store::OutputLog::open(run_.folder).empty()) {
      return std::unexpected(no_output(run_.summary.info.id));
    }
    return {};
  }

  app::FoundRun run_;
  store::OutputFollower follower_;
  LogsText text_;
  FollowedText out_;
  base::FolderWatch watch_;
  app::Voice voice_{false};
  bool output_watched_ = false;
  bool said_waiting_ = false;
};

}  // namespace

base::Result<void> follow_logs(const LogsOptions& options) {
  auto run = app::find_stored_run(options.home, options.run);
  if (!run) return std::unexpected(run.error());
  return LogsFollow(options, std::move(*run)).go_on_until_it_ends();
}

}  // namespace flatout::cli
