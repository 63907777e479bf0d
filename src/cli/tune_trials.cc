#include "cli/tune_trials.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <span>
#include <sstream>
#include <utility>

#include "apply/plan_settings.h"
#include "cli/quiet.h"
#include "cli/trial_outcome.h"
#include "cli/trial_rules.h"
#include "cli/tune_recorder.h"
#include "launch/workspace_beyond.h"

namespace flatout::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kPollMs = 100;
// A recorder that was told to stop needs its trial's grace and kill_grace, and to write.
constexpr base::DurationNs kStopPatience = 30 * base::kSecond;

// stdin from nowhere, what is printed to `output`, a process group of its own, so
// that Ctrl-C reaches the tuner alone.
bool settle(const std::filesystem::path& output) {
  (void)::setpgid(0, 0);
  const int in = ::open("/dev/null", O_RDONLY);
  const int out = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  if (in < 0 || out < 0) return false;
  const bool done = ::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(out, 2) == 2;
  ::close(in);
  ::close(out);
  return done;
}

}  // namespace

std::string trial_name(const apply::TrialSpec& spec) {
  std::string name;
  for (const auto& setting : spec.knobs) {
    const std::string knob = setting.knob.substr(setting.knob.find('.') + 1);
    name += (name.empty() ? "" : " ") + knob + "=" + setting.value;
  }
  if (spec.seed_shift != 0) {
    name += (name.empty() ? "seed+" : " seed+") + std::to_string(spec.seed_shift);
  }
  return name;
}

LocalTrials::LocalTrials(TrialPlace place) : place_(std::move(place)) {}

bool LocalTrials::interrupted() const { return signals_.asked(); }

// No trial runs meanwhile: whatever the cores do is the work of others.
void LocalTrials::wait_for_quiet(base::DurationNs at_most) {
  const auto pause = [](base::DurationNs ns) {
    (void)::poll(nullptr, 0, static_cast<int>(ns / 1'000'000));
  };
  const long cpus = ::sysconf(_SC_NPROCESSORS_ONLN);
  (void)wait_until_quiet(at_most, static_cast<int>(cpus), host_busy_ns, pause,
                         [this] { return interrupted(); });
}

// Reads what the recorder says until it has ended.
LocalTrials::Ended LocalTrials::wait_for(pid_t recorder, base::UniqueFd words) const {
  std::string said;
  std::optional<base::TimeNs> told_ns;
  const base::SystemClock clock;
  for (bool open = true; open;) {
    if (interrupted() && !told_ns) {
      told_ns = clock.monotonic();
      ::kill(recorder, SIGTERM);
    }
    if (told_ns && clock.monotonic() - *told_ns > kStopPatience) ::kill(-recorder, SIGKILL);
    pollfd fd{.fd = words.get(), .events = POLLIN, .revents = 0};
    if (::poll(&fd, 1, kPollMs) <= 0) continue;
    char buffer[512];
    const ssize_t n = ::read(words.get(), buffer, sizeof buffer);
    if (n > 0) said.append(buffer, static_cast<std::size_t>(n));
    open = n > 0 || (n < 0 && errno == EINTR);
  }
  int status = 0;
  while (::waitpid(recorder, &status, 0) < 0 && errno == EINTR) {
  }
  Ended ended;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kWordRun)) ended.id = line.substr(std::string(kWordRun).size());
    if (line.starts_with(kWordEnded)) ended.cause = line.substr(std::string(kWordEnded).size());
    if (line.starts_with(kWordFiles)) ended.files = line.substr(std::string(kWordFiles).size());
    if (line.starts_with(kWordTrouble)) {
      ended.trouble = line.substr(std::string(kWordTrouble).size());
    }
  }
  if (ended.trouble.empty() && ended.cause.empty()) {
    ended.trouble = "the recorder of the trial ended early, status " + std::to_string(status);
  }
  return ended;
}

base::Result<LocalTrials::Ended> LocalTrials::record(const apply::TrialSpec& spec) {
  TrialOrder order;
  order.options.home = place_.home;
  order.options.stop_after = spec.steps;
  order.options.name = trial_name(spec);
  order.options.quiet = true;
  order.under.trial = true;
  order.under.parent = parent_;
  order.under.seed_shift = spec.seed_shift;
  for (const auto& setting : spec.knobs) {
    run::PlanEntry entry;
    entry.setting = setting;
    order.under.plan.entries.push_back(std::move(entry));
  }
  order.options.command = apply::planned_command(order.under.plan, place_.command);
  order.options.argv = place_.argv;
  order.unbuffered = !place_.losses.printed.empty();
  order.workspace = place_.workspace;
  order.spill =
      place_.workspace != nullptr ? place_.workspace->spill() : place_.output.parent_path();
  order.writes = writes_file();
  order.write_rules = write_rules();
  order.reads = place_.output.parent_path() / "reads.txt";
  order.file_cache = place_.file_cache;
  order.timeout_ns = spec.timeout_ns;
  order.data_limit_bytes = spec.data_limit_bytes;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return base::fail_errno(errno, "cannot start a trial");
  base::UniqueFd words(ends[0]);
  base::UniqueFd speaker(ends[1]);
  order.words = speaker.get();
  const pid_t recorder = ::fork();
  if (recorder < 0) return base::fail_errno(errno, "cannot start a trial");
  if (recorder == 0) {
    signals_.hand_back();
    if (!settle(place_.output)) ::_exit(1);
    try {
      record_trial(order);
    } catch (const std::exception&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  speaker = base::UniqueFd();
  return wait_for(recorder, std::move(words));
}

std::filesystem::path LocalTrials::writes_file() const {
  return place_.output.parent_path() / "writes-outside.txt";
}

launch::WriteRules LocalTrials::write_rules() const {
  return trial_write_rules(place_.workspace, place_.cwd, place_.command);
}

void LocalTrials::note_what_was_written() {
  outside_.take(writes_file());
  if (place_.workspace == nullptr) return;
  const auto merge = [](const base::Result<launch::Changes>& changes,
                        std::vector<std::string>& into) {
    if (!changes) return;
    for (const auto& change : changes->entries) {
      const std::string path = change.path.string();
      if (std::ranges::find(into, path) == into.end()) into.push_back(path);
    }
  };
  merge(place_.workspace->changed(kMostNamed), written_);
  merge(place_.workspace->changed_beyond(kMostNamed), written_beyond_);
}

base::Result<apply::TrialResult> LocalTrials::run(const apply::TrialSpec& spec) {
  if (place_.workspace != nullptr) {
    if (auto fresh = place_.workspace->reset(); !fresh) return std::unexpected(fresh.error());
  }
  const auto ended = record(spec);
  if (!ended) return std::unexpected(ended.error());
  note_what_was_written();
  if (!ended->trouble.empty() && ended->cause.empty()) {
    return base::fail(base::ErrorCode::kUnavailable, "a trial could not be run: " + ended->trouble);
  }
  if (!parent_) parent_ = ended->id;
  auto measured =
      read_trial(place_.home, ended->id, ended->cause, place_.output, "", place_.losses);
  if (!measured) return std::unexpected(measured.error());
  take_files(ended->files, measured->trial, place_.file_cache);
  return std::move(measured->trial);
}

}  // namespace flatout::cli
