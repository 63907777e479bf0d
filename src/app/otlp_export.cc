#include "app/otlp_export.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "analyse/run_steps.h"
#include "report/hardware_names.h"
#include "run/metric.h"

namespace flatout::app {
namespace {

using Json = nlohmann::ordered_json;
using OtlpSink = std::function<base::Result<void>(std::string_view)>;

constexpr std::size_t kLongestLine = 700'000;  // the rest of a megabyte is room for one long name

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json text_attribute(std::string_view key, std::string_view value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}
// 64-bit integers are texts in protobuf's JSON.
Json int_attribute(std::string_view key, std::int64_t value) {
  return {{"key", key}, {"value", {{"intValue", std::to_string(value)}}}};
}
Json double_attribute(std::string_view key, double value) {
  return {{"key", key}, {"value", {{"doubleValue", value}}}};
}

Json resource_of(const run::Timeline& timeline, const store::RunMeta& meta) {
  const run::RunInfo& info = timeline.info;
  const std::string project = meta.tracked ? meta.tracked->project : "";
  Json out = Json::array();
  const auto text = [&out](std::string_view key, const std::string& value) {
    if (!value.empty()) out.push_back(text_attribute(key, value));
  };
  text("service.name", project.empty() ? info.name.empty() ? "flatout" : info.name : project);
  text("service.instance.id", info.id);
  text("host.name", info.host);
  text("flatout.run.id", info.id);
  text("flatout.run.name", info.name);
  text("flatout.run.parent", info.parent.value_or(""));
  if (timeline.end) out.push_back(int_attribute("flatout.run.exit_code", timeline.end->exit_code));
  if (meta.tracked) {
    text("flatout.project", project);
    text("flatout.group", meta.tracked->group);
  }
  if (const auto all = store::all_tags(meta); !all.empty()) {
    Json tags = Json::array();
    for (const std::string& tag : all) tags.push_back({{"stringValue", tag}});
    out.push_back({{"key", "flatout.tags"}, {"value", {{"arrayValue", {{"values", tags}}}}}});
  }
  if (meta.outcome) {
    text("flatout.verdict.finding", meta.outcome->finding);
    text("flatout.verdict.cause", meta.outcome->cause);
    text("flatout.verdict.summary", meta.outcome->summary);
    out.push_back(double_attribute("flatout.verdict.confidence", meta.outcome->confidence));
    if (meta.outcome->device_busy) {
      out.push_back(double_attribute("flatout.verdict.device_busy", *meta.outcome->device_busy));
    }
  }
  return {{"attributes", std::move(out)}};
}

void append_double(std::string& out, double value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
  } else if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  } else {
    char buffer[32];
    const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
    out.append(buffer, end);
  }
}

struct Gauge {
  std::string name;
  std::string unit;
  std::string text;
  bool adds_up = false;  // a sum that may fall, as OpenTelemetry has it for memory
};

// UCUM, in which OTLP gives units.
std::string ucum(std::string_view unit) {
  if (unit == "ratio") return "1";
  if (unit == "bytes") return "By";
  if (unit == "watts") return "W";
  if (unit == "celsius") return "Cel";
  if (unit == "megahertz") return "MHz";
  if (unit == "bytes_per_s") return "By/s";
  if (unit == "per_s") return "1/s";
  if (unit == "cores") return "{cpu}";
  return "{count}";
}

class Otlp {
 public:
  Otlp(const run::Timeline& timeline, const store::RunMeta& meta, const OtlpSink& sink)
      : timeline_(timeline), sink_(sink) {
    head_ = R"({"resourceMetrics":[{"resource":)" + one_line(resource_of(timeline, meta)) +
            R"(,"scopeMetrics":[{"scope":)" +
            one_line({{"name", "flatout"}, {"version", FLATOUT_VERSION}}) + R"(,"metrics":[)";
  }

  // Ends the gauge before it.
  base::Result<void> begin(Gauge gauge) {
    auto done = end();
    gauge_ = std::move(gauge);
    return done;
  }

  // `attributes` is a JSON array.
  base::Result<void> point(std::int64_t t_ns, double value, const std::string& attributes) {
    const std::int64_t wall_ns =
        timeline_.info.started_wall_ns + (t_ns - timeline_.info.started_ns);
    points_ += points_.empty() ? "" : ",";
    points_ += R"({"attributes":)" + attributes + R"(,"timeUnixNano":")" +
               std::to_string(std::max<std::int64_t>(wall_ns, 0)) + R"(","asDouble":)";
    append_double(points_, value);
    points_ += '}';
    return points_.size() < kLongestLine ? base::Result<void>{} : end();
  }

  // The line, where there are points.
  base::Result<void> end() {
    if (points_.empty()) return {};
    const Json metric = {
        {"name", gauge_.name}, {"unit", gauge_.unit}, {"description", gauge_.text}};
    std::string line = one_line(metric);
    line.pop_back();
    line += gauge_.adds_up
                ? R"(,"sum":{"aggregationTemporality":2,"isMonotonic":false,"dataPoints":[)"
                : R"(,"gauge":{"dataPoints":[)";
    return sink_(head_ + line + std::exchange(points_, {}) + "]}}]}]}]}\n");
  }

 private:
  const run::Timeline& timeline_;
  const OtlpSink& sink_;
  std::string head_;
  Gauge gauge_;
  std::string points_;
};

const report::HardwareName* hardware_name(run::Metric metric) {
  for (const report::HardwareName& one : report::hardware_names()) {
    if (one.metric == metric) return &one;
  }
  return nullptr;
}

Json source_attributes(const run::Timeline& timeline, std::int32_t source) {
  Json out = Json::array();
  if (run::is_device_source(source)) {
    const int index = -1 - source;
    out.push_back(text_attribute("hw.id", std::to_string(index)));
    const auto device = timeline.devices.find(index);
    if (device != timeline.devices.end() && !device->second.name.empty()) {
      out.push_back(text_attribute("hw.name", device->second.name));
    }
  } else if (source != run::kHostSource) {
    out.push_back(int_attribute("process.pid", source));
  }
  return out;
}

base::Result<void> otlp_series(const run::Timeline& timeline, Otlp& otlp) {
  for (const auto& [key, points] : timeline.series) {
    const auto info = run::metric_info(key.metric);
    if (!info) continue;
    Json attributes = source_attributes(timeline, key.source);
    Gauge gauge{.name = "flatout." + std::string(info->name),
                .unit = ucum(info->unit),
                .text = std::string(info->text)};
    if (const report::HardwareName* known = hardware_name(key.metric)) {
      gauge.name = known->name;
      gauge.unit = known->unit;
      gauge.adds_up = known->adds_up;
      if (!known->attribute.empty()) {
        attributes.push_back(text_attribute(known->attribute, known->value));
      }
    }
    const std::string said = one_line(attributes);
    if (auto done = otlp.begin(std::move(gauge)); !done) return done;
    for (const run::Point& point : points) {
      if (auto done = otlp.point(point.t_ns, point.value, said); !done) return done;
    }
  }
  return {};
}

// Two passes, since a line holds one metric.
base::Result<void> otlp_steps(const run::Timeline& timeline, Otlp& otlp) {
  base::Result<void> done = otlp.begin(
      {"flatout.step.duration", "s", "Length of a step, without evaluation and checkpoints"});
  const analyse::RunSteps steps(timeline);
  if (done) {
    steps.each([&](const analyse::Step& step, bool) {
      done = otlp.point(step.end_ns, static_cast<double>(step.own_ns) / 1e9, "[]");
      return done.has_value();
    });
  }
  if (done) {
    done =
        otlp.begin({"flatout.step.phase.duration", "s", "What the training thread did in a step"});
  }
  if (!done) return done;
  std::string phases[run::kPhaseCount];
  for (std::size_t i = 0; i < run::kPhaseCount; ++i) {
    phases[i] = one_line(Json::array({text_attribute("flatout.phase", run::kPhaseNames[i])}));
  }
  steps.each([&](const analyse::Step& step, bool) {
    for (std::size_t i = 0; done && i < run::kPhaseCount; ++i) {
      if (step.phases[i] == 0) continue;
      done = otlp.point(step.end_ns, static_cast<double>(step.phases[i]) / 1e9, phases[i]);
    }
    return done.has_value();
  });
  return done;
}

// No step among the attributes: each would be a series of its own to whoever stores them.
base::Result<void> otlp_values(const run::Timeline& timeline, Otlp& otlp) {
  base::Result<void> done =
      otlp.begin({"flatout.value", "1", "A number that the program logged, by its name"});
  for (const auto& [pid, process] : timeline.processes) {
    for (const run::NamedValue& value : process.values) {
      if (!done) return done;
      const Json attributes = {text_attribute("flatout.value.name", value.name),
                               int_attribute("process.pid", pid),
                               int_attribute("flatout.track", value.track)};
      done = otlp.point(value.t_ns, value.value, one_line(attributes));
    }
  }
  return done;
}

}  // namespace

base::Result<void> write_otlp(const run::Timeline& timeline, const store::RunMeta& meta,
                              const OtlpSink& sink) {
  Otlp otlp(timeline, meta, sink);
  for (const auto write : {otlp_steps, otlp_series, otlp_values}) {
    if (auto done = write(timeline, otlp); !done) return done;
  }
  return otlp.end();
}

}  // namespace flatout::app
