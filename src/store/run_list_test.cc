#include "store/run_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>

#include "base/process.h"
#include "store/run_writer.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

std::string resolved(std::map<std::string, std::string> variables) {
  const auto home = Home::resolve([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  return home ? home->root().string() : "";
}

TEST(Home, IsResolvedInOrder) {
  EXPECT_EQ(resolved({{"FLATOUT_HOME", "/f"}, {"XDG_DATA_HOME", "/x"}, {"HOME", "/h"}}), "/f");
  EXPECT_EQ(resolved({{"FLATOUT_HOME", ""}, {"XDG_DATA_HOME", "/x"}}), "/x/flatout");
  EXPECT_EQ(resolved({{"XDG_DATA_HOME", "relative"}, {"HOME", "/h"}}), "/h/.local/share/flatout");
  EXPECT_EQ(resolved({{"FLATOUT_HOME", "f/../g"}}), (fs::current_path() / "g").string());
  EXPECT_EQ(resolved({}), "");
}

TEST(RunId, HasItsForm) {
  for (const auto* good : {"k7f2", "abcdefghijklmnopqrstuvwxyz"}) EXPECT_TRUE(is_run_id(good));
  for (const auto* bad :
       {"", "k7f", "K7F2", "k1f2", "k7f8", "..ab", "a/bc", "abcdefghijklmnopqrstuvwxyza"}) {
    EXPECT_FALSE(is_run_id(bad)) << bad;
  }
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(is_run_id(random_run_id(8)));
    seen.insert(random_run_id(8));
  }
  EXPECT_EQ(seen.size(), 100U);
}

// Says "there is already" until an id has the length that the test wants.
class CrowdedDisk final : public Disk {
 public:
  explicit CrowdedDisk(std::size_t free_length) : free_length_(free_length) {}
  base::Result<void> make_parents(const fs::path&) override { return {}; }
  base::Result<void> make_dir(const fs::path& path) override {
    if (path.filename().string().size() >= free_length_) return {};
    return base::fail(ErrorCode::kExists, "exists");
  }
  base::Result<std::unique_ptr<DiskFile>> create(const fs::path&) override { return no(); }
  base::Result<std::unique_ptr<DiskFile>> open(const fs::path&) override { return no(); }
  base::Result<std::unique_ptr<DiskFile>> open_to_read(const fs::path&) override { return no(); }
  base::Result<void> rename(const fs::path&, const fs::path&) override { return no(); }
  base::Result<void> remove(const fs::path&) override { return no(); }
  base::Result<void> sync_dir(const fs::path&) override { return no(); }

 private:
  static std::unexpected<base::Error> no() { return base::fail(ErrorCode::kIo, "no"); }
  std::size_t free_length_;
};

TEST(RunId, GrowsOnCollision) {
  CrowdedDisk free(0);
  EXPECT_EQ(Home::at("/h").create_run(free)->size(), 4U);
  CrowdedDisk crowded(6);
  EXPECT_EQ(Home::at("/h").create_run(crowded)->size(), 6U);
  CrowdedDisk full(99);
  EXPECT_EQ(Home::at("/h").create_run(full).error().code, ErrorCode::kExists);
}

class RunListTest : public testing::Test {
 protected:
  std::string record(const std::string& name, std::int64_t started, bool end = true) {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.name = name;
    info.started_wall_ns = started;
    info.host = from.host;
    EXPECT_TRUE(writer->begin(info));
    if (end) {
      EXPECT_TRUE(writer->end({}));
    }
    return writer->id();
  }
  ErrorCode find_error(std::string_view reference) const {
    const auto found = find_run(home, reference, from);
    EXPECT_FALSE(found);
    return found ? ErrorCode::kIo : found.error().code;
  }

  ScratchFolder scratch;
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  Viewpoint from = viewpoint_here();
};

TEST_F(RunListTest, NewestFirstAndUnreadableLast) {
  EXPECT_TRUE(list_runs(home, from)->empty());
  EXPECT_EQ(find_error("latest"), ErrorCode::kNotFound);
  const auto b = record("", 200);
  const auto a = record("", 100);
  const auto c = record("", 300);
  fs::create_directories(home.folder("zzzz"));
  fs::create_directories(home.folder("Not a run"));
  fs::create_directory_symlink(home.folder(a), home.folder("link"));
  const auto runs = list_runs(home, from);
  ASSERT_TRUE(runs);
  std::vector<std::string> ids;
  for (const auto& run : *runs) ids.push_back(run.id);
  EXPECT_THAT(ids, testing::ElementsAre(c, b, a, "zzzz"));
  EXPECT_FALSE(runs->back().summary);
  EXPECT_EQ(find_run(home, "latest", from), c);
}

TEST_F(RunListTest, FindsByIdNameAndBeginning) {
  const auto old = record("night", 100);
  const auto newer = record("night", 200);
  EXPECT_EQ(find_run(home, old, from), old);
  EXPECT_EQ(find_run(home, "night", from), newer);
  EXPECT_EQ(find_run(home, newer.substr(0, 3), from).value_or("?") == newer,
            old.substr(0, 3) != newer.substr(0, 3));
  for (const auto* bad : {"", "nobody", "../..", "latestt"}) {
    EXPECT_EQ(find_error(bad), ErrorCode::kNotFound) << bad;
  }
  fs::rename(home.folder(old), home.folder("qqaa"));
  fs::rename(home.folder(newer), home.folder("qqbb"));
  EXPECT_EQ(find_error("qq"), ErrorCode::kInvalid);
  EXPECT_EQ(find_run(home, "qqa", from), "qqaa");
}

TEST_F(RunListTest, AWholeIdComesBeforeANameAndIsNoLink) {
  const auto first = record("night", 100);
  const auto other = record(first, 200);
  EXPECT_EQ(find_run(home, first, from), first);
  fs::create_directory_symlink(home.folder(first), home.folder("link"));
  EXPECT_FALSE(home.has("link"));
  EXPECT_EQ(find_error("link"), ErrorCode::kNotFound);
  EXPECT_TRUE(home.has(other));
  EXPECT_FALSE(home.has("../" + other));
}

TEST_F(RunListTest, RemovesARunAndNothingElse) {
  const auto id = record("", 1);
  const auto other = record("", 2);
  const auto outside = scratch.path() / "outside";
  fs::create_directories(outside);
  std::ofstream(outside / "precious") << "data";
  fs::create_directory_symlink(outside, home.folder(id) / "link");
  fs::create_directory_symlink(outside, home.folder("link"));
  EXPECT_TRUE(remove_run(home, id, from));
  EXPECT_FALSE(fs::exists(home.folder(id)));
  EXPECT_TRUE(fs::exists(home.folder(other)));
  EXPECT_EQ(remove_run(home, id, from).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(remove_run(home, "link", from).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(remove_run(home, "../outside", from).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(fs::exists(outside / "precious"));
}

TEST_F(RunListTest, RefusesARunThatIsRunningOrBeingWritten) {
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  const auto self = base::process_id(::getpid());
  ASSERT_TRUE(self);
  info.recorder_pid = self->pid;
  info.recorder_start_ticks = self->start_ticks;
  info.boot_id = base::boot_id();
  ASSERT_TRUE(writer->begin(info));
  EXPECT_EQ(remove_run(home, writer->id(), from).error().code, ErrorCode::kExists);

  const auto lost = record("", 1, false);
  auto recovering = RunWriter::reopen_lost(home, lost, clock);
  ASSERT_TRUE(recovering);
  EXPECT_EQ(remove_run(home, lost, from).error().code, ErrorCode::kExists);
  recovering->reset();
  EXPECT_TRUE(remove_run(home, lost, from));
}

// TensorBoard's folder is often named runs/.
TEST_F(RunListTest, AFolderOfAnothersIsNoRunAndStays) {
  fs::create_directories(home.folder("resnet"));
  std::ofstream(home.folder("resnet") / "events.out.tfevents.1.host") << "events";
  fs::create_directories(home.folder("alexnet") / "files");
  EXPECT_TRUE(list_runs(home, from)->empty());
  for (const char* name : {"resnet", "alexnet"}) {
    EXPECT_FALSE(home.has(name));
    EXPECT_EQ(find_run(home, name, from).error().code, ErrorCode::kNotFound);
    EXPECT_EQ(remove_run(home, name, from).error().code, ErrorCode::kNotFound);
  }
  EXPECT_TRUE(fs::exists(home.folder("resnet") / "events.out.tfevents.1.host"));
  EXPECT_TRUE(fs::exists(home.folder("alexnet") / "files"));
}

TEST_F(RunListTest, ARunThatCannotBeReadCanBeRemoved) {
  fs::create_directories(home.folder("abcd"));
  std::ofstream(home.log("abcd")) << "nonsense";
  EXPECT_TRUE(remove_run(home, "abcd", from));
  EXPECT_FALSE(fs::exists(home.folder("abcd")));
}

}  // namespace
}  // namespace flatout::store
