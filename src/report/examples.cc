#include "report/examples.h"

#include <csignal>
#include <limits>
#include <optional>

namespace flatout::report {
namespace {

run::Report base_report() {
  run::Report report;
  report.run.id = "k7f2";
  report.run.command = {"python", "/home/u/vision/train.py", "--epochs", "2"};
  report.run.cwd = "/home/u/vision";
  report.run.host = "node1";
  report.run.cpus = 12;
  report.run.cpu_model = "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz";
  report.run.started_wall_ns = 1'763'690'570'123'000'000;
  report.run.flatout_version = "0.1.0";
  report.state = run::RunState::kFinished;
  report.end = run::RunEnd{};
  report.duration_s = 214.2;
  report.host.cpus = 12;
  report.host.cpu_mean = 1.04;
  report.host.memory_peak_bytes = 1'240'000'000;
  report.host.memory_limit_bytes = 8'000'000'000;
  report.host.processes = 1;
  report.overhead = {.events = 4312, .dropped = 0, .recorder_cpu_share = 0.004};
  return report;
}

run::Utilization utilization(const std::string& source, double mean) {
  run::Utilization out;
  out.source = source;
  out.mean = mean;
  return out;
}

run::DeviceReport cpu_device(double mean) {
  run::DeviceReport device;
  device.name = "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz";
  device.kind = "cpu";
  device.utilization = utilization("phases", mean);
  return device;
}

run::Report input_bound() {
  run::Report report = base_report();
  report.verdict = {.finding = "input_bound",
                    .cause = run::Cause::kSingleProcessLoading,
                    .summary =
                        "the CPU waits for data 86 % of each step, because images are "
                        "decoded inside the training process (num_workers=0).",
                    .confidence = 0.93,
                    .ruled_out = {"disk", "memory pressure", "CPU limits"}};
  run::StepsReport steps;
  steps.count = 312;
  steps.steady_count = 302;
  steps.median_ms = 674;
  steps.p95_ms = 731;
  steps.mean_ms = 676;
  steps.batch_size = 64;
  steps.samples_per_s = 95;
  steps.device_busy = 0.12;
  steps.phases = {{"data_wait", 0.86}, {"forward", 0.04}, {"backward", 0.08},
                  {"optimizer", 0.01}, {"checkpoint", 0}, {"other", 0.01}};
  steps.phases_unavailable = {{"h2d", "no copy to a device was seen"}};
  steps.startup_s = 2.1;
  steps.epoch_gap_s = 0.2;
  report.steps = steps;
  report.account = run::RunAccount{.total_s = 214.2,
                                   .startup_s = 2.1,
                                   .warm_up_s = 6.8,
                                   .steps_s = 204.2,
                                   .eval_s = 0,
                                   .checkpoint_s = 0,
                                   .epoch_gap_s = 0.2,
                                   .end_s = 0.9};
  report.verdict.rests_on_share = 0.953;
  report.devices = {cpu_device(0.12)};
  report.devices[0].utilization->pattern = "sawtooth";
  report.devices[0].utilization->period_ms = 670;
  report.devices[0].utilization->duty = 0.13;
  run::LoaderReport& loader = report.loader.emplace();
  loader.workers = 0;
  loader.pin_memory = false;
  loader.persistent_workers = false;
  loader.iterable = false;
  loader.built_at = "/home/u/vision/train.py:41";
  loader.sample_ms = 9.1;
  loader.sample_cpu_share = 0.98;
  loader.stages = {
      {"JPEG decode", 0.61}, {"RandomResizedCrop", 0.24}, {"ToTensor", 0.003}, {"other", 0.147}};
  loader.max_samples_per_s = 110;
  run::Finding finding;
  finding.id = "input_bound";
  finding.cause = run::Cause::kSingleProcessLoading;
  finding.severity = run::Severity::kCritical;
  finding.share = 0.86;
  finding.confidence = 0.93;
  finding.summary = report.verdict.summary;
  finding.evidence = {{.metric = "phases.data_wait",
                       .value = 0.86,
                       .unit = "ratio",
                       .threshold = 0.1,
                       .start_s = 8.5,
                       .end_s = 212}};
  finding.advice = {{.knob = "dataloader.num_workers",
                     .from = "0",
                     .to = "8",
                     .predicted = run::Speedup{7.2, 6.5, 7.3},
                     .risk = run::Risk::kSameMaths,
                     .other_draws = true,
                     .argument = "num_workers=8",
                     .how = "",
                     .at = "/home/u/vision/train.py:41"},
                    {.knob = "dataloader.persistent_workers",
                     .from = "false",
                     .to = "true",
                     .predicted = run::Speedup{1.04, 1.01, 1.06},
                     .risk = run::Risk::kSameMaths,
                     .other_draws = false,
                     .argument = "persistent_workers=True",
                     .how = "",
                     .at = "/home/u/vision/train.py:41"}};
  report.findings = {finding};
  return report;
}

run::Report compute_bound() {
  run::Report report = input_bound();
  report.loader.reset();
  report.verdict = {.finding = "compute_bound",
                    .cause = run::Cause::kNone,
                    .summary = "the CPU computes 97 % of each step.",
                    .confidence = 0.7,
                    .ruled_out = {"disk"}};
  report.steps->phases = {{"data_wait", 0.02},
                          {"forward", 0.37},
                          {"backward", 0.55},
                          {"optimizer", 0.05},
                          {"other", 0.01}};
  report.steps->phases_unavailable.clear();
  report.devices = {cpu_device(0.97)};
  report.steps->device_busy = 0.97;
  run::Finding finding;
  finding.id = "compute_bound";
  finding.share = 0.97;
  finding.confidence = 0.7;
  finding.summary = report.verdict.summary;
  report.findings = {finding};
  return report;
}

run::Report no_steps() {
  run::Report report = base_report();
  report.run.command = {"sh", "-c", "sleep 1"};
  report.duration_s = 1.01;
  report.overhead.events = 0;
  report.verdict = {.finding = "no_steps",
                    .cause = run::Cause::kNone,
                    .summary = "no training step was seen, so there is nothing to explain.",
                    .confidence = 1,
                    .ruled_out = {}};
  return report;
}

run::Report only_tracked() {
  run::Report report = no_steps();
  report.run.command = {"python", "fit.py"};
  report.tracked = {{.source = "wandb",
                     .id = "3k2f9x1c",
                     .project = "mnist",
                     .name = "brisk\x1b[31m </script>",
                     .metrics = 9,
                     .points = 4500,
                     .texts = 3,
                     .files = 1,
                     .alerts = 2,
                     .lost = 7},
                    {.source = "flatout", .id = "second", .project = "", .name = ""}};
  report.tracked[0].values = {{"val/acc", 500, 0.9375, 499}, {"val/loss", 500, std::nullopt, {}}};
  return report;
}

run::Report failed() {
  run::Report report = no_steps();
  report.state = run::RunState::kFailed;
  report.end->exit_code = 3;
  report.run.hooks_off = "--no-hooks was given";
  report.failure = run::FailureReport{};
  report.verdict = {.finding = "failed",
                    .cause = run::Cause::kExitCode,
                    .summary = "exit code 3 after 1.0 s.",
                    .confidence = 1,
                    .ruled_out = {}};
  return report;
}

run::Report failed_in_training() {
  run::Report report = input_bound();
  report.state = run::RunState::kFailed;
  report.end->exit_code = 1;
  report.failure = run::FailureReport{.error = "RuntimeError",
                                      .message =
                                          "stack expects each tensor to be equal size, but "
                                          "got [3, 224, 224] at entry 0 and [1, 224, 224] "
                                          "at entry 7",
                                      .at = "/home/u/vision/train.py:58",
                                      .rank = std::nullopt,
                                      .after_steps = 312};
  report.verdict = {.finding = "failed",
                    .cause = run::Cause::kException,
                    .summary = "exit code 1 after 214.2 s and 312 steps: RuntimeError: " +
                               report.failure->message + " (/home/u/vision/train.py:58).",
                    .confidence = 1,
                    .ruled_out = {}};
  return report;
}

run::Report killed() {
  run::Report report = input_bound();
  report.state = run::RunState::kKilled;
  report.end->signal = SIGKILL;
  report.duration_s = 3725;
  return report;
}

run::Report lost() {
  run::Report report = input_bound();
  report.state = run::RunState::kLost;
  report.end = run::RunEnd{};
  report.end->survivors = {4711, 4712};
  report.notes = {"flatout was killed; what the program had written until then was recovered"};
  return report;
}

run::Report running() {
  run::Report report = input_bound();
  report.state = run::RunState::kRunning;
  report.end.reset();
  report.run.name = "baseline";
  return report;
}

run::Report gpu() {
  run::Report report = compute_bound();
  report.verdict.summary = "the GPU computes 97 % of each step.";
  report.findings[0].summary = report.verdict.summary;
  report.devices.assign(2, run::DeviceReport());
  report.devices[1].index = 1;
  for (auto& device : report.devices) {
    device.name = "NVIDIA A100-SXM4-40GB";
    device.kind = "cuda";
    device.utilization = utilization("nvml", 0.91);
    device.utilization->p10 = 0.88;
    device.utilization->p50 = 0.91;
    device.utilization->p90 = 0.95;
    device.utilization->pattern = "flat";
  }
  report.steps->phases_device = {{"forward", 0.4}, {"backward", 0.55}, {"optimizer", 0.05}};
  return report;
}

// The illustration of the product's page: every field that NVML and GPM give.
run::Report gpu_waits() {
  run::Report report = input_bound();
  report.verdict.summary =
      "the GPU waits for data 86 % of each step, because images are decoded inside the training "
      "process (num_workers=0).";
  report.verdict.tier = "phases";
  report.findings[0].summary = report.verdict.summary;
  report.findings[0].tier = "phases";
  run::Finding headroom;
  headroom.id = "memory_headroom";
  headroom.confidence = 0.7;
  headroom.tier = "nvml";
  headroom.summary = "8.6 of 40 GB of the GPU's memory are used.";
  headroom.evidence = {{.metric = "device.memory.used",
                        .value = 8.6e9,
                        .unit = "bytes",
                        .threshold = 20e9,
                        .start_s = std::nullopt,
                        .end_s = std::nullopt}};
  headroom.advice = {{.knob = "dataloader.batch_size",
                      .from = "64",
                      .to = "128",
                      .predicted = std::nullopt,
                      .risk = run::Risk::kChangesTraining,
                      .other_draws = false,
                      .argument = "batch_size=128",
                      .how = ", and adapt the learning rate",
                      .at = "/home/u/vision/train.py:41"}};
  report.findings.push_back(headroom);
  run::DeviceReport device;
  device.name = "NVIDIA A100-SXM4-40GB";
  device.kind = "cuda";
  device.visible_index = 0;
  device.used = true;
  device.uuid = "GPU-5b1f4b3c-0000-0000-0000-000000000000";
  device.mig = "off";
  device.utilization = utilization("nvml", 0.12);
  device.utilization->p10 = 0;
  device.utilization->p50 = 0;
  device.utilization->p90 = 0.82;
  device.utilization->pattern = "sawtooth";
  device.utilization->period_ms = 670;
  device.utilization->duty = 0.13;
  device.memory_used_bytes = 8'600'000'000;
  device.memory_total_bytes = 40'000'000'000;
  device.power_w = 96;
  device.power_limit_w = 400;
  device.temperature_c = 41;
  device.temperature_max_operating_c = 85;
  device.sm_clock_mhz = 1290;
  device.sm_clock_max_mhz = 1410;
  device.throttled = {.power = 0, .thermal = 0.06, .other = std::nullopt};
  device.pcie = {.generation = 4, .width = 16};
  device.pcie_generation_max = 4;
  device.pcie_width_max = 16;
  device.activity = {.sm = 0.1, .tensor = 0.04, .dram = 0.05, .occupancy = 0.06};
  device.others = {.processes = 0, .memory_used_bytes = 0, .utilization = 0};
  device.unavailable = {{"device.nvlink.received", "no NVLink is active"}};
  run::DeviceReport unused = device;
  unused.index = 1;
  unused.visible_index = 1;
  unused.used = false;
  unused.utilization = utilization("nvml", 0);
  report.devices = {device, unused};
  return report;
}

// More to say than fits, in names and numbers that try to break the page.
run::Report crowded() {
  run::Report report = input_bound();
  report.run.name = std::string(300, 'n');
  report.run.command = {"python", "/x/" + std::string(200, 'p') + ".py"};
  report.run.cpu_model = std::string(120, 'c');
  report.devices[0].name = report.run.cpu_model;
  report.steps->count = std::numeric_limits<std::int64_t>::max();
  report.steps->median_ms = 1e300;
  report.steps->samples_per_s = 1e-300;
  report.steps->phases = {{"data_wait", 0.2}, {"h2d", 0.1},        {"forward", 0.1},
                          {"backward", 0.1},  {"optimizer", 0.1},  {"comm", 0.1},
                          {"sync", 0.1},      {"checkpoint", 0.1}, {"other", 0.1}};
  report.loader->stages = {{std::string(90, 'S') + "\xc3\xa9", 0.9}, {"other", 0.1}};
  run::Finding other = report.findings[0];
  other.id = "checkpoint_stall";
  other.severity = run::Severity::kWarn;
  other.summary = std::string(400, 'w') + " words that go on and on.";
  report.findings.push_back(other);
  report.notes.assign(6, std::string(50, 'n') + " and more of it than a line can hold at all");
  return report;
}

}  // namespace

std::vector<Example> example_reports() {
  return {{"input_bound", input_bound()}, {"compute_bound", compute_bound()},
          {"no_steps", no_steps()},       {"only_tracked", only_tracked()},
          {"failed", failed()},           {"failed_in_training", failed_in_training()},
          {"killed", killed()},           {"lost", lost()},
          {"running", running()},         {"gpu", gpu()},
          {"gpu_waits", gpu_waits()},     {"crowded", crowded()}};
}

}  // namespace flatout::report
