#include "analyse/compare/cautions.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

#include "analyse/compare/load.h"
#include "analyse/compare/speedup.h"
#include "run/speedup_text.h"

namespace flatout::analyse {
namespace {

constexpr double kSameBatch = 0.01;
constexpr double kOtherLoad = 0.1;      // of the CPUs
constexpr double kOtherByClock = 0.05;  // of the speedup
constexpr double kManyDropped = 0.001;  // of the events

bool differs(const std::vector<run::FactChange>& changes, std::string_view beginning) {
  return std::ranges::any_of(changes, [beginning](const run::FactChange& change) {
    return change.key.starts_with(beginning);
  });
}

// A figure that only one of the two states says nothing about the machine.
bool both_state(const std::vector<run::FactChange>& changes, std::string_view beginning) {
  return std::ranges::any_of(changes, [beginning](const run::FactChange& change) {
    return change.key.starts_with(beginning) && !change.before.empty() && !change.after.empty();
  });
}

std::string whole(double value) { return std::to_string(std::llround(value)); }

bool many_dropped(const run::Report& report) {
  const auto dropped = static_cast<double>(report.overhead.dropped);
  return dropped > kManyDropped * static_cast<double>(report.overhead.events);
}

void add_machine(const run::Contrast& contrast, std::vector<run::Caution>& out) {
  const auto& changed = contrast.environment;
  if (both_state(changed, "machine.host")) {
    out.push_back({"other_machine", "the runs were made on different machines"});
  }
  if (both_state(changed, "machine.cpu") || differs(changed, "machine.cpu_limit")) {
    out.push_back({"other_cpus", "the runs had different CPUs, or a different number of them"});
  }
  if (differs(changed, "devices.")) {
    out.push_back({"other_devices", "the runs saw different devices"});
  }
  if (both_state(contrast.config, "torch.device") || both_state(contrast.config, "model.device")) {
    out.push_back({"other_device_kind", "the models computed on different kinds of device"});
  }
}

std::string cores(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// Others' work on a core takes the run's away: once the whole of it, they may have kept any step
// waiting as long as they liked.
double most_slower(double more_cores) { return 1 / (1 - std::min(more_cores, 0.99)); }

// The speed that was measured is what one run had less of the machine by, or could be.
void add_outside_load(const run::Report& before, const run::Report& after,
                      const run::Contrast& contrast, std::vector<run::Caution>& out) {
  const auto& first = before.host.others_cpu_mean;
  const auto& second = after.host.others_cpu_mean;
  const int cpus = std::min(before.host.cpus, after.host.cpus);
  if (!first || !second || cpus <= 0) return;
  const double more = *second - *first;
  if (std::abs(more) < kOtherLoad * cpus) return;
  if (contrast.speedup) {
    const double slower = more > 0 ? 1 / contrast.speedup->ratio : contrast.speedup->ratio;
    if (slower <= 1 || slower > most_slower(std::abs(more))) return;
  }
  out.push_back({"other_load", "other programs used " + cores(*first) + " cores beside " +
                                   before.run.id + " and " + cores(*second) + " beside " +
                                   after.run.id +
                                   ": that alone may explain the difference; repeat the runs on an "
                                   "idle machine"});
}

// Whatever the verdict is, it was measured there.
void add_busy_machine(const run::Report& before, const run::Report& after,
                      const run::Contrast& contrast, std::vector<run::Caution>& out) {
  const double first = lost_to_others(before);
  const double second = lost_to_others(after);
  if (first <= 0 && second <= 0) return;
  const auto part = [](const run::Report& report, double lost) {
    return std::to_string(std::lround(lost * 100)) + " % of the time of " + report.run.id;
  };
  std::string text =
      "measured on a busy machine: other programs kept the training thread from a "
      "core for ";
  if (first > 0) text += part(before, first);
  if (second > 0 && before.run.id != after.run.id) {
    text += (first > 0 ? " and " : "") + part(after, second);
  }
  if (contrast.speedup && !contrast.shown && excludes_one(*contrast.speedup)) {
    text += ", which alone may explain the difference; so none is claimed";
  }
  out.push_back({"busy_machine", text + "; repeat the runs on an idle machine"});
}

// A loader with workers may move time from the steps to the begin of each epoch.
void add_epoch_gaps(const run::Contrast& contrast, std::vector<run::Caution>& out) {
  if (!contrast.speedup || !contrast.by_clock) return;
  if (std::abs(std::log(*contrast.by_clock / contrast.speedup->ratio)) <
      std::log1p(kOtherByClock)) {
    return;
  }
  out.push_back({"other_epoch_gaps",
                 "the speedup is that of the steps, and leaves out the time between epochs: with "
                 "it the loop is " +
                     run::ratio_text(*contrast.by_clock, 2) + " by the clock"});
}

void add_work(const run::Report& before, const run::Report& after, const run::Contrast& contrast,
              std::vector<run::Caution>& out) {
  if (other_batch_size(before, after)) {
    out.push_back({"other_batch_size", "a step has " + whole(*after.steps->batch_size) +
                                           " samples instead of " +
                                           whole(*before.steps->batch_size) +
                                           "; samples/s are compared, and training may differ"});
  }
  if (both_state(contrast.config, "model.parameters") ||
      both_state(contrast.config, "model.class")) {
    out.push_back({"other_model", "the models differ, so the steps do different work"});
  }
  if (differs(contrast.config, "rank.world_size")) {
    out.push_back({"other_world_size", "the runs used different numbers of processes"});
  }
}

void add_state(const run::ComparedRun& run, std::vector<run::Caution>& out) {
  if (run.state == run::RunState::kRunning) {
    out.push_back({"still_running", run.id + " is still running: figures so far"});
  }
  if (run.state == run::RunState::kLost) {
    out.push_back({"lost", "the recording of " + run.id + " ended before the program did"});
  }
}

void add_steps(const run::Report& report, bool speedup, std::vector<run::Caution>& out) {
  const auto steady = report.steps ? report.steps->steady_count : 0;
  if (speedup && steady < static_cast<std::int64_t>(kEnoughSteps)) {
    out.push_back({"few_steps", report.run.id + " has only " + std::to_string(steady) +
                                    " steady steps; from " + std::to_string(kEnoughSteps) +
                                    " on the interval can be relied on"});
  }
  if (many_dropped(report)) {
    out.push_back({"dropped_events", "events of " + report.run.id + " were dropped"});
  }
}

}  // namespace

bool other_batch_size(const run::Report& before, const run::Report& after) {
  if (!before.steps || !after.steps) return false;
  const auto first = before.steps->batch_size;
  const auto second = after.steps->batch_size;
  if (!first || !second || *first <= 0 || *second <= 0) return false;
  return std::abs(*first - *second) > kSameBatch * std::max(*first, *second);
}

std::vector<run::Caution> cautions(const run::Report& before, const run::Report& after,
                                   const run::Contrast& contrast) {
  std::vector<run::Caution> out;
  add_machine(contrast, out);
  add_busy_machine(before, after, contrast, out);
  add_outside_load(before, after, contrast, out);
  add_epoch_gaps(contrast, out);
  add_work(before, after, contrast, out);
  run::ComparedRun baseline;
  baseline.id = before.run.id;
  baseline.state = before.state;
  add_state(baseline, out);
  if (before.run.id != after.run.id) add_state(contrast.run, out);
  add_steps(before, contrast.speedup.has_value(), out);
  if (before.run.id != after.run.id) add_steps(after, contrast.speedup.has_value(), out);
  return out;
}

}  // namespace flatout::analyse
