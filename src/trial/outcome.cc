#include "trial/outcome.h"

#include <sstream>
#include <utility>

#include "app/stored_runs.h"
#include "base/file.h"
#include "base/time.h"
#include "store/run_meta.h"
#include "trial/memory.h"
#include "trial/result.h"

namespace flatout::trial {
namespace {

constexpr std::size_t kLastLine = 160;

std::string seconds_text(base::DurationNs ns) {
  return std::to_string((ns + base::kSecond / 2) / base::kSecond) + " s";
}

std::vector<double> logged_values(const run::Timeline& timeline, const std::string& name) {
  std::vector<double> out;
  for (const auto& [pid, process] : timeline.processes) {
    std::vector<double> values;
    for (const auto& value : process.values) {
      if (value.name == name) values.push_back(value.value);
    }
    if (values.size() > out.size()) out = std::move(values);
  }
  return out;
}

}  // namespace

std::string last_line_of(const std::filesystem::path& file) {
  const auto text = base::read_file(file);
  if (!text) return "";
  std::istringstream lines(*text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  }
  return last.substr(0, kLastLine);
}

void explain_end(apply::TrialResult& result, const std::string& cause,
                 const std::filesystem::path& output, const run::Timeline& timeline) {
  if (cause == "timeout") {
    // A program into which flatout cannot look takes steps all the same.
    const bool silent = result.report.overhead.events == 0;
    result.failure = (silent ? "no steps were seen: ended after " : "hung: ended after ") +
                     seconds_text(result.wall_ns);
  } else if (cause == "ranks" && !result.steps.empty()) {
    result.failure.clear();  // its launcher was ended, and says so by its exit status
  } else if (!result.failure.empty() && !result.failure.starts_with("no steps")) {
    if (const std::string last = last_line_of(output); !last.empty()) {
      result.failure += " (" + last + ")";
    }
  }
  result.out_of_memory = ran_out_of_memory(result.failure, timeline);
}

void take_printed_losses(apply::TrialResult& result, const std::filesystem::path& output,
                         const LossSource& losses) {
  if (losses.printed.empty()) return;
  const auto text = base::read_file(output);
  result.evidence.losses = text ? printed_losses(*text, losses.printed) : std::vector<double>{};
  result.evidence.samples.clear();  // nobody knows of how many samples a printed one is
}

base::Result<apply::MeasuredTrial> read_trial(const std::string& home, const std::string& id,
                                              const std::string& cause,
                                              const std::filesystem::path& output,
                                              const std::string& logged, const LossSource& losses) {
  auto recorded = app::open_run(home, id);
  if (!recorded) return std::unexpected(recorded.error());
  apply::MeasuredTrial out;
  out.trial = trial_result(recorded->timeline, losses);
  take_printed_losses(out.trial, output, losses);
  // So that `ls` has its verdict; a list without it is no reason to end.
  (void)store::update_meta(recorded->folder, [&](store::RunMeta& meta) {
    meta.outcome = store::outcome_of(out.trial.report);
  });
  explain_end(out.trial, cause, output, recorded->timeline);
  if (!logged.empty()) out.logged = logged_values(recorded->timeline, logged);
  return out;
}

}  // namespace flatout::trial
