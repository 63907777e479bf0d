// What a run's program wrote, as text.
#include <algorithm>
#include <string>
#include <utility>

#include "app/stored_runs.h"
#include "base/file.h"
#include "cli/answer.h"
#include "cli/logs_follow.h"
#include "cli/logs_text.h"
#include "cli/verbs.h"
#include "store/output/output_log.h"

namespace flatout::cli {
namespace {

constexpr std::size_t kPage = 2000;

base::Result<void> print(const store::OutputPage& page, const LogsText& text) {
  std::string out;
  for (const store::OutputLine& line : page.lines) out += text.of(line) + "\n";
  return base::write_all(1, out, "stdout");
}

base::Result<void> print_all(const store::OutputLog& log, store::OutputQuery query,
                             const LogsText& text) {
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
  if (options.follow) return follow_logs(options);
  const auto run = app::open_run(options.home, options.run);
  if (!run) return std::unexpected(run.error());
  const store::OutputLog log = store::OutputLog::open(run->folder);
  if (log.empty()) return std::unexpected(no_output(run->timeline.info.id));
  if (options.pid && !wrote(log, *options.pid)) {
    return base::fail(base::ErrorCode::kNotFound,
                      "no process " + std::to_string(*options.pid) + " wrote output in run " +
                          run->timeline.info.id + "; those that did: " + writers(log));
  }
  store::OutputQuery query{.limit = kPage,
                           .pid = options.pid,
                           .stream = logs_stream(options),
                           .contains = options.contains};
  const bool several = log.processes().size() > 1 && !options.pid;
  const LogsText text(options, run->timeline.info.started_ns, several);
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
