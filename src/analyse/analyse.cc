#include "analyse/analyse.h"

#include <algorithm>
#include <numeric>

#include "analyse/device/devices.h"
#include "analyse/engine_facts.h"
#include "analyse/facts.h"
#include "analyse/failure.h"
#include "analyse/host.h"
#include "analyse/kernels/tracing_report.h"
#include "analyse/knob_outcomes.h"
#include "analyse/live_tuned.h"
#include "analyse/outside_load.h"
#include "analyse/rules/judgement.h"
#include "analyse/rules/rule.h"
#include "analyse/stats.h"
#include "analyse/values.h"
#include "analyse/verdict.h"

namespace flatout::analyse {
namespace {

using run::Phase;

std::vector<run::Finding> judge(const Analysis& analysis, const AnalyseOptions& options) {
  std::vector<run::Finding> findings;
  const bool steps = !analysis.cut.steps.empty();
  for (const Rule& rule : all_rules()) {
    if (options.rules_off.contains(std::string(rule.id))) continue;
    if (!steps && !rule.without_steps) continue;
    if (auto finding = rule.judge(analysis)) findings.push_back(std::move(*finding));
  }
  // Most shares are of the steps, some of the run: held against each other as parts of the run.
  const run::RunAccount& account = analysis.account;
  const double loop_s = account.total_s - account.startup_s - account.end_s;
  const double outside_s = account.eval_s + account.epoch_gap_s;
  const double steps_share = loop_s > 0 ? std::clamp(1 - outside_s / loop_s, 0.0, 1.0) : 1;
  const auto stake = [steps_share](const run::Finding& finding) {
    return finding.of_run ? finding.share : finding.share * steps_share;
  };
  std::ranges::sort(findings, [&stake](const run::Finding& a, const run::Finding& b) {
    return stake(a) != stake(b) ? stake(a) > stake(b) : a.id < b.id;
  });
  doubt_loaded(findings);
  return findings;
}

// Why a phase cannot be in this run; "" where it can.
std::string unavailable(const Analysis& analysis, Phase phase) {
  if (analysis.share(phase) > 0 || phase == Phase::kOther) return {};
  if (analysis.repeated_activities) return "the steps are known by their kernels alone";
  if (analysis.only_times_known()) return "the steps are known by the program's ranges alone";
  if (analysis.foreign_trace) return "no span of the trace stands for it";
  if (analysis.marks_only) {
    return analysis.phases_seen.contains(phase) ? "" : "not marked by the program";
  }
  if ((phase == Phase::kH2d || phase == Phase::kSync) && !analysis.cuda) {
    return "no accelerator: the CPU is the device";
  }
  if (phase == Phase::kDataWait && analysis.background_draw_share) {
    return "a thread in the background draws the batches: waiting for it is in other";
  }
  if (phase == Phase::kComm && analysis.world_size > 1 && !analysis.distributed) {
    return "the host waited for no communication: DistributedDataParallel's lies in backward";
  }
  if (phase == Phase::kComm && !analysis.distributed) return "torch.distributed was not used";
  const bool computes =
      phase == Phase::kForward || phase == Phase::kBackward || phase == Phase::kOptimizer;
  if (computes && analysis.replays) {
    return "the step is a CUDA graph, replayed as a whole: launching it is in other";
  }
  if (phase == Phase::kOptimizer && analysis.updates == Updates::kCompiled) {
    return "the optimizer's step is compiled";
  }
  if (phase == Phase::kOptimizer && analysis.updates == Updates::kByHand) {
    return "no torch.optim optimizer was built: updating the weights is in other";
  }
  if (phase == Phase::kForward && !analysis.forwards_seen) {
    return "no module was called: functional code, or all of it compiled";
  }
  return {};
}

void fill_phases(const Analysis& analysis, run::StepsReport& steps) {
  for (std::size_t i = 0; i < run::kPhaseCount; ++i) {
    const auto phase = static_cast<Phase>(i);
    const std::string name(run::phase_name(phase));
    if (const std::string why = unavailable(analysis, phase); !why.empty()) {
      steps.phases_unavailable[name] = why;
    } else {
      steps.phases[name] = analysis.share(phase);
    }
  }
  for (const auto& [phase, share] : analysis.traced_phases) {
    steps.phases_device[std::string(run::phase_name(phase))] = share;
  }
  for (const auto& [phase, share] : analysis.device_phases) {
    steps.phases_device[std::string(run::phase_name(phase))] = share;
  }
}

double interval_seconds(const Analysis& analysis, IntervalKind kind) {
  std::int64_t sum = 0;
  for (const Interval& interval : analysis.cut.intervals) {
    if (interval.kind == kind) sum += interval.end_ns - interval.begin_ns;
  }
  return static_cast<double>(sum) / 1e9;
}

// What the run uses of a device that it shares, by the driver: events count the others' turns as
// the run's work.
std::optional<double> part_of_shared(const Analysis& analysis) {
  const DeviceStats* stats = analysis.device();
  if (stats == nullptr || !analysis.own_device_processes_known) return {};
  if (!stats->utilization || stats->utilization->source == "gpm") return {};
  if (!(stats->others.utilization.value_or(0) > 0)) return {};
  return std::max(0.0, stats->utilization->mean - *stats->others.utilization);
}

// Of the device on which the steps run; the CPU stands first where it is that.
std::optional<double> busy_of_steps(const Analysis& analysis,
                                    std::span<const run::DeviceReport> devices) {
  const auto busy = analysis.device_busy();
  const auto part = part_of_shared(analysis);
  if (part && (!busy || busy->tier == "events")) return std::min(*part, busy ? busy->share : 1.0);
  if (busy) return busy->share;
  const bool known = !analysis.cuda || devices.size() == 1;
  if (!known || devices.empty() || !devices.front().utilization) return std::nullopt;
  return devices.front().utilization->mean;
}

run::StepsReport steps_report(const Analysis& analysis,
                              std::span<const run::DeviceReport> devices) {
  run::StepsReport steps;
  if (analysis.repeated_activities) steps.source = "kernels";
  if (!analysis.step_ranges.empty()) steps.source = "ranges";
  steps.activities = analysis.repeated_activities;
  steps.count = static_cast<std::int64_t>(analysis.cut.steps.size());
  steps.steady_count = static_cast<std::int64_t>(analysis.steady().size());
  std::vector<double> lengths_ms;
  for (const Step& step : analysis.steady()) {
    lengths_ms.push_back(static_cast<double>(step.own_ns) / 1e6);
  }
  steps.median_ms = median(lengths_ms);
  steps.p95_ms = quantile(lengths_ms, 0.95);
  steps.mean_ms = mean(lengths_ms);
  steps.batch_size = analysis.usual_samples;
  if (analysis.samples_per_step && steps.mean_ms && *steps.mean_ms > 0) {
    steps.samples_per_s = *analysis.samples_per_step * 1000 / *steps.mean_ms;
  }
  steps.device_busy = busy_of_steps(analysis, devices);
  fill_phases(analysis, steps);
  steps.waits = analysis.waits;
  steps.startup_s = interval_seconds(analysis, IntervalKind::kStartup);
  steps.eval_s = interval_seconds(analysis, IntervalKind::kEval);
  steps.epoch_gap_s = interval_seconds(analysis, IntervalKind::kEpochGap);
  return steps;
}

std::optional<run::LoaderReport> loader_report(const run::Timeline& timeline,
                                               const Analysis& analysis) {
  if (!analysis.loader || !analysis.loader->num_workers) return std::nullopt;
  auto report = static_cast<const run::LoaderReport&>(*analysis.loader);
  const auto files = loader_files(timeline, analysis.pid, analysis.loader->loader);
  if (files) report.files_folder = class_folders_of(*files);
  return report;
}

// A verdict on the last seconds of a long run.
std::string short_basis(const Analysis& analysis) {
  constexpr double kMuch = 0.2;  // of the run
  const run::RunAccount& account = analysis.account;
  const auto steps = analysis.cut.steps.size();
  if (steps == 0 || account.warm_up_s <= kMuch * account.total_s) return "";
  return "the verdict rests on " + seconds_text(static_cast<double>(analysis.steady_own_ns) / 1e9) +
         " of " + seconds_text(account.total_s) + ": " + std::to_string(analysis.warm_up.dropped) +
         " of " + std::to_string(steps) + " steps count as warm-up";
}

// Some of what is called native was not.
std::string fetched_note(const run::LoaderFact& loader) {
  const auto batches = *loader.fetched_batches;
  return "Python made " + std::to_string(batches) + (batches == 1 ? " batch" : " batches") +
         " that the native engine could not" +
         (loader.fetched_reason.empty() ? "" : ", the first: " + loader.fetched_reason);
}

std::string without_full_stop(const std::string& summary) {
  return summary.substr(0, summary.find_last_not_of('.') + 1);
}

// How far the figures can be trusted: a finding that nothing in the program could change. Where
// the device is kept busy all the same, it is no more than a note.
void note_outside_load(std::span<const run::Finding> findings, std::vector<std::string>& notes) {
  const auto load = std::ranges::find(findings, "cpu_contention", &run::Finding::id);
  if (load == findings.end() || !load->outside) return;
  notes.push_back(without_full_stop(load->summary));
}

// The device may not be asked while a CUDA graph is captured.
void note_captures(const run::Timeline& timeline, std::vector<std::string>& notes) {
  run::CapturesFact lost;
  for (const auto& [pid, process] : timeline.processes) {
    const run::CapturesFact* own = run::latest_of(process.facts.observed().captures);
    if (own == nullptr) continue;
    lost.boundaries += own->boundaries;
    lost.copies += own->copies;
  }
  if (lost.boundaries == 0 && lost.copies == 0) return;
  std::string what;
  if (lost.boundaries > 0) what = std::to_string(lost.boundaries) + " boundaries of phases";
  if (lost.copies > 0) {
    what += (what.empty() ? "" : " and ") + std::to_string(lost.copies) + " copies";
  }
  notes.push_back(what + " were not timed on the device, because a CUDA graph was being captured");
}

// Of one iteration now and then, and so less sure than what lies beside it.
void note_data_parallel(const Analysis& analysis, std::vector<std::string>& notes) {
  if (!analysis.device_ddp_share) return;
  notes.push_back(
      "the device's comm inside backward is DistributedDataParallel's own figure, which it "
      "measures "
      "in some iterations");
}

std::vector<std::string> notes_of(const run::Timeline& timeline, const Analysis& analysis,
                                  std::span<const run::Finding> findings) {
  std::vector<std::string> notes = run::all_notes(timeline);
  note_outside_load(findings, notes);
  notes.insert(notes.end(), analysis.notes.begin(), analysis.notes.end());
  for (const auto& [pid, process] : timeline.processes) {
    for (const run::ProblemFact& said : process.facts.observed().problems) {
      notes.push_back(said.problem);
    }
  }
  note_captures(timeline, notes);
  note_data_parallel(analysis, notes);
  if (analysis.loader && analysis.loader->fetched_batches.value_or(0) > 0) {
    notes.push_back(fetched_note(*analysis.loader));
  }
  const auto steps = analysis.cut.steps.size();
  if (analysis.warm_up.low_confidence && steps > 0) {
    notes.push_back(steps < kFewSteps
                        ? "only " + std::to_string(steps) + " steps: half of them count as warm-up"
                        : "steps were still changing at half the run; run longer to be sure");
  }
  if (steps >= kFewSteps) {
    if (std::string caution = short_basis(analysis); !caution.empty()) {
      notes.push_back(std::move(caution));
    }
  }
  // The same problem in many workers is one line.
  std::vector<std::string> unique;
  for (std::string& note : notes) {
    if (std::ranges::find(unique, note) == unique.end()) unique.push_back(std::move(note));
  }
  return unique;
}

std::optional<run::ModelReport> model_report(const Analysis& analysis) {
  if (!analysis.model) return std::nullopt;
  run::ModelReport model = {.compiled = analysis.model->compiled,
                            .conv2d = analysis.model->conv2d,
                            .autocast = "",
                            .attention = analysis.model->attention};
  if (analysis.precision) model.autocast = analysis.precision->autocast;
  if (analysis.framework) model.accumulated = accumulated(*analysis.framework);
  return model;
}

}  // namespace

run::Report report_of(const run::Timeline& timeline, const Analysis& analysis,
                      const AnalyseOptions& options) {
  run::Report report;
  report.run = timeline.info;
  report.state = timeline.state;
  report.end = timeline.end;
  report.survivors = timeline.survivors;
  const std::int64_t end_ns = timeline.end ? timeline.end->t_ns : timeline.last_ns;
  report.duration_s = std::max(0.0, analysis.seconds(end_ns));
  report.devices = measure_devices(timeline, analysis);
  if (!analysis.cut.steps.empty()) {
    if (analysis.account.total_s > 0) report.account = analysis.account;
    report.steps = steps_report(analysis, report.devices);
    report.loader = loader_report(timeline, analysis);
  }
  if (report.steps || !report.devices.empty()) report.findings = judge(analysis, options);
  report.tracing = tracing_report(timeline);
  report.failure = failure_of(timeline, analysis);
  report.stopped_after = stopped_after(timeline);
  report.verdict = choose_verdict(timeline, analysis, report.findings);
  if (!report.failure) {
    report.verdict.caution = short_basis(analysis);
    const run::Finding* load = outside_load(report.findings);
    if (load != nullptr) report.verdict.loaded = without_full_stop(load->summary);
  }
  report.host = host_report(timeline, analysis);
  report.model = model_report(analysis);
  report.ranks = analysis.rank_traces;
  report.overhead = overhead_report(timeline);
  report.values = value_reports(timeline);
  report.knobs = knob_outcomes(timeline, analysis.pid);
  report.tuned = live_tune_report(timeline);
  report.notes = notes_of(timeline, analysis, report.findings);
  return report;
}

run::Report analyse(const run::Timeline& timeline, const AnalyseOptions& options) {
  return report_of(timeline, measure(timeline), options);
}

}  // namespace flatout::analyse
