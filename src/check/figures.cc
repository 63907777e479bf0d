#include "check/figures.h"

#include <algorithm>
#include <functional>

#include "run/idle_cause.h"
#include "run/phase.h"

namespace flatout::check {
namespace {

using Value = std::optional<double>;

constexpr std::string_view kPhase = "phase.";
constexpr std::string_view kIdle = "idle.";
constexpr std::string_view kNoSteps =
    "no steady steps were seen; flatout doctor says what hooks need";
constexpr std::string_view kNoDevice =
    "no driver said it of a device; flatout doctor says what is missing";
constexpr std::string_view kNoTrace =
    "there is no kernel trace of the steps; record with flatout run --trace kernels";

struct KnownFigure {
  FigureFacts facts;
  std::function<Value(const Subject&)> of;
};

Value real(const std::optional<std::int64_t>& count) {
  return count ? Value(static_cast<double>(*count)) : std::nullopt;
}

std::function<Value(const Subject&)> of_steps(Value run::StepsReport::* what) {
  return [what](const Subject& subject) {
    const auto& steps = subject.report->steps;
    return steps ? (*steps).*what : std::nullopt;
  };
}

// The most that any device of the run says; a CPU says nothing.
template <typename Of>
Value most_of_devices(const Subject& subject, Of of) {
  Value most;
  for (const run::DeviceReport& device : subject.report->devices) {
    const Value value = device.kind == "cpu" ? std::nullopt : of(device);
    if (value && (!most || *value > *most)) most = value;
  }
  return most;
}

Value phase_share(const Subject& subject, std::string_view phase) {
  const auto& steps = subject.report->steps;
  if (!steps || steps->steady_count == 0) return std::nullopt;
  const std::string name(phase);
  if (steps->phases_unavailable.contains(name)) return std::nullopt;
  const auto found = steps->phases.find(name);
  return found == steps->phases.end() ? Value(0) : Value(found->second);
}

// Of the device that idles longest for it.
Value idle_share(const Subject& subject, std::size_t cause) {
  return most_of_devices(subject, [cause](const run::DeviceReport& device) -> Value {
    const run::KernelTraceReport* trace = device.shown_trace();
    if (trace == nullptr || !trace->idle_account) return std::nullopt;
    return trace->idle_account->shares[cause];
  });
}

std::vector<KnownFigure> step_figures() {
  return {
      {{"step.median_ms", "ms", true, kNoSteps}, of_steps(&run::StepsReport::median_ms)},
      {{"step.mean_ms", "ms", true, kNoSteps}, of_steps(&run::StepsReport::mean_ms)},
      {{"step.p95_ms", "ms", false, kNoSteps}, of_steps(&run::StepsReport::p95_ms)},
      {{"step.p99_ms", "ms", true, "it needs 100 steady steps, 500 against a baseline"},
       [](const Subject& subject) { return subject.p99_ms; }},
      {{"step.samples_per_s", "samples/s", true, "no steady steps with a batch size were seen"},
       of_steps(&run::StepsReport::samples_per_s)},
      {{"step.count", "count", false, kNoSteps},
       [](const Subject& subject) -> Value {
         const auto& steps = subject.report->steps;
         return steps ? Value(static_cast<double>(steps->count)) : std::nullopt;
       }},
      {{"device.busy", "ratio", false, kNoDevice}, of_steps(&run::StepsReport::device_busy)},
  };
}

std::vector<KnownFigure> resource_figures() {
  return {
      {{"device.memory_bytes", "bytes", false, kNoDevice},
       [](const Subject& subject) {
         return most_of_devices(subject,
                                [](const auto& device) { return real(device.memory_used_bytes); });
       }},
      {{"device.temperature_c", "celsius", false, kNoDevice},
       [](const Subject& subject) {
         return most_of_devices(subject, [](const auto& device) { return device.temperature_c; });
       }},
      {{"host.memory_bytes", "bytes", false, "no memory of the processes was read"},
       [](const Subject& subject) { return real(subject.report->host.memory_peak_bytes); }},
      {{"host.cpu_cores", "cores", false, "no CPU time of the processes was read"},
       [](const Subject& subject) { return subject.report->host.cpu_mean; }},
      {{"run.duration_s", "s", false, ""},
       [](const Subject& subject) { return Value(subject.report->duration_s); }},
      {{"run.startup_s", "s", false, kNoSteps}, of_steps(&run::StepsReport::startup_s)},
      {{"records.dropped", "count", false, ""},
       [](const Subject& subject) {
         return Value(static_cast<double>(subject.report->overhead.dropped));
       }},
  };
}

std::vector<KnownFigure> made() {
  std::vector<KnownFigure> all = step_figures();
  for (std::size_t i = 1; i <= run::kPhaseCount; ++i) {  // "other" last
    const std::string_view phase = run::kPhaseNames[i % run::kPhaseCount];
    all.push_back({{std::string(kPhase) + std::string(phase), "ratio", true, kNoSteps},
                   [phase](const Subject& subject) { return phase_share(subject, phase); }});
  }
  for (std::size_t i = 0; i < run::kIdleCauses; ++i) {
    all.push_back(
        {{std::string(kIdle) + std::string(run::kIdleCauseNames[i]), "ratio", false, kNoTrace},
         [i](const Subject& subject) { return idle_share(subject, i); }});
  }
  for (KnownFigure& figure : resource_figures()) all.push_back(std::move(figure));
  return all;
}

const std::vector<KnownFigure>& figures() {
  static const std::vector<KnownFigure> all = made();
  return all;
}

}  // namespace

const std::vector<FigureFacts>& known_figures() {
  static const std::vector<FigureFacts> all = [] {
    std::vector<FigureFacts> out;
    for (const KnownFigure& figure : figures()) out.push_back(figure.facts);
    return out;
  }();
  return all;
}

const FigureFacts* figure_facts(std::string_view name) {
  const auto& all = known_figures();
  const auto found = std::ranges::find(all, name, &FigureFacts::name);
  return found == all.end() ? nullptr : &*found;
}

std::optional<double> figure_of(std::string_view name, const Subject& subject) {
  if (name.starts_with(kValuePrefix)) {
    const auto found = subject.values.find(std::string(name.substr(kValuePrefix.size())));
    return found == subject.values.end() ? std::nullopt : found->second;
  }
  const auto found = std::ranges::find(figures(), name,
                                       [](const KnownFigure& figure) { return figure.facts.name; });
  return found == figures().end() ? std::nullopt : found->of(subject);
}

}  // namespace flatout::check
