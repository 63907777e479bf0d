// What the tests of writing a run share: a home in a scratch folder, on a disk that can fail.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "store/faulty_disk.h"
#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/store_fixture.h"

namespace flatout::store {

// This machine, under the name that sample_info gives.
inline Viewpoint here() {
  auto from = viewpoint_here();
  from.host = "node7";
  return from;
}

class RunWriterTest : public testing::Test {
 protected:
  std::unique_ptr<RunWriter> open(WriterOptions options = {}) {
    auto writer = RunWriter::open(home, clock, disk, options);
    EXPECT_TRUE(writer->begin(sample_info(writer->id())));
    return writer;
  }
  // Step `i` as one tick: 8 phase events of pid 7.
  static void tick(RunWriter& writer, int i) {
    EXPECT_TRUE(writer.phases(7, sample_steps(1, 6'000'000'000 + i * 20'000'000LL)));
    EXPECT_TRUE(writer.counts({.events = static_cast<std::uint64_t>(i + 1) * 8, .dropped = 0}));
    EXPECT_TRUE(writer.flush());
  }
  run::Timeline stored(const RunWriter& writer) const {
    auto timeline = read_run(home.folder(writer.id()), here());
    EXPECT_TRUE(timeline) << timeline.error().message;
    return timeline.value_or(run::Timeline{});
  }
  std::uint64_t log_bytes(const RunWriter& writer) const {
    return std::filesystem::file_size(home.log(writer.id()));
  }

  ScratchFolder scratch;
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  FaultyDisk disk;
};

}  // namespace flatout::store
