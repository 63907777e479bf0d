// flatout trial FILE: one trial that a launcher placed here. Not for people: the
// file comes from `flatout search`, or from `tune` with a launcher.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "apply/plan_settings.h"
#include "base/file.h"
#include "base/new_file.h"
#include "cli/exit_status.h"
#include "cli/trial_job.h"
#include "cli/trial_rules.h"
#include "cli/trial_site.h"
#include "cli/tune_recorder.h"
#include "cli/verbs.h"
#include "cli/voice.h"
#include "launch/trial_writes.h"
#include "launch/workspace.h"

namespace flatout::cli {
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

fs::path writes_file(const TrialJob& job) { return job.output.string() + ".writes"; }
fs::path reads_file(const TrialJob& job) { return job.output.string() + ".reads"; }

TrialOrder order_of(const TrialJob& job, TrialSite& site, int words) {
  TrialOrder order;
  order.options.home = job.home;
  order.options.stop_after = job.steps;
  order.options.name = job.name;
  order.options.quiet = true;
  order.under.trial = true;
  order.under.parent = job.parent;
  order.under.seed_shift = job.seed_shift;
  for (const auto& setting : job.knobs) {
    run::PlanEntry entry;
    entry.setting = setting;
    order.under.plan.entries.push_back(std::move(entry));
  }
  order.options.command = apply::planned_command(order.under.plan, job.command);
  order.options.argv = job.argv;
  order.unbuffered = job.unbuffered;
  order.workspace = site.workspace();
  order.spill = site.spill();
  order.writes = writes_file(job);
  order.write_rules = trial_write_rules(order.workspace, job.directory, job.command);
  order.reads = reads_file(job);
  order.file_cache = job.file_cache;
  order.timeout_ns = job.timeout_ns;
  order.data_limit_bytes = job.data_limit_bytes;
  order.words = words;
  return order;
}

// A few short lines: they fit into the pipe, whose reader comes after the writer.
Result<TrialJobResult> record(const TrialJob& job, TrialSite& site) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return base::fail_errno(errno, "cannot start a trial");
  }
  const base::UniqueFd words(ends[0]);
  base::UniqueFd speaker(ends[1]);
  record_trial(order_of(job, site, speaker.get()));
  speaker = base::UniqueFd();
  std::string said(1U << 14, '\0');
  const ssize_t n = ::read(words.get(), said.data(), said.size());
  said.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  TrialJobResult result;
  std::istringstream lines(said);
  const auto take = [](const std::string& line, const std::string& word, std::string& to) {
    if (line.starts_with(word)) to = line.substr(word.size());
  };
  for (std::string line; std::getline(lines, line);) {
    take(line, kWordRun, result.run);
    take(line, kWordEnded, result.ended);
    take(line, kWordFiles, result.files);
    take(line, kWordTrouble, result.trouble);
  }
  return result;
}

TrialJobResult run_job(const TrialJob& job) {
  TrialJobResult failed;
  TrialSite site;
  if (const auto made = site.make(job.directory, job.command, job.home, job.in_place); !made) {
    failed.trouble = made.error().message;
    return failed;
  }
  for (const auto& [name, value] : job.environment) ::setenv(name.c_str(), value.c_str(), 1);
  auto result = record(job, site);
  if (!result) {
    failed.trouble = result.error().message;
    return failed;
  }
  result->place = site.workspace() == nullptr                                   ? "folder"
                  : site.workspace()->kind() == launch::WorkspaceKind::kOverlay ? "overlay"
                                                                                : "copy";
  launch::OutsideWrites outside;
  outside.take(writes_file(job));
  result->lasting = outside.paths();
  result->notes = site.notes();
  if (site.workspace() != nullptr) {
    if (const auto changes = site.workspace()->changed(kMostNamed)) {
      for (const auto& change : changes->entries) result->written.push_back(change.path.string());
    }
  }
  return std::move(*result);
}

Result<TrialJobResult> done(const TrialJob& job) {
  std::error_code error;
  fs::current_path(job.directory, error);
  if (error) {
    return base::fail(base::ErrorCode::kIo, job.directory.string() + ": " + error.message());
  }
  if (!job.probe) {
    if (auto streams = redirect(job.output); !streams) return std::unexpected(streams.error());
    return run_job(job);
  }
  if (!fs::is_directory(job.home, error)) {
    return base::fail(base::ErrorCode::kNotFound, job.home + " is not there");
  }
  return TrialJobResult{};
}

}  // namespace

int trial_verb(const TrialOptions& options) {
  Voice voice(false);
  const auto text = base::read_file(options.file, kMaxTrialJobBytes);
  if (!text) {
    voice.error(text.error().message);
    return kWrongOption;
  }
  const auto job = parse_trial_job(*text);
  if (!job) {
    voice.error(options.file + " is no trial: " + job.error().message);
    return kWrongOption;
  }
  const auto result = done(*job);
  if (!result) {
    voice.error(result.error().message);
    return 1;
  }
  const auto written =
      base::write_private_file(result_file(options.file), trial_result_text(*result));
  if (!written) {
    voice.error(written.error().message);
    return 1;
  }
  return 0;
}

}  // namespace flatout::cli
