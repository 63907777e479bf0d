#include "store/staging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "store/json_fields.h"
#include "store/run_list.h"
#include "store/run_writer.h"
#include "store/same_timeline_fixture.h"
#include "store/seal.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;

constexpr long kNfs = 0x6969;
constexpr long kExt4 = 0xEF53;

class StagingTest : public testing::Test {
 protected:
  // Everything below <scratch>/net is on NFS, all else local.
  FileSystemType type() const {
    const std::string net = (scratch.path() / "net").string();
    return [net](const fs::path& path) -> std::optional<long> {
      if (path.string().starts_with(net)) return kNfs;
      return kExt4;
    };
  }
  static const char* no_environment(const char*) { return nullptr; }
  std::optional<fs::path> root() const {
    return staging_root(home, no_environment, type(), var_tmp);
  }
  std::string record(bool end) {
    WriterOptions options;
    options.staging_root = root();
    auto writer = RunWriter::open(home, clock, system_disk(), options);
    EXPECT_EQ(writer->take_problem(), std::nullopt);
    auto info = sample_info(writer->id());
    info.host = from.host;
    info.ring_dir = "";
    EXPECT_TRUE(writer->begin(info));
    EXPECT_TRUE(writer->phases(7, sample_steps(4, 6'000'000'000)));
    EXPECT_TRUE(writer->flush());
    if (end) {
      EXPECT_TRUE(writer->end({}));
    }
    return writer->id();
  }
  void SetUp() override { fs::create_directories(var_tmp); }

  ScratchFolder scratch;
  fs::path var_tmp = scratch.path() / "var_tmp";
  Home home = Home::at(scratch.path() / "net" / "home");
  base::FakeClock clock;
  Viewpoint from = viewpoint_here();
};

TEST_F(StagingTest, KnowsFileSystemsByTheirMagic) {
  const auto named = [](long magic) {
    return network_file_system("/home/x", [magic](const fs::path&) { return magic; });
  };
  EXPECT_EQ(named(kNfs), "NFS");
  EXPECT_EQ(named(static_cast<std::int32_t>(0xFF534D42)), "CIFS");  // as a signed f_type gives it
  EXPECT_EQ(named(0x0BD00BD0), "Lustre");
  EXPECT_EQ(named(0x65735546), "FUSE");
  EXPECT_EQ(named(kExt4), std::nullopt);
  EXPECT_EQ(named(0x01021994), std::nullopt);  // tmpfs
  // What is not there yet lies where its parent does.
  EXPECT_EQ(network_file_system(scratch.path() / "net" / "a" / "b",
                                [&](const fs::path& path) -> std::optional<long> {
                                  if (path == scratch.path()) return kNfs;
                                  return std::nullopt;
                                }),
            "NFS");
}

TEST_F(StagingTest, ALocalHomeIsNotStaged) {
  EXPECT_EQ(staging_root(Home::at(scratch.path() / "local"), no_environment, type(), var_tmp),
            std::nullopt);
  const auto place = root();
  ASSERT_TRUE(place);
  struct stat st{};
  ASSERT_EQ(::stat(place->c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0700U);
}

TEST_F(StagingTest, APlaceOfSomebodyElseIsRefused) {
  const auto place = root();
  ASSERT_TRUE(place);
  ASSERT_EQ(::chmod(place->c_str(), 0755), 0);
  EXPECT_EQ(root(), std::nullopt);
  fs::remove_all(*place);
  fs::create_directory_symlink(scratch.path(), *place);
  EXPECT_EQ(root(), std::nullopt);
}

TEST_F(StagingTest, TheLogIsElsewhereUntilTheRunIsSealed) {
  const auto id = record(true);
  EXPECT_FALSE(fs::exists(home.log(id)));
  const auto log = staged_log(home.folder(id));
  ASSERT_TRUE(log);
  EXPECT_TRUE(fs::exists(*log));
  const auto before = read_run(home.folder(id), from);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->processes.at(7).phases.size(), 32U);
  ASSERT_EQ(seal_run(home, id, from).value(), SealResult::kSealed);
  EXPECT_FALSE(fs::exists(log->parent_path()));
  EXPECT_FALSE(fs::exists(home.folder(id) / kStagedFileName));
  expect_same_timeline(*before, *read_run(home.folder(id), from));
}

TEST_F(StagingTest, ALostRunIsFoundAndGoesOn) {
  const auto id = record(false);
  EXPECT_EQ(read_summary(home.folder(id), from)->state, run::RunState::kLost);
  {
    auto writer = RunWriter::reopen_lost(home, id, clock);
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->phases(7, sample_steps(1, 9'000'000'000)));
    ASSERT_TRUE((*writer)->flush());
  }
  EXPECT_EQ(read_run(home.folder(id), from)->processes.at(7).phases.size(), 40U);
  ASSERT_EQ(list_runs(home, from)->size(), 1U);
  const auto log = *staged_log(home.folder(id));
  EXPECT_TRUE(remove_run(home, id, from));
  EXPECT_FALSE(fs::exists(log));
}

TEST_F(StagingTest, OnAnotherMachineItSaysWhere) {
  const auto id = record(false);
  std::ofstream(home.folder(id) / kStagedFileName)
      << dump({{"host", "node99"}, {"log", "/var/tmp/x/log.flo"}});
  const auto found = read_run(home.folder(id), from);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, testing::HasSubstr("node99"));
}

TEST_F(StagingTest, APointerToAnythingElseIsNotBelieved) {
  const auto id = record(true);
  const auto victim = scratch.path() / "victim" / kLogFileName;
  fs::create_directories(victim.parent_path());
  fs::copy(*staged_log(home.folder(id)), victim);
  for (const fs::path& lie : {victim, *root() / (id + "-12345678") / ".." / "log.flo"}) {
    std::ofstream(home.folder(id) / kStagedFileName)
        << dump({{"host", from.host}, {"log", lie.string()}});
    EXPECT_EQ(staged_log(home.folder(id)), std::nullopt);
    EXPECT_FALSE(seal_run(home, id, from));
    EXPECT_TRUE(fs::exists(victim));
  }
}

}  // namespace
}  // namespace flatout::store
