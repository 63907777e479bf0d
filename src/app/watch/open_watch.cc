#include <time.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "app/stored_runs.h"
#include "app/watch/watch.h"
#include "base/number_text.h"
#include "base/process.h"
#include "collect/procfs/proc_stat.h"
#include "host/paths.h"
#include "host/text_file.h"
#include "store/catalog.h"
#include "store/run_list.h"

namespace flatout::app {
namespace {

std::optional<pid_t> number_in(const std::string& text) {
  const auto pid = base::parse_number<pid_t>(text);
  return pid && *pid > 0 ? pid : std::nullopt;
}

// The process and those above it.
std::set<pid_t> upwards(pid_t pid) {
  std::set<pid_t> out;
  const host::Paths paths;
  while (pid > 1 && out.insert(pid).second) {
    const auto text = host::read_text(host::pid_file(paths.proc, pid, "stat"));
    const auto stat = text ? collect::parse_proc_stat(*text) : std::nullopt;
    pid = stat ? stat->parent : 0;
  }
  return out;
}

// Running runs, the newest first.
std::vector<std::string> running(const store::Home& home) {
  std::vector<std::string> ids;
  const auto listed = store::list_catalog(home, store::viewpoint_here());
  if (!listed) return ids;
  for (const store::CatalogEntry& entry : listed->runs) {
    const bool readable = entry.problem.empty();
    if (readable && entry.state == run::RunState::kRunning) ids.push_back(entry.id);
  }
  return ids;
}

// The running run of this machine whose program is `pid`, or stands above it.
std::optional<std::string> run_of(const store::Home& home, pid_t pid) {
  const std::set<pid_t> above = upwards(pid);
  const store::Viewpoint here = store::viewpoint_here();
  for (const std::string& id : running(home)) {
    const auto summary = store::read_summary(home.folder(id), here);
    if (!summary || summary->info.host != here.host) continue;
    if (above.contains(summary->info.program_pid)) return id;
  }
  return std::nullopt;
}

// The newest run that is running; the machine until there is one. A run that is over stays until
// another begins.
class NewestWatch final : public Watch {
 public:
  NewestWatch(std::string home, std::unique_ptr<Watch> machine, const base::Clock& clock)
      : home_(std::move(home)), current_(std::move(machine)), clock_(clock) {
    look_for_runs();
  }

  run::Watched look() override {
    run::Watched out = current_->look();
    if (out.state == run::RunState::kRunning || clock_.monotonic() < next_ns_) return out;
    return look_for_runs() ? current_->look() : out;
  }

 private:
  // Listing thousands of runs costs something: at most 0.2 % of a core.
  static constexpr double kListingCores = 0.002;
  static constexpr base::DurationNs kLeastPause = 2 * base::kSecond;

  bool look_for_runs() {
    const std::int64_t before = base::read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const auto home = open_home(home_);
    bool found = false;
    for (const std::string& id : home ? running(*home) : std::vector<std::string>()) {
      auto watch = watch_run(home_, id, clock_);
      if (!watch) continue;  // it ended just now
      current_ = std::move(*watch);
      found = true;
      break;
    }
    const auto cost = static_cast<double>(base::read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before);
    next_ns_ = clock_.monotonic() +
               std::max(kLeastPause, static_cast<base::DurationNs>(cost / kListingCores));
    return found;
  }

  std::string home_;
  std::unique_ptr<Watch> current_;
  const base::Clock& clock_;
  base::TimeNs next_ns_ = 0;
};

}  // namespace

base::Result<std::unique_ptr<Watch>> open_watch(const std::string& home_option,
                                                const std::string& what, const base::Clock& clock) {
  const auto home = open_home(home_option);
  if (what.empty()) {
    auto machine = watch_processes(0, clock);
    if (!machine) return machine;
    return std::make_unique<NewestWatch>(home_option, std::move(*machine), clock);
  }
  if (const auto pid = number_in(what); pid && base::process_id(*pid)) {
    if (const auto id = home ? run_of(*home, *pid) : std::nullopt) {
      return watch_run(home_option, *id, clock);
    }
    return watch_processes(*pid, clock);
  }
  if (!home) return std::unexpected(home.error());
  auto id = store::find_run(*home, what, store::viewpoint_here());
  if (id) return watch_run(home_option, *id, clock);
  if (number_in(what)) {
    return base::fail(base::ErrorCode::kNotFound,
                      "there is no process " + what + " and no run of that id; see flatout ls");
  }
  return std::unexpected(id.error());
}

}  // namespace flatout::app
