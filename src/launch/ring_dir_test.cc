#include "launch/ring_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "base/file.h"
#include "launch/owner_mark.h"

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kTmpfs = 0x01021994;
constexpr std::uint64_t kNfs = 0x6969;

// Answers by root; what is allocated is looked up by the root of the folder.
class FakeDisk final : public DiskProbe {
 public:
  struct Disk {
    std::uint64_t magic = kTmpfs;
    std::uint64_t free = kAmpleBytes;
    bool allocates = true;
  };
  base::Result<std::uint64_t> magic(const fs::path& dir) const override {
    return disks.at(dir).magic;
  }
  base::Result<std::uint64_t> free_bytes(const fs::path& dir) const override {
    return disks.at(dir).free;
  }
  base::Result<void> try_allocate(const fs::path& dir, std::uint64_t) const override {
    if (disks.at(dir.parent_path()).allocates) return {};
    return base::fail(base::ErrorCode::kIo, "cannot allocate in " + dir.string());
  }
  std::map<fs::path, Disk> disks;
};

class RingDir : public testing::Test {
 protected:
  RingDir() {
    char name[] = "/tmp/flatout_ring_XXXXXX";
    top = ::mkdtemp(name);
    for (const char* root : {"shm", "tmp"}) {
      fs::create_directory(top / root);
      roots.push_back(top / root);
      disk.disks[top / root] = {};
    }
  }
  ~RingDir() override { fs::remove_all(top); }
  fs::path name_in(const char* root) const {
    return top / root / ("flatout-" + std::to_string(::getuid()) + "-k7f2");
  }
  fs::path top;
  std::vector<fs::path> roots;
  FakeDisk disk;
};

TEST_F(RingDir, FirstRootThatCanHoldRings) {
  EXPECT_EQ(create_ring_dir("k7f2", roots, RingKind::kFile, disk).value(), name_in("shm"));
  const FakeDisk::Disk unfit[] = {
      {.magic = kNfs}, {.free = kRingFreeBytesMin - 1}, {.allocates = false}};
  for (const FakeDisk::Disk& first : unfit) {
    fs::remove(name_in("shm"));
    fs::remove(name_in("tmp"));
    disk.disks[top / "shm"] = first;
    EXPECT_EQ(create_ring_dir("k7f2", roots, RingKind::kFile, disk).value(), name_in("tmp"));
    EXPECT_FALSE(fs::exists(name_in("shm")));
  }
}

TEST_F(RingDir, ASmallRootIsLeftToTheProgram) {
  for (const RingKind kind : {RingKind::kFile, RingKind::kSegment}) {
    disk.disks[top / "shm"].free = 64U << 20;
    disk.disks[top / "tmp"].free = kAmpleBytes;
    EXPECT_EQ(create_ring_dir("k7f2", roots, kind, disk).value(), name_in("tmp"));
    fs::remove(name_in("tmp"));
  }
}

TEST_F(RingDir, AmongSmallRootsFilesTakeTheLargest) {
  disk.disks[top / "shm"].free = 200U << 20;
  disk.disks[top / "tmp"].free = 100U << 20;
  EXPECT_EQ(create_ring_dir("k7f2", roots, RingKind::kFile, disk).value(), name_in("shm"));
}

TEST_F(RingDir, AmongSmallRootsEntriesOfSegmentsLieOutsideSharedMemory) {
  disk.disks[top / "shm"].free = 200U << 20;
  disk.disks[top / "tmp"] = {.free = 0, .allocates = false};
  EXPECT_EQ(create_ring_dir("k7f2", roots, RingKind::kSegment, disk).value(), name_in("tmp"));
}

TEST_F(RingDir, WithoutAnyTheErrorSaysWhyForEach) {
  disk.disks[top / "shm"].free = 5U << 20;
  disk.disks[top / "tmp"].magic = kNfs;
  const auto dir = create_ring_dir("k7f2", roots, RingKind::kFile, disk);
  ASSERT_FALSE(dir);
  EXPECT_EQ(dir.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(dir.error().message, HasSubstr("shm has 5 MiB free, 16 are needed"));
  EXPECT_THAT(dir.error().message, HasSubstr("tmp is on NFS"));
  EXPECT_THAT(dir.error().message, HasSubstr("set TMPDIR"));
}

TEST_F(RingDir, IsPrivateWhateverTheUmask) {
  const mode_t before = ::umask(0277);
  const auto dir = create_ring_dir("k7f2", roots, RingKind::kFile, disk);
  ::umask(before);
  struct stat info{};
  ASSERT_EQ(::stat(dir.value().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
}

TEST_F(RingDir, ANameThatIsTakenIsNotUsed) {
  fs::create_directory_symlink("/tmp", name_in("shm"));
  EXPECT_EQ(create_ring_dir("k7f2", roots, RingKind::kFile, disk).value(), name_in("tmp"));
  EXPECT_FALSE(create_ring_dir("../x", roots, RingKind::kFile, disk));
  EXPECT_FALSE(create_ring_dir("", roots, RingKind::kFile, disk));
}

TEST_F(RingDir, RemovesOnlyItsOwn) {
  const fs::path dir = create_ring_dir("k7f2", roots, RingKind::kFile, disk).value();
  ASSERT_TRUE(base::write_file_atomic(dir / "ring.1.2", "x"));
  fs::create_symlink("sysv:7", dir / "ring.3.4");  // as the entry of a segment
  ASSERT_TRUE(base::write_file_atomic(dir / "notes", "x"));
  const auto lock = mark_owner(dir);
  EXPECT_TRUE(remove_ring_dir(dir));
  EXPECT_FALSE(fs::exists(dir));
  EXPECT_TRUE(remove_ring_dir(dir));
  for (const fs::path& other : {top, top / "shm", fs::path("/"), fs::path("")}) {
    EXPECT_FALSE(remove_ring_dir(other)) << other;
  }
  EXPECT_TRUE(fs::exists(top / "shm"));
}

TEST_F(RingDir, RemovesOnlyWhatHooksWrite) {
  const fs::path dir = create_ring_dir("k7f2", roots, RingKind::kFile, disk).value();
  const fs::path others = top / "others";
  fs::create_directory(others);
  ASSERT_TRUE(base::write_file_atomic(others / "ring.1.2", "x"));
  for (const char* const name : {"ring.1.2", ".ring.3.4", "end.5", "knob.a.all", "thesis.txt"}) {
    ASSERT_TRUE(base::write_file_atomic(dir / name, "x"));
  }
  fs::create_directory(dir / "ring.folder");
  fs::create_symlink(others / "ring.1.2", dir / "ring.7.8");
  EXPECT_FALSE(remove_ring_dir(dir));
  EXPECT_TRUE(fs::exists(dir / "thesis.txt"));
  EXPECT_TRUE(fs::exists(dir / "ring.folder"));
  EXPECT_FALSE(fs::exists(dir / "ring.1.2"));
  EXPECT_TRUE(fs::exists(others / "ring.1.2"));

  const fs::path link = top / "shm" / (dir.filename().string() + "x");
  fs::create_directory_symlink(others, link);
  EXPECT_FALSE(remove_ring_dir(link));
  EXPECT_TRUE(fs::exists(others / "ring.1.2"));
}

TEST_F(RingDir, APathFromALogMustBeTheOneOfItsRun) {
  const fs::path dir = create_ring_dir("k7f2", roots, RingKind::kFile, disk).value();
  EXPECT_EQ(own_ring_dir(dir, "k7f2", roots).value(), dir);
  const fs::path elsewhere = top / "home" / dir.filename();
  fs::create_directories(elsewhere);
  fs::permissions(elsewhere, fs::perms::owner_all);
  const fs::path wrong[] = {elsewhere,       top / "shm" / ".." / "home" / dir.filename(),
                            dir / "",        dir / ".",
                            top / "shm",     "",
                            "flatout-0-k7f2"};
  for (const fs::path& said : wrong) EXPECT_FALSE(own_ring_dir(said, "k7f2", roots)) << said;
  for (const char* const id : {"", "other", "../home/k7f2"}) {
    EXPECT_FALSE(own_ring_dir(dir, id, roots)) << id;
  }
  fs::permissions(dir, fs::perms::all);
  EXPECT_FALSE(own_ring_dir(dir, "k7f2", roots)) << "others may write there";
  fs::remove(dir);
  EXPECT_EQ(own_ring_dir(dir, "k7f2", roots).error().code, base::ErrorCode::kNotFound);
  fs::create_directory_symlink(elsewhere, dir);
  EXPECT_FALSE(own_ring_dir(dir, "k7f2", roots)) << "a link";
}

TEST_F(RingDir, TheRealDiskAnswers) {
  const SystemDisk real;
  EXPECT_TRUE(real.try_allocate(top, kRingTrialBytes));
  EXPECT_TRUE(fs::exists(top));
  EXPECT_EQ(std::distance(fs::directory_iterator(top), {}), 2);  // the trial file is gone
  EXPECT_EQ(real.magic("/proc").value(), 0x9fa0U);
  EXPECT_GT(real.free_bytes(top).value(), 0U);
  EXPECT_FALSE(real.magic(top / "missing"));
  EXPECT_FALSE(real.try_allocate(top, std::uint64_t{1} << 60));
  EXPECT_EQ(std::distance(fs::directory_iterator(top), {}), 2);
}

TEST(RingRoots, InOrderOfPreference) {
  using Env = std::vector<std::string>;
  EXPECT_THAT(ring_roots(Env{}), ElementsAre("/dev/shm", "/tmp"));
  EXPECT_THAT(ring_roots(Env{"TMPDIR=/local"}), ElementsAre("/dev/shm", "/local", "/tmp"));
  EXPECT_THAT(ring_roots(Env{"TMPDIR=relative"}), ElementsAre("/dev/shm", "/tmp"));
  EXPECT_THAT(ring_roots(Env{"TMPDIR=/tmp"}), ElementsAre("/dev/shm", "/tmp"));
}

}  // namespace
}  // namespace flatout::launch
