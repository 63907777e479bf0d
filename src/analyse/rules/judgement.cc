#include "analyse/rules/judgement.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace flatout::analyse {
namespace {

constexpr std::size_t kMostGroups = 500;
constexpr std::size_t kBlockSteps = 10;
constexpr double kBusy = 0.8;

}  // namespace

run::Severity severity_of(double share, const Thresholds& thresholds) {
  if (share >= thresholds.critical) return run::Severity::kCritical;
  return share >= thresholds.warn ? run::Severity::kWarn : run::Severity::kInfo;
}

ConfidenceInterval share_interval(const Analysis& analysis, std::span<const run::Phase> phases) {
  const std::span<const Step> steps = analysis.steady();
  const std::size_t group = (steps.size() + kMostGroups - 1) / kMostGroups;
  std::vector<double> parts;
  std::vector<double> wholes;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i % group == 0) {
      parts.push_back(0);
      wholes.push_back(0);
    }
    for (run::Phase phase : phases) parts.back() += static_cast<double>(steps[i].phase_ns(phase));
    wholes.back() += static_cast<double>(steps[i].own_ns);
  }
  const auto ratio_of = [&](std::span<const std::size_t> sample) {
    double part = 0;
    double whole = 0;
    for (std::size_t index : sample) {
      part += parts[index];
      whole += wholes[index];
    }
    return whole > 0 ? part / whole : 0;
  };
  BootstrapOptions options;
  options.block = std::max<std::size_t>(1, kBlockSteps / std::max<std::size_t>(1, group));
  // Blocks as long as the run would make every resample the same.
  options.block = std::min(options.block, std::max<std::size_t>(1, parts.size() / 4));
  return bootstrap(parts.size(), ratio_of, options).value_or(ConfidenceInterval{});
}

double confidence_of(const Analysis& analysis, double lowest, double threshold) {
  const std::size_t steps = analysis.steady().size();
  double confidence = steps >= 20 ? 0.95 : steps >= 10 ? 0.8 : steps >= 5 ? 0.6 : 0.4;
  if (analysis.warm_up.low_confidence) confidence = std::min(confidence, 0.4);
  if (analysis.records_dropped) confidence *= 0.8;
  if (lowest < threshold) confidence *= 0.6;
  return confidence;
}

double at_stake(const Analysis& analysis, double share, LostIn where) {
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  if (!busy || (where == LostIn::kWholeStep && busy->tier == "events")) return share;
  return std::min(share, std::max(0.0, 1 - busy->share));
}

double gaps_at_stake(const Analysis& analysis, double ratio) {
  const std::optional<double> busy = analysis.device_busy_with_gaps();
  return busy ? std::min(ratio, std::max(0.0, 1 - *busy) * (1 + ratio)) : ratio;
}

std::string idle_words(const Analysis& analysis, double host_share, double share) {
  if (percent(share) == percent(host_share)) return "";
  return "; the " + std::string(device_word(analysis)) + " idles " + percent(share) +
         " of the time";
}

bool keeps_gpu_busy(const Analysis& analysis) {
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  return busy && busy->share >= kBusy;
}

void add_device_busy(const Analysis& analysis, run::Finding& finding) {
  const std::optional<DeviceBusy> busy = analysis.device_busy();
  if (!busy) return;
  const bool events = busy->tier == "events";
  finding.evidence.push_back(
      steady_evidence(analysis, events ? "steps.phases_device.compute" : "device.utilization",
                      busy->share, "ratio"));
}

bool restarts_workers(const Analysis& analysis) {
  if (!analysis.loader) return false;
  const run::LoaderFact& fact = *analysis.loader;
  return fact.num_workers.value_or(0) > 0 && !fact.persistent_workers.value_or(true);
}

run::Evidence steady_evidence(const Analysis& analysis, std::string metric, double value,
                              std::string unit) {
  const TimeWindow window = analysis.steady_window();
  return {.metric = std::move(metric),
          .value = value,
          .unit = std::move(unit),
          .threshold = std::nullopt,
          .start_s = analysis.seconds(window.begin_ns),
          .end_s = analysis.seconds(window.end_ns)};
}

run::Evidence share_evidence(const Analysis& analysis, std::string metric, double value,
                             double threshold) {
  run::Evidence evidence = steady_evidence(analysis, std::move(metric), value, "ratio");
  evidence.threshold = threshold;
  return evidence;
}

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

std::string seconds_text(double seconds) {
  char text[32];
  if (seconds >= 1) {
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  } else {
    std::snprintf(text, sizeof text, "%.0f ms", seconds * 1000);
  }
  return text;
}

std::string_view device_word(const Analysis& analysis) { return analysis.cuda ? "GPU" : "CPU"; }

}  // namespace flatout::analyse
