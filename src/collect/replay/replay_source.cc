#include "collect/replay/replay_source.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace flatout::collect {
namespace {

bool is_of_cpus(run::Metric metric) {
  switch (metric) {
    case run::Metric::kHostCpuCoresUsed:
    case run::Metric::kHostIowait:
    case run::Metric::kHostPressureCpuSome:
    case run::Metric::kCgroupCpuThrottled:
    case run::Metric::kCgroupPressureCpuSome:
    case run::Metric::kRecorderCpuCoresUsed:
      return true;
    default:
      return false;
  }
}

bool is_of_devices(const run::Sample& sample) {
  return run::is_device_source(sample.source) ||
         sample.metric == run::Metric::kProcessDeviceMemoryUsed ||
         sample.metric == run::Metric::kProcessDeviceUtilization;
}

bool can_be_replayed(const run::SeriesKey& key) {
  if (run::is_device_source(key.source)) return true;
  return key.source == run::kHostSource && !is_of_cpus(key.metric);
}

// `inner` less what the recording gives.
class Remaining final : public run::Source {
 public:
  Remaining(std::unique_ptr<run::Source> inner, std::shared_ptr<const Recording> recording)
      : inner_(std::move(inner)), recording_(std::move(recording)) {}
  std::string_view name() const override { return inner_->name(); }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override {
    Filter filter(*recording_, out);
    return inner_->sample(now, filter);
  }
  base::Result<void> last_sample(base::TimeNs now, run::SampleSink& out) override {
    Filter filter(*recording_, out);
    return inner_->last_sample(now, filter);
  }
  std::vector<run::Device> take_devices() override {
    auto devices = inner_->take_devices();
    if (!recording_->devices.empty()) devices.clear();
    return devices;
  }
  std::vector<std::string> take_notes() override { return inner_->take_notes(); }

 private:
  struct Filter final : run::SampleSink {
    Filter(const Recording& without, run::SampleSink& sink) : recording(without), out(sink) {}
    void add(const run::Sample& sample) override {
      if (is_of_devices(sample) && !recording.devices.empty()) return;
      if (!recording.has({.metric = sample.metric, .source = sample.source})) out.add(sample);
    }
    const Recording& recording;
    run::SampleSink& out;
  };

  std::unique_ptr<run::Source> inner_;
  std::shared_ptr<const Recording> recording_;
};

}  // namespace

bool Recording::has(const run::SeriesKey& key) const {
  return std::ranges::binary_search(series, key);
}

Recording recording_of(const run::Timeline& timeline) {
  Recording recording;
  recording.run = timeline.info.id;
  for (const auto& [key, points] : timeline.series) {
    if (!can_be_replayed(key) || points.empty()) continue;
    recording.series.push_back(key);
    for (const run::Point& point : points) {
      recording.samples.push_back({.t_ns = point.t_ns - timeline.info.started_ns,
                                   .value = point.value,
                                   .source = key.source,
                                   .metric = key.metric});
    }
  }
  std::ranges::stable_sort(recording.samples, {}, &run::Sample::t_ns);
  for (const auto& [index, device] : timeline.devices) recording.devices.push_back(device);
  return recording;
}

ReplaySource::ReplaySource(Recording recording, base::TimeNs start, double speed)
    : recording_(std::move(recording)),
      start_ns_(start),
      speed_(std::isfinite(speed) && speed > 0 ? speed : 1) {
  notes_.push_back("devices and host figures (all but CPU) are replayed from run " +
                   recording_.run + ", not measured");
}

base::TimeNs ReplaySource::due_ns(const run::Sample& sample) const {
  if (speed_ == 1) return start_ns_ + sample.t_ns;  // exactly
  return start_ns_ +
         static_cast<base::DurationNs>(std::llround(static_cast<double>(sample.t_ns) / speed_));
}

base::Result<void> ReplaySource::sample(base::TimeNs now, run::SampleSink& out) {
  const auto& samples = recording_.samples;
  for (; next_ < samples.size() && due_ns(samples[next_]) <= now; ++next_) {
    run::Sample sample = samples[next_];
    sample.t_ns = due_ns(sample);
    out.add(sample);
  }
  const bool over =
      next_ == samples.size() && !samples.empty() && now > due_ns(samples.back()) + base::kSecond;
  if (over && !std::exchange(ended_, true)) {
    notes_.push_back("run " + recording_.run +
                     " was shorter than this one: from its end on there is nothing to replay");
  }
  return {};
}

std::vector<run::Device> ReplaySource::take_devices() {
  return std::exchange(recording_.devices, {});
}

std::vector<std::string> ReplaySource::take_notes() { return std::exchange(notes_, {}); }

std::vector<std::unique_ptr<run::Source>> with_replay(
    std::vector<std::unique_ptr<run::Source>> live, Recording recording, base::TimeNs start) {
  std::vector<std::unique_ptr<run::Source>> sources;
  const auto shared = std::make_shared<const Recording>(recording);
  for (auto& source : live) {
    sources.push_back(std::make_unique<Remaining>(std::move(source), shared));
  }
  sources.push_back(std::make_unique<ReplaySource>(std::move(recording), start));
  return sources;
}

}  // namespace flatout::collect
