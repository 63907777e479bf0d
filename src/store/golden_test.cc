// Runs that earlier versions wrote stay readable: testdata/ holds a log and a
// sealed run as the first version with sealing made them. Never write them
// anew; a change of format adds files of its own beside them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "store/home.h"
#include "store/run_writer.h"
#include "store/same_timeline_fixture.h"
#include "store/seal.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(FLATOUT_SOURCE_DIR) / "src/store/testdata";

Viewpoint there() { return {.proc = "/nowhere", .host = "node7", .wall_ns = 0}; }

// Run by hand with --gtest_also_run_disabled_tests, once, before a format exists.
TEST(Golden, DISABLED_Write) {
  ScratchFolder scratch;
  const base::FakeClock clock;
  const Home home = Home::at(scratch.path());
  auto writer = RunWriter::open(home, clock);
  const std::string id = writer->id();
  ASSERT_TRUE(writer->begin(sample_info(id)));
  ASSERT_TRUE(writer->proc({.pid = 7, .start_ticks = 70, .command = "python train.py"}));
  ASSERT_TRUE(writer->lane(7, {.lane = 0, .tid = 7, .is_main = true}));
  ASSERT_TRUE(writer->fact(7, {.t_ns = 6, .key = "loader", .json = R"({"workers":2})"}));
  run::Device device;
  device.name = "A100";
  ASSERT_TRUE(writer->device(device));
  ASSERT_TRUE(writer->batches(8, sample_batches(3, 6'000'000'000)));
  ASSERT_TRUE(writer->device_phases(7, sample_device_phases()));
  const run::NamedValue loss{.t_ns = 7, .value = 0.5, .step = 1, .name = "loss"};
  ASSERT_TRUE(writer->values(7, std::span(&loss, 1)));
  ASSERT_TRUE(writer->phases(7, sample_steps(20, 6'000'000'000)));
  for (int tick = 0; tick < 20; ++tick) ASSERT_TRUE(writer->samples(sample_tick(tick, 1)));
  ASSERT_TRUE(writer->counts({.events = 160, .dropped = 1}));
  ASSERT_TRUE(writer->end({.t_ns = 9'000'000'000, .exit_code = 3, .survivors = {5}}));
  writer.reset();
  fs::create_directories(kGolden);
  fs::copy_file(home.log(id), kGolden / "v1.log.flo");
  ASSERT_TRUE(seal_run(home, id, there()));
  fs::copy_file(home.folder(id) / kSealedFileName, kGolden / "v1.run.sqlite");
}

class GoldenTest : public testing::Test {
 protected:
  fs::path place(const char* golden, std::string_view as) {
    const fs::path folder = home.folder(as == kLogFileName ? "aaaa" : "bbbb");
    fs::create_directories(folder);
    fs::copy_file(kGolden / golden, folder / as);
    return folder;
  }
  ScratchFolder scratch;
  Home home = Home::at(scratch.path());
};

TEST_F(GoldenTest, BothFormsTellTheSameRun) {
  auto log = read_run(place("v1.log.flo", kLogFileName), there());
  const auto sealed = read_run(place("v1.run.sqlite", kSealedFileName), there());
  ASSERT_TRUE(log) << log.error().message;
  ASSERT_TRUE(sealed) << sealed.error().message;
  log->info.id = sealed->info.id;  // a run is called as its folder
  expect_same_timeline(*log, *sealed);
  EXPECT_TRUE(sealed->notes.empty());
  EXPECT_EQ(sealed->info.name, "night");
  EXPECT_EQ(sealed->state, run::RunState::kFailed);
  EXPECT_EQ(sealed->processes.at(7).phases, sample_steps(20, 6'000'000'000));
  EXPECT_EQ(sealed->processes.at(8).batches, sample_batches(3, 6'000'000'000));
  EXPECT_EQ(sealed->processes.at(7).device_phases.size(), 3U);
  EXPECT_EQ(sealed->processes.at(7).values.at(0).value().name, "loss");
  EXPECT_EQ(sealed->devices.at(0).name, "A100");
  EXPECT_EQ(sealed->counts.dropped, 1U);
  ASSERT_EQ(sealed->series.size(), 6U);
  for (const auto& [key, points] : sealed->series) EXPECT_EQ(points.size(), 20U);
}

TEST_F(GoldenTest, AnOldLogIsSealedByThisVersion) {
  const auto folder = place("v1.log.flo", kLogFileName);
  const auto before = read_run(folder, there());
  ASSERT_EQ(seal_run(home, "aaaa", there()).value(), SealResult::kSealed);
  expect_same_timeline(*before, *read_run(folder, there()));
}

}  // namespace
}  // namespace flatout::store
