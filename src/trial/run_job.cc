#include "trial/run_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/file.h"
#include "base/new_file.h"
#include "trial/recorder.h"
#include "trial/write_rules.h"
#include "trial/writes.h"
#include "workspace/workspace.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;
using base::Result;

// What it prints goes to its own file, and its input is empty.
Result<void> redirect(const fs::path& output) {
  const base::UniqueFd in(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const base::UniqueFd out(
      ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  const bool done = in && out && ::dup2(in.get(), 0) == 0 && ::dup2(out.get(), 1) == 1 &&
                    ::dup2(out.get(), 2) == 2;
  if (!done) return base::fail_errno(errno, output.string());
  return {};
}

std::string kind_of(const TrialSite& site) {
  if (site.workspace() == nullptr) return "folder";
  return site.workspace()->kind() == workspace::WorkspaceKind::kOverlay ? "overlay" : "copy";
}

std::vector<std::string> paths_of(const Result<workspace::Changes>& changes) {
  std::vector<std::string> out;
  if (!changes) return out;
  for (const auto& change : changes->entries) out.push_back(change.path.string());
  return out;
}

TrialJobResult result_of(const TrialSite& site, const RecordedTrial& trial) {
  TrialJobResult result{.run = trial.run,
                        .ended = trial.ended,
                        .files = trial.files,
                        .trouble = trial.trouble,
                        .place = kind_of(site),
                        .notes = site.notes(),
                        .written = {},
                        .written_beyond = {},
                        .lasting = {}};
  return result;
}

TrialJobResult run_in(const TrialSite& site, const TrialJob& job, const fs::path& file) {
  for (const auto& [name, value] : job.environment) ::setenv(name.c_str(), value.c_str(), 1);
  const auto recorded = [&](const RecordedTrial& trial) {
    (void)base::write_private_file(result_file(file), trial_result_text(result_of(site, trial)));
  };
  TrialJobResult result = result_of(site, record_trial(job, site, recorded));
  OutsideWrites outside;
  outside.take(writes_file(job));
  result.lasting = outside.paths();
  if (const auto* workspace = site.workspace()) {
    result.written = paths_of(workspace->changed(kMostNamed));
    result.written_beyond = paths_of(workspace->changed_beyond(kMostNamed));
  }
  return result;
}

Result<TrialJobResult> run_somewhere(const TrialJob& job, const fs::path& file, TrialSite* site) {
  if (auto streams = redirect(job.output); !streams) return std::unexpected(streams.error());
  TrialSite own;
  if (site == nullptr) {
    const auto made = own.make(job.directory, job.command, job.home, job.in_place);
    if (!made) return std::unexpected(made.error());
    site = &own;
  }
  return run_in(*site, job, file);
}

// What a trial needs is to be seen from here.
Result<void> look_around(const TrialJob& job) {
  std::error_code error;
  if (fs::is_directory(job.home, error)) return {};
  return base::fail(base::ErrorCode::kNotFound, job.home + " is not there");
}

}  // namespace

Result<TrialJob> read_job(const fs::path& file) {
  const auto text = base::read_file(file, kMaxTrialJobBytes);
  if (!text) return std::unexpected(text.error());
  auto job = parse_trial_job(*text);
  if (job) return job;
  return base::fail(job.error().code, file.string() + " is no trial: " + job.error().message);
}

Result<void> run_job(const TrialJob& job, const fs::path& file, TrialSite* site) {
  std::error_code error;
  fs::current_path(job.directory, error);
  if (error) {
    return base::fail(base::ErrorCode::kIo, job.directory.string() + ": " + error.message());
  }
  TrialJobResult result;
  if (job.probe) {
    if (auto seen = look_around(job); !seen) return seen;
  } else if (auto ran = run_somewhere(job, file, site); ran) {
    result = std::move(*ran);
  } else {
    result.trouble = ran.error().message;
  }
  return base::write_private_file(result_file(file), trial_result_text(result));
}

}  // namespace flatout::trial
