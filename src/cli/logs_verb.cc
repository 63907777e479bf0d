// What a run's program wrote, as text.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "app/stored_runs.h"
#include "app/voice.h"
#include "base/file.h"
#include "cli/answer.h"
#include "cli/verbs.h"
#include "store/output/output_log.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kPage = 2000;

class LogText {
 public:
  LogText(const LogsOptions& options, std::int64_t started_ns, bool several)
      : options_(options), started_ns_(started_ns), several_(several) {}

  std::string of(const store::OutputLine& line) const {
    std::string out;
    if (options_.times) {
      char time[40];
      std::snprintf(time, sizeof time, "%12.3f  ",
                    static_cast<double>(line.t_ns - started_ns_) / 1e9);
      out += time;
    }
    if (several_) out += std::to_string(line.pid) + " | ";
    if (line.is_gap) {
      return out + "[" + std::to_string(line.left_out_lines) + " lines of process " +
             std::to_string(line.pid) + " are left out until here]\n";
    }
    out += line.text;
    if (line.left_out_bytes != 0) {
      out += "[" + std::to_string(line.left_out_bytes) + " more bytes are left out]";
    }
    return out + "\n";
  }

 private:
  const LogsOptions& options_;
  std::int64_t started_ns_;
  bool several_;
};

base::Result<void> print(const store::OutputPage& page, const LogText& text) {
  std::string out;
  for (const store::OutputLine& line : page.lines) out += text.of(line);
  return base::write_all(1, out, "stdout");
}

base::Result<void> print_all(const store::OutputLog& log, store::OutputQuery query,
                             const LogText& text) {
  for (;;) {
    const store::OutputPage page = log.read(query);
    if (auto done = print(page, text); !done) return done;
    if (!page.more) return {};
    // Times are of one process each, so that two of the same nanosecond are of two processes.
    if (!page.lines.empty()) query.from_ns = page.lines.back().t_ns + 1;
    if (page.reached_ns) query.from_ns = *page.reached_ns + 1;
  }
}

bool wrote(const store::OutputLog& log, std::int64_t pid) {
  return std::ranges::any_of(log.processes(),
                             [pid](const store::OutputProcess& one) { return one.pid == pid; });
}

// "12, 13 and 4 more"
std::string writers(const store::OutputLog& log) {
  constexpr std::size_t kShown = 8;
  const auto all = log.processes();
  std::string out;
  for (std::size_t i = 0; i < std::min(kShown, all.size()); ++i) {
    out += (i == 0 ? "" : ", ") + std::to_string(all[i].pid);
  }
  return all.size() > kShown ? out + " and " + std::to_string(all.size() - kShown) + " more" : out;
}

base::Result<void> logs(const LogsOptions& options) {
  const auto run = app::open_run(options.home, options.run);
  if (!run) return std::unexpected(run.error());
  const store::OutputLog log = store::OutputLog::open(run->folder);
  if (log.empty()) {
    return base::fail(base::ErrorCode::kNotFound,
                      "run " + run->timeline.info.id +
                          " has no output: it is recorded by flatout run --record-output, and of "
                          "a script that logs through flatout.track");
  }
  if (options.pid && !wrote(log, *options.pid)) {
    return base::fail(base::ErrorCode::kNotFound,
                      "no process " + std::to_string(*options.pid) + " wrote output in run " +
                          run->timeline.info.id + "; those that did: " + writers(log));
  }
  store::OutputQuery query{.limit = kPage, .pid = options.pid, .contains = options.contains};
  if (options.stream == "stdout") query.stream = store::OutputStream::kStdout;
  if (options.stream == "stderr") query.stream = store::OutputStream::kStderr;
  const bool several = log.processes().size() > 1 && !options.pid;
  const LogText text(options, run->timeline.info.started_ns, several);
  if (!options.tail) return print_all(log, query, text);
  query.last = true;
  query.limit = *options.tail;
  return print(log.read(query), text);
}

}  // namespace

int logs_verb(const LogsOptions& options) {
  const auto done = logs(options);
  return done ? 0 : answer(std::unexpected(done.error()));
}

}  // namespace flatout::cli
