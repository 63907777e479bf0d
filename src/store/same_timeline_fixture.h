// Two Timelines, field by field; for tests only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "run/timeline.h"
#include "store/codec.h"

namespace flatout::store {

inline void expect_same_points(run::Records<run::Point> left, run::Records<run::Point> right) {
  const auto& a = left.own();
  const auto& b = right.own();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].t_ns, b[i].t_ns);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i].value), std::bit_cast<std::uint64_t>(b[i].value));
  }
}

inline void expect_same_track(const run::ProcessTrack& a, const run::ProcessTrack& b) {
  EXPECT_EQ(encode_proc(a.proc), encode_proc(b.proc));
  EXPECT_EQ(a.lanes, b.lanes);
  EXPECT_TRUE(a.phases == b.phases);
  EXPECT_TRUE(a.batches == b.batches);
  EXPECT_TRUE(a.device_phases == b.device_phases);
  EXPECT_TRUE(a.values == b.values);
  EXPECT_TRUE(a.activities == b.activities);
  EXPECT_TRUE(a.host_spans == b.host_spans);
  EXPECT_TRUE(a.trace_windows == b.trace_windows);
  EXPECT_EQ(a.ring_names, b.ring_names);
  EXPECT_EQ(a.facts, b.facts);
}

inline void expect_same_timeline(const run::Timeline& a, const run::Timeline& b) {
  EXPECT_EQ(encode_info(a.info), encode_info(b.info));
  EXPECT_EQ(a.state, b.state);
  ASSERT_EQ(a.end.has_value(), b.end.has_value());
  if (a.end) {
    EXPECT_EQ(encode_end(*a.end), encode_end(*b.end));
  }
  EXPECT_EQ(a.last_ns, b.last_ns);
  EXPECT_EQ(a.devices, b.devices);
  EXPECT_EQ(a.counts.events, b.counts.events);
  EXPECT_EQ(a.counts.dropped, b.counts.dropped);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.notes, b.notes);
  ASSERT_EQ(a.names == nullptr, b.names == nullptr);
  for (std::uint32_t name = 0; a.names && name < std::max(a.names->size(), b.names->size());
       ++name) {
    EXPECT_EQ(a.names->at(name), b.names->at(name));
  }
  ASSERT_EQ(a.processes.size(), b.processes.size());
  for (const auto& [pid, track] : a.processes) {
    ASSERT_TRUE(b.processes.contains(pid));
    expect_same_track(track, b.processes.at(pid));
  }
  ASSERT_EQ(a.series.size(), b.series.size());
  for (const auto& [key, points] : a.series) {
    ASSERT_TRUE(b.series.contains(key));
    expect_same_points(points, b.series.at(key));
  }
}

}  // namespace flatout::store
