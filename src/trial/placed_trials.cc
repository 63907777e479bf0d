#include "trial/placed_trials.h"

#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <cerrno>
#include <ctime>
#include <utility>

#include "base/file.h"
#include "base/new_file.h"
#include "base/time.h"
#include "launch/owner_mark.h"
#include "trial/control_page.h"
#include "trial/outcome.h"

namespace flatout::trial {
namespace {

using base::Result;

constexpr base::DurationNs kLook = base::kSecond / 5;
// A network file system may show a file of another machine only after a while.
constexpr base::DurationNs kSharedPatience = 10 * base::kSecond;

std::filesystem::path output_of(const PlacedTrial& trial) {
  return trial.file.string() + ".output";
}

std::string end_text(const launch::Exit& exit) {
  return exit.signal != 0 ? "signal " + std::to_string(exit.signal)
                          : "exit status " + std::to_string(exit.code);
}

}  // namespace

Result<TrialFolder> TrialFolder::make(const std::filesystem::path& root) {
  std::string name = (root / "flatout-trials-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return base::fail_errno(errno, "cannot make a folder in " + root.string());
  }
  return TrialFolder(name);
}

TrialFolder::TrialFolder(std::filesystem::path path)
    : path_(std::move(path)), lock_(launch::mark_owner(path_)) {}

TrialFolder::TrialFolder(TrialFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

TrialFolder::~TrialFolder() {
  std::error_code ignored;  // a later command sweeps what is left behind
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

PlacedTrials::PlacedTrials(Launcher& launcher, const StopSignals& signals,
                           std::filesystem::path folder)
    : launcher_(launcher), signals_(signals), folder_(std::move(folder)) {}

Result<TrialHandle> PlacedTrials::start(TrialJob job) {
  PlacedTrial trial;
  trial.file = folder_ / ("trial-" + std::to_string(++started_) + ".json");
  trial.messages = trial.file.string() + ".messages";
  job.output = output_of(trial);
  if (auto written = base::write_private_file(trial.file, trial_job_text(job)); !written) {
    return std::unexpected(written.error());
  }
  if (job.driven) {
    if (auto made = make_control_page(control_file(job.output)); !made) {
      return std::unexpected(made.error());
    }
  }
  auto handle = launcher_.start(trial);
  if (handle) running_.emplace(*handle, std::move(trial));
  return handle;
}

// Without one: what the launcher said, since the trial itself could say nothing.
TrialJobResult PlacedTrials::result_of(const PlacedTrial& trial, const launch::Exit& exit) const {
  const base::SystemClock clock;
  const base::TimeNs until = clock.monotonic() + kSharedPatience;
  auto text = base::read_file(result_file(trial.file), kMaxTrialJobBytes);
  while (!text && exit == launch::Exit{} && clock.monotonic() < until && !signals_.asked()) {
    base::pause_for(kLook);
    text = base::read_file(result_file(trial.file), kMaxTrialJobBytes);
  }
  TrialJobResult failed;
  if (!text) {
    const std::string said = last_line_of(trial.messages);
    failed.trouble =
        exit == launch::Exit{}
            ? "its result did not come back: the folder of the runs is not shared"
            : "it ended early, " + end_text(exit) + (said.empty() ? "" : " (" + said + ")");
    return failed;
  }
  auto result = parse_trial_result(*text);
  if (result) return std::move(*result);
  failed.trouble = "its result cannot be read: " + result.error().message;
  return failed;
}

std::optional<PlacedTrials::Ended> PlacedTrials::ended(const std::optional<LaunchEnd>& end) {
  if (!end) return std::nullopt;
  auto found = running_.extract(end->handle);
  if (found.empty()) return std::nullopt;
  const PlacedTrial& trial = found.mapped();
  return Ended{.handle = end->handle,
               .result = result_of(trial, end->exit),
               .file = trial.file,
               .output = output_of(trial)};
}

PlacedTrials::Ended PlacedTrials::wait() {
  for (;;) {
    if (signals_.asked()) launcher_.cancel();
    if (auto one = ended(launcher_.wait_any(kLook))) return std::move(*one);
  }
}

std::optional<PlacedTrials::Ended> PlacedTrials::ended_within(base::DurationNs patience) {
  return ended(launcher_.wait_any(patience));
}

std::filesystem::path PlacedTrials::output(TrialHandle handle) const {
  return output_of(running_.at(handle));
}

TrialJobResult PlacedTrials::result_so_far(TrialHandle handle) const {
  return result_of(running_.at(handle), launch::Exit{.code = 1});  // it is there, or it is not
}

// A long tune would else fill the temporary folder with what its program prints.
void PlacedTrials::forget(const Ended& ended) const {
  std::error_code ignored;
  for (const char* end : {"", ".messages", ".output", ".output.writes", ".output.reads",
                          ".output.control", ".result"}) {
    std::filesystem::remove(ended.file.string() + end, ignored);
  }
}

Result<void> probe_launcher(PlacedTrials& trials, TrialJob job) {
  job.probe = true;
  if (auto started = trials.start(std::move(job)); !started) {
    return std::unexpected(started.error());
  }
  const auto ended = trials.wait();
  if (ended.result.trouble.empty()) return {};
  return base::fail(
      base::ErrorCode::kUnavailable,
      trials.interrupted()
          ? "interrupted"
          : "a first look with the launcher failed: " + ended.result.trouble +
                "; this binary, this folder and the folder of the runs (--home) must lie where "
                "its nodes see them");
}

}  // namespace flatout::trial
