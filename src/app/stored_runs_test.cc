#include "app/stored_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/file.h"
#include "base/process.h"
#include "base/time.h"
#include "store/run_reader.h"
#include "store/run_writer.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;

// A log whose recorder is gone, as somebody may have sent it.
class CraftedLog : public testing::Test {
 protected:
  CraftedLog() {
    std::string name = (fs::temp_directory_path() / "flatout-crafted-XXXXXX").string();
    top = ::mkdtemp(name.data());
    victim = top / "backup" / ("flatout-" + std::to_string(::getuid()) + "-thesis");
    fs::create_directories(victim);
    for (const char* const file : {"ring.1.2", "chapter.tex"}) {
      EXPECT_TRUE(base::write_file_atomic(victim / file, "years of work"));
    }
  }
  ~CraftedLog() override { fs::remove_all(top); }

  std::string write_log(const store::Home& home, const fs::path& ring_dir) const {
    const base::SystemClock clock;
    auto writer = store::RunWriter::open(home, clock);
    run::RunInfo info;
    info.id = writer->id();
    info.started_ns = clock.monotonic();
    info.started_wall_ns = clock.wall();
    info.host = store::viewpoint_here().host;
    info.boot_id = base::boot_id();
    info.recorder_pid = 4194303;  // nobody
    info.recorder_start_ticks = 1;
    info.ring_dir = ring_dir.string();
    EXPECT_TRUE(writer->begin(info));
    return info.id;
  }

  fs::path top;
  fs::path victim;
};

TEST_F(CraftedLog, MakesNobodyRemoveAFolderThatItNames) {
  const fs::path link =
      fs::path("/tmp") / (victim.filename().string() + std::to_string(::getpid()));
  fs::create_directory_symlink(victim, link);
  for (const fs::path& named : {victim, link}) {
    const store::Home home = store::Home::at(top / "home");
    const std::string id = write_log(home, named);
    const auto run = open_run(home.root(), id);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_TRUE(fs::exists(victim / "ring.1.2")) << named;
    EXPECT_TRUE(fs::exists(victim / "chapter.tex")) << named;
    EXPECT_THAT(run->timeline.notes, testing::Contains(testing::HasSubstr("are left there")));
  }
  fs::remove(link);
}

TEST_F(CraftedLog, IsCalledAsItsFolderWhateverItSays) {
  const store::Home home = store::Home::at(top / "home");
  const std::string id = write_log(home, "");
  fs::rename(home.folder(id), home.folder("zzzz"));
  const auto run = open_run(home.root(), "zzzz");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->timeline.info.id, "zzzz");  // paths are made of it
}

TEST(HomeToName, IsNoneOfTheUsualOne) {
  const char* const before = std::getenv("FLATOUT_HOME");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("FLATOUT_HOME", "/usual", 1);
  EXPECT_EQ(home_to_name(store::Home::at("/usual")), "");
  EXPECT_EQ(home_to_name(store::Home::at("/my runs")), "/my runs");
  before != nullptr ? ::setenv("FLATOUT_HOME", kept.c_str(), 1) : ::unsetenv("FLATOUT_HOME");
}

}  // namespace
}  // namespace flatout::app
