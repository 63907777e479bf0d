#include "trial/process_launcher.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <exception>
#include <utility>

#include "base/time.h"
#include "launch/plan.h"

namespace flatout::trial {
namespace {

using base::Result;

constexpr base::DurationNs kReapPeriod = base::kSecond / 50;
// A trial that was told to end needs its grace and kill_grace, and to write.
constexpr base::DurationNs kStopPatience = 30 * base::kSecond;

// The caller's environment under what the slot says.
launch::Environment merged(const launch::Environment& slot) {
  launch::Environment out;
  for (const std::string& entry : launch::current_environment()) {
    const auto name = std::string_view(entry).substr(0, entry.find('='));
    if (!launch::env_value(slot, name)) out.push_back(entry);
  }
  out.insert(out.end(), slot.begin(), slot.end());
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

struct Prepared {
  std::vector<std::string> words;
  launch::Environment environment;
  const char* messages = nullptr;
  cpu_set_t cpus = {};
  bool pinned = false;
};

// In the child: a process group, streams and CPUs of its own. Ends it where something fails: the
// parent sees its exit status.
void settle(const Prepared& prepared, pid_t parent) {
  (void)::setpgid(0, 0);
  // Whoever kills the searcher would else leave the trial alone.
  (void)::prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = ::open(prepared.messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool streams =
      in >= 0 && out >= 0 && ::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(out, 2) == 2;
  const bool placed =
      !prepared.pinned || ::sched_setaffinity(0, sizeof prepared.cpus, &prepared.cpus) == 0;
  if (!streams || !placed || ::getppid() != parent) ::_exit(126);
}

[[noreturn]] void become(std::vector<char*>& argv, std::vector<char*>& environment) {
  ::execvpe(argv[0], argv.data(), environment.data());
  ::_exit(127);
}

// Nothing of the caller's is destroyed here: its files and folders are its own to remove.
[[noreturn]] void carry_out(const TrialBody& body, const std::filesystem::path& file) {
  int status = 1;
  try {
    status = body(file);
  } catch (const std::exception&) {  // the parent sees that no result came
    status = 1;
  }
  ::_exit(status);
}

}  // namespace

ProcessLauncher::ProcessLauncher(std::vector<std::string> words, std::vector<ProcessSlot> slots)
    : words_(std::move(words)) {
  slots_.resize(std::max<std::size_t>(1, slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i) slots_[i].slot = std::move(slots[i]);
}

ProcessLauncher::ProcessLauncher(TrialBody body, std::function<base::Result<void>()> before)
    : body_(std::move(body)), before_(std::move(before)), slots_(1) {}

ProcessLauncher::~ProcessLauncher() {
  for (const Place& place : slots_) {
    if (place.pid > 0) ::kill(-place.pid, SIGKILL);
  }
  for (const Place& place : slots_) {
    if (place.pid > 0) ::waitpid(place.pid, nullptr, 0);
  }
}

Result<TrialHandle> ProcessLauncher::start(const PlacedTrial& trial) {
  const auto place =
      std::ranges::find_if(slots_, [](const Place& other) { return other.pid == 0; });
  if (place == slots_.end()) {
    return base::fail(base::ErrorCode::kUnavailable, "all slots for trials are taken");
  }
  if (before_) {
    if (auto ready = before_(); !ready) return std::unexpected(ready.error());
  }
  Prepared prepared{.words = words_, .environment = merged(place->slot.environment)};
  prepared.words.push_back(trial.file.string());
  prepared.messages = trial.messages.c_str();
  CPU_ZERO(&prepared.cpus);
  for (const int cpu : place->slot.cpus) CPU_SET(static_cast<std::size_t>(cpu), &prepared.cpus);
  prepared.pinned = !place->slot.cpus.empty();
  auto argv = pointers(prepared.words);
  auto environment = pointers(prepared.environment);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return base::fail_errno(errno, "cannot start a trial");
  if (pid == 0) {
    settle(prepared, parent);
    if (body_) carry_out(body_, trial.file);
    become(argv, environment);
  }
  (void)::setpgid(pid, pid);  // as the child does: whichever comes first
  place->pid = pid;
  place->handle = ++handles_;
  place->told_ns.reset();
  return place->handle;
}

std::optional<LaunchEnd> ProcessLauncher::reap() {
  for (Place& place : slots_) {
    int status = 0;
    if (place.pid == 0 || ::waitpid(place.pid, &status, WNOHANG) != place.pid) continue;
    place.pid = 0;
    return LaunchEnd{.handle = place.handle, .exit = launch::exit_of(status)};
  }
  return std::nullopt;
}

std::optional<LaunchEnd> ProcessLauncher::wait_any(base::DurationNs patience) {
  const base::SystemClock clock;
  const base::TimeNs until = clock.monotonic() + patience;
  for (;;) {
    if (auto end = reap()) return end;
    const bool none = std::ranges::all_of(slots_, [](const Place& p) { return p.pid == 0; });
    if (none || clock.monotonic() >= until) return std::nullopt;
    base::pause_for(kReapPeriod);
  }
}

void ProcessLauncher::cancel() {
  const base::TimeNs now = base::SystemClock().monotonic();
  for (Place& place : slots_) {
    if (place.pid == 0) continue;
    if (!place.told_ns) {
      place.told_ns = now;
      // The leader alone: it ends what it started, in its order.
      ::kill(place.pid, SIGTERM);
    } else if (now - *place.told_ns > kStopPatience) {
      ::kill(-place.pid, SIGKILL);
    }
  }
}

}  // namespace flatout::trial
