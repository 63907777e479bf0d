#include "report/html/picture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "report/examples.h"

namespace flatout::report {
namespace {

using run::Phase;

constexpr double kRunSeconds = 214;
constexpr double kPeriod = 0.674;

// Deterministic noise in [-1, 1].
double wobble(double x) { return std::sin(x * 12.9898) * std::cos(x * 4.1414); }

run::StepBar bar(double start_s, double length_s, bool warm_up,
                 const std::map<std::string, double>& shares) {
  run::StepBar out;
  out.start_s = start_s;
  out.end_s = start_s + length_s;
  out.steps = 1;
  out.mean_ms = out.max_ms = length_s * 1000;
  out.warm_up = warm_up;
  double left = 1;
  for (std::size_t i = 1; i < run::kPhaseCount; ++i) {
    const auto found = shares.find(std::string(run::kPhaseNames[i]));
    if (found == shares.end() || found->second <= 0) continue;
    out.phases_ms.emplace_back(static_cast<Phase>(i), found->second * out.mean_ms);
    left -= found->second;
  }
  if (left > 0) out.phases_ms.emplace_back(Phase::kOther, left * out.mean_ms);
  return out;
}

run::Chart series(std::string metric, std::string unit, std::size_t points,
                  const std::function<run::ChartPoint(double)>& value) {
  run::Chart chart{.metric = std::move(metric),
                   .label = "GPU 0",
                   .unit = std::move(unit),
                   .points = {},
                   .limits = {},
                   .device = 0};
  for (std::size_t i = 0; i < points; ++i) {
    const double t_s = kRunSeconds * (static_cast<double>(i) + 0.5) / static_cast<double>(points);
    run::ChartPoint point = value(t_s);
    point.t_s = t_s;
    chart.points.push_back(point);
  }
  return chart;
}

bool trains(double t_s) { return t_s > 8 && !(t_s > 108 && t_s < 116); }

run::ChartPoint around(double mean, double spread) {
  return {0, mean, mean - spread, mean + spread};
}

void add_gpu_series(run::Charts& charts) {
  charts.series.push_back(series("device.utilization", "ratio", 400, [](double t) {
    if (!trains(t)) return around(0, 0);
    return run::ChartPoint{0, 0.12 + 0.02 * wobble(t), 0, 0.93 + 0.05 * wobble(t + 1)};
  }));
  charts.series.push_back(series("device.gpm.tensor", "ratio", 400, [](double t) {
    return trains(t) ? run::ChartPoint{0, 0.05 + 0.01 * wobble(t), 0, 0.4} : around(0, 0);
  }));
  charts.series.push_back(series("device.memory.used", "bytes", 400,
                                 [](double t) { return around(trains(t) ? 8.6e9 : 0.5e9, 0); }));
  charts.series.back().limits = {{"total", 40e9}};
  charts.series.push_back(series("device.power", "watts", 400, [](double t) {
    return trains(t) ? run::ChartPoint{0, 96 + 5 * wobble(t), 62, 210} : around(55, 1);
  }));
  charts.series.back().limits = {{"limit", 400}};
  charts.series.push_back(series("device.temperature", "celsius", 400, [](double t) {
    return around(38 + 24 * (1 - std::exp(-t / 60)) + 0.5 * wobble(t), 1);
  }));
  charts.series.back().limits = {{"slowdown", 92}, {"most in operation", 85}};
  run::Chart pressure = series("host.pressure.cpu.some", "ratio", 300,
                               [](double t) { return around(0.2 + 0.1 * wobble(t), 0.05); });
  pressure.device.reset();
  pressure.label = "host";
  charts.series.push_back(pressure);
}

run::CloseUp sawtooth_from_near() {
  run::CloseUp out{.start_s = 60, .end_s = 60 + 6 * kPeriod};
  run::Chart busy{.metric = "device.utilization",
                  .label = "GPU 0",
                  .unit = "ratio",
                  .points = {},
                  .limits = {},
                  .device = 0};
  for (int step = 0; step < 6; ++step) {
    const double at = 60 + step * kPeriod;
    out.step_starts_s.push_back(at);
    out.spans.push_back({Phase::kDataWait, at, at + 0.582});
    out.spans.push_back({Phase::kH2d, at + 0.582, at + 0.586});
    out.spans.push_back({Phase::kForward, at + 0.586, at + 0.614});
    out.spans.push_back({Phase::kBackward, at + 0.614, at + 0.669});
  }
  for (double t = 60; t < out.end_s; t += 0.02) {
    const double within = std::fmod(t - 60, kPeriod);
    const double value = within > 0.586 && within < 0.669 ? 0.97 : 0;
    busy.points.push_back({t, value, value, value});
  }
  out.series.push_back(std::move(busy));
  return out;
}

run::RoleChart cores(double workers) {
  run::RoleChart chart{.metric = "process.cpu.cores_used",
                       .unit = "cores",
                       .bucket_s = 1,
                       .times_s = {},
                       .roles = {},
                       .limit = run::ChartLimit{"usable", 12}};
  std::vector<double> main, worker;
  for (int second = 0; second < 214; ++second) {
    chart.times_s.push_back(second + 0.5);
    main.push_back(trains(second) ? 1.04 + 0.05 * wobble(second) : 0.8);
    worker.push_back(trains(second) ? workers * (1 + 0.1 * wobble(second + 7)) : 0);
  }
  chart.roles = {{run::ProcRole::kMain, main}};
  if (workers > 0) chart.roles.emplace_back(run::ProcRole::kWorker, worker);
  return chart;
}

run::ProcessNode process(pid_t pid, run::ProcRole role, std::string command, double from, double to,
                         double cpu) {
  run::Proc proc;
  proc.pid = pid;
  proc.role = role;
  proc.command = std::move(command);
  return {.proc = proc, .start_s = from, .end_s = to, .cpu_seconds = cpu};
}

run::StepHistogram lengths_of(const std::vector<run::StepBar>& bars) {
  run::StepHistogram out;
  constexpr int kBins = 24;
  double lo = std::numeric_limits<double>::max(), hi = 0;
  for (const run::StepBar& one : bars) {
    if (one.warm_up) continue;
    lo = std::min(lo, one.mean_ms);
    hi = std::max(hi, one.mean_ms);
  }
  if (!(hi > lo)) return out;
  const double width = (hi - lo) / kBins;
  for (int i = 0; i < kBins; ++i) out.bins.push_back({lo + i * width, lo + (i + 1) * width, 0});
  for (const run::StepBar& one : bars) {
    if (one.warm_up) continue;
    const int at = std::min(kBins - 1, static_cast<int>((one.mean_ms - lo) / width));
    ++out.bins[static_cast<std::size_t>(at)].steps;
  }
  return out;
}

}  // namespace

run::Report gpu_report() {
  run::Report report = example_reports()[0].report;  // input_bound
  report.verdict.summary =
      "the GPU waits for data 86 % of each step, because images are decoded inside the training "
      "process (num_workers=0).";
  report.findings[0].summary = report.verdict.summary;
  run::Utilization use;
  use.source = "nvml";
  use.mean = 0.12;
  use.p10 = 0.0;
  use.p50 = 0.04;
  use.p90 = 0.9;
  use.pattern = "sawtooth";
  use.period_ms = kPeriod * 1000;
  use.duty = 0.13;
  report.devices.clear();
  run::DeviceReport device;
  device.index = 0;
  device.name = "NVIDIA A100-SXM4-40GB";
  device.kind = "cuda";
  device.utilization = use;
  report.devices.push_back(device);
  report.steps->phases = {{"data_wait", 0.86}, {"h2d", 0.01},      {"forward", 0.04},
                          {"backward", 0.08},  {"optimizer", 0.0}, {"sync", 0.0},
                          {"checkpoint", 0.0}, {"other", 0.01}};
  report.steps->phases_device = {
      {"data_wait", 0.85}, {"h2d", 0.01}, {"forward", 0.04}, {"backward", 0.08}, {"other", 0.02}};
  report.steps->phases_unavailable = {{"comm", "torch.distributed was not used"}};
  report.steps->eval_s = 8.2;
  return report;
}

run::Charts gpu_charts() {
  run::Charts charts = charts_for(gpu_report());
  add_gpu_series(charts);
  charts.close_up = sawtooth_from_near();
  charts.marks = {{"startup", 0, 8, 1, 8},
                  {"eval", 108, 116, 1, 8},
                  {"epoch_gap", 107.5, 108, 1, 0.5},
                  {"checkpoint", 60, 61.4, 1, 1.4},
                  {"checkpoint", 160, 161.2, 1, 1.2}};
  return charts;
}

run::Charts charts_for(const run::Report& report) {
  run::Charts charts;
  charts.duration_s = kRunSeconds;
  if (report.steps) {
    const double step_s = std::clamp(report.steps->median_ms.value_or(674) / 1000, 0.1, 2.0);
    double at = 8;
    for (int i = 0; at < kRunSeconds - 3 && i < 400; ++i) {
      if (at > 108 && at < 116) at = 116;
      const double length = step_s * (i < 10 ? 1.8 - 0.07 * i : 1 + 0.09 * wobble(i));
      charts.steps.push_back(bar(at, length, i < 10, report.steps->phases));
      at += length;
    }
    charts.step_lengths = lengths_of(charts.steps);
    charts.marks = {{"startup", 0, 8, 1, 8}};
  }
  charts.roles = {cores(report.loader ? report.loader->workers * 0.9 : 0)};
  charts.processes = {process(4711, run::ProcRole::kMain, "python train.py", 0, kRunSeconds, 212)};
  charts.facts = {{0, "environment", R"({"torch":"2.13.0","python":"3.11.7","intraop_threads":2})"},
                  {0, "model", R"({"class":"ResNet","parameters":25557032,"device":"cpu"})"}};
  return charts;
}

run::Charts random_charts(std::uint64_t seed, bool large) {
  std::mt19937_64 dice(seed);
  const auto number = [&dice]() -> double {
    switch (dice() % 8) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return std::numeric_limits<double>::infinity();
      case 2:
        return -1e300;
      case 3:
        return 0;
      default:
        return std::exp(std::normal_distribution<double>(0, 5)(dice));
    }
  };
  const auto words = [&dice] {
    static const std::vector<std::string> kWords = {"<script>alert(1)</script>",
                                                    "\"><img src=x onerror=alert(1)>",
                                                    "' onload='x",
                                                    "&lt;b&gt;",
                                                    "]]><svg/onload=x>",
                                                    "--><!--",
                                                    std::string("nul\0byte", 8),
                                                    "\x1b[31mred",
                                                    "\xff\xfe",
                                                    "\xe2\x80\xaetxt.exe",
                                                    "\xed\xa0\x80",
                                                    "javascript:alert(1)",
                                                    "</style></script>",
                                                    "caf\xc3\xa9"};
    return kWords[dice() % kWords.size()];
  };
  run::Charts charts;
  charts.duration_s = large ? 1e5 : number();
  const std::size_t bars = large ? 400 : dice() % 40;
  for (std::size_t i = 0; i < bars; ++i) {
    run::StepBar one =
        bar(large ? static_cast<double>(i) * 250 : number(), large ? 249 : 1, i < 10, {});
    one.phases_ms.clear();
    for (std::size_t p = 0; p < run::kPhaseCount; ++p) {
      const double ms = large ? 1000 + static_cast<double>(dice() % 9999) : number();
      one.phases_ms.emplace_back(static_cast<Phase>(p), ms);
    }
    one.mean_ms = large ? 50'000 : number();
    charts.steps.push_back(one);
  }
  const std::size_t charts_count = large ? 24 : dice() % 6;
  for (std::size_t c = 0; c < charts_count; ++c) {
    run::Chart chart{.metric = c % 2 == 0 ? "device.power" : words(),
                     .label = words(),
                     .unit = c % 3 == 0 ? words() : "watts",
                     .points = {},
                     .limits = {{words(), number()}}};
    if (c % 2 == 0) chart.device = static_cast<int>(c / 2);
    for (std::size_t i = 0; i < (large ? 334 : dice() % 30); ++i) {
      const double t = large ? static_cast<double>(i) * 200 : number();
      const double mean = large ? static_cast<double>(dice() % 1000) : number();
      chart.points.push_back(
          {t, mean, large ? mean - 37.7 : number(), large ? mean + 41.3 : number()});
    }
    charts.series.push_back(chart);
  }
  for (std::size_t i = 0; i < (large ? 300 : dice() % 20); ++i) {
    charts.marks.push_back({i % 2 == 0 ? "eval" : words(), number(), number(), 2, number()});
  }
  run::ProcessNode root = process(1, run::ProcRole::kMain, words(), number(), number(), number());
  for (std::size_t i = 0; i < (large ? 48 : dice() % 5); ++i) {
    root.children.push_back(process(2, run::ProcRole::kWorker,
                                    words() + std::string(large ? 900 : 0, 'x'), 1, 2, number()));
  }
  charts.processes = {root};
  run::CloseUp close_up{.start_s = number(), .end_s = number()};
  for (int i = 0; i < 5; ++i) {
    close_up.step_starts_s.push_back(number());
    close_up.spans.push_back({static_cast<Phase>(dice() % 10), number(), number()});
  }
  charts.close_up = close_up;
  charts.step_lengths.bins = {{number(), number(), 3}, {number(), number(), 0}};
  run::RoleChart roles{.metric = words(),
                       .unit = "cores",
                       .bucket_s = number(),
                       .times_s = {},
                       .roles = {},
                       .limit = run::ChartLimit{words(), number()}};
  std::vector<double> values;
  for (std::size_t i = 0; i < (large ? 300 : 5); ++i) {
    roles.times_s.push_back(large ? static_cast<double>(i) * 333 : number());
    values.push_back(number());
  }
  roles.roles = {{run::ProcRole::kMain, values}, {run::ProcRole::kOther, values}};
  charts.roles = {roles};
  charts.facts = {{0, "model", R"({"class":"<b>","x":[1,{"y":"&"}]})"},
                  {0, "rank", std::string(5000, '[')},
                  {0, words(), R"({"a":)"}};
  return charts;
}

}  // namespace flatout::report
