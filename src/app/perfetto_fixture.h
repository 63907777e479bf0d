// What a Perfetto file holds, read back, and timelines of traces, for the tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/perfetto_export.h"

namespace flatout::app {

using Json = nlohmann::json;
using run::HostSpanKind;

constexpr std::int64_t kUs = 1000;

inline std::string text_of(const run::Timeline& timeline) {
  std::string text;
  EXPECT_TRUE(write_perfetto(timeline, [&](std::string_view piece) {
    text += piece;
    return base::Result<void>{};
  }));
  return text;
}

// The events of a file, and the names of their lanes.
class Written {
 public:
  explicit Written(const run::Timeline& timeline) {
    events_ = Json::parse(text_of(timeline))["traceEvents"];
    for (const Json& event : events_) {
      const auto lane = std::pair(event["pid"].get<std::int64_t>(), event["tid"].get<int>());
      if (event["name"] == "process_name") groups_[lane.first] = event["args"]["name"];
      if (event["name"] != "thread_name") continue;
      EXPECT_TRUE(lanes_.emplace(lane, event["args"]["name"]).second) << "a lane is named twice";
    }
  }

  // Those of this phase in lanes of this name, in order of the file.
  std::vector<Json> in(const std::string& lane, const std::string& phase = "X") const {
    std::vector<Json> found;
    for (const Json& event : events_) {
      if (event["ph"] == phase && lane_of(event) == lane) found.push_back(event);
    }
    return found;
  }
  std::vector<std::string> names_in(const std::string& lane) const {
    std::vector<std::string> names;
    for (const Json& event : in(lane)) names.push_back(event["name"]);
    return names;
  }
  std::string lane_of(const Json& event) const {
    const auto found = lanes_.find({event["pid"].get<std::int64_t>(), event["tid"].get<int>()});
    return found == lanes_.end() ? "" : found->second;
  }
  std::string group_of(const Json& event) const { return groups_.at(event["pid"]); }
  const Json& events() const { return events_; }

  // Whether a viewer can draw all of it.
  void expect_nested() const {
    std::map<std::pair<std::int64_t, int>, std::vector<std::pair<std::int64_t, std::int64_t>>>
        lanes;
    for (const Json& event : events_) {
      if (event["ph"] != "X") continue;
      const auto ns = [&](const char* key) {
        return static_cast<std::int64_t>(event[key].get<double>() * 1000 + 0.5);
      };
      lanes[{event["pid"], event["tid"]}].emplace_back(ns("ts"), -(ns("ts") + ns("dur")));
    }
    for (auto& [lane, spans] : lanes) {
      std::ranges::sort(spans);
      std::vector<std::int64_t> open;
      for (const auto& [begin, minus_end] : spans) {
        while (!open.empty() && open.back() <= begin) open.pop_back();
        EXPECT_TRUE(open.empty() || open.back() >= -minus_end) << lanes_.at(lane);
        open.push_back(-minus_end);
      }
    }
  }

 private:
  Json events_;
  std::map<std::pair<std::int64_t, int>, std::string> lanes_;
  std::map<std::int64_t, std::string> groups_;
};

// A trace of process 40, in microseconds.
class TraceTimeline {
 public:
  TraceTimeline() {
    timeline_.names = names_;
    timeline_.info.trace_file = "a.json";
    process().proc.pid = 40;
    process().proc.role = run::ProcRole::kMain;
    process().lanes = {{0, 41, false}, {1, 0, false}};
    timeline_.devices[0].name = "H100";
  }
  TraceTimeline& span(HostSpanKind kind, const std::string& name, std::int64_t begin,
                      std::int64_t end, std::uint16_t lane = 0, std::uint64_t correlation = 0) {
    process().host_spans.push_back(
        {begin * kUs, end * kUs, correlation, names_->add(name), lane, kind});
    return *this;
  }
  TraceTimeline& kernel(const std::string& name, std::int64_t begin, std::int64_t end,
                        std::uint64_t correlation = 0, std::uint32_t stream = 7) {
    run::DeviceActivity activity;
    activity.begin_ns = begin * kUs;
    activity.end_ns = end * kUs;
    activity.correlation = correlation;
    activity.name = names_->add(name);
    activity.stream = stream;
    process().activities.push_back(activity);
    return *this;
  }
  run::ProcessTrack& process() { return timeline_.processes[40]; }
  run::Timeline& timeline() { return timeline_; }

 private:
  std::shared_ptr<run::NameTable> names_ = std::make_shared<run::NameTable>();
  run::Timeline timeline_;
};

}  // namespace flatout::app
