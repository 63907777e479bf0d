// A home with a run that is over, and what is left of it once it is sealed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/time.h"
#include "store/run_list.h"
#include "store/run_writer.h"
#include "store/seal.h"
#include "store/store_fixture.h"

namespace flatout::store {

class SealTest : public testing::Test {
 protected:
  // A run with every noun, `ticks` long, that has ended or whose recorder is gone.
  std::string record(int ticks, bool end = true) {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.host = from.host;
    info.ring_dir = "";
    EXPECT_TRUE(writer->begin(info));
    EXPECT_TRUE(writer->proc({.pid = 7, .start_ticks = 70, .command = "python"}));
    run::Device device;
    device.index = 1;
    device.name = "A100";
    EXPECT_TRUE(writer->device(device));
    EXPECT_TRUE(writer->lane(7, {.lane = 3, .tid = 9, .is_main = true}));
    EXPECT_TRUE(writer->fact(7, {.t_ns = 6, .key = "loader", .json = R"({"workers":2})"}));
    EXPECT_TRUE(writer->batches(8, sample_batches(20, 6'000'000'000)));
    EXPECT_TRUE(writer->device_phases(7, sample_device_phases()));
    const run::NamedValue loss[] = {
        {.t_ns = 7, .value = 0.5, .step = 1, .name = "loss"},
        {.t_ns = 8, .value = NAN, .step = 2, .track = 1, .name = "loss"}};
    EXPECT_TRUE(writer->values(7, loss));
    for (int tick = 0; tick < ticks; ++tick) {
      EXPECT_TRUE(writer->phases(7, sample_steps(2, 6'000'000'000 + tick * 100'000'000LL)));
      // The processes come one by one, so that not all series have all times.
      EXPECT_TRUE(writer->samples(sample_tick(tick, std::min(1 + tick / 50, 5))));
      EXPECT_TRUE(writer->counts({.events = static_cast<std::uint64_t>(tick), .dropped = 3}));
      // The pid of a worker is used again.
      if (tick == 9) {
        EXPECT_TRUE(writer->proc({.pid = 8, .start_ticks = 71, .command = "b"}));
      }
      EXPECT_TRUE(writer->flush());
    }
    EXPECT_TRUE(writer->proc({.pid = 7, .start_ticks = 99, .command = "another"}));
    if (end) {
      EXPECT_TRUE(writer->end({.t_ns = 9'000'000'000'000, .exit_code = 3, .survivors = {}}));
    }
    return writer->id();
  }
  run::Timeline read(const std::string& id) const {
    auto timeline = read_run(home.folder(id), from);
    EXPECT_TRUE(timeline) << timeline.error().message;
    return timeline ? *timeline : run::Timeline{};
  }
  std::filesystem::path sealed(const std::string& id) const {
    return home.folder(id) / kSealedFileName;
  }
  std::vector<std::string> files(const std::string& id) const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(home.folder(id))) {
      out.push_back(entry.path().filename().string());
    }
    std::ranges::sort(out);
    return out;
  }

  ScratchFolder scratch;
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  Viewpoint from = viewpoint_here();
};

}  // namespace flatout::store
