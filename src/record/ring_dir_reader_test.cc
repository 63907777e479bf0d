#include "record/ring_dir_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "record/testing_ring.h"
#include "wire/ring_segment.h"

namespace flatout::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RingDirReaderTest : public ::testing::Test {
 protected:
  // The times of all phase events that come, in order, and commits.
  std::vector<std::int64_t> drain(bool commit = true) {
    std::vector<std::int64_t> times;
    now += base::kSecond;
    reader.drain(now, [&](const RingOwner& owner, RingChunk& chunk) {
      owners.push_back(owner);
      for (const auto& event : chunk.phases) times.push_back(event.t_ns);
    });
    if (commit) reader.commit();
    return times;
  }
  bool exists(const HandMadeRing& ring) const { return std::filesystem::exists(ring.path); }

  TempDir dir;
  RingDirReader reader{dir.rings(), dir.proc()};
  std::vector<RingOwner> owners;
  base::TimeNs now = base::kSecond;
};

TEST_F(RingDirReaderTest, ANewRingIsToldOfWithItsOwner) {
  dir.process(50, 100);
  HandMadeRing ring(
      dir.rings(),
      {.pid = 50, .parent = 40, .role = wire::RingRole::kWorker, .worker_id = 3, .rank = 1});
  EXPECT_THAT(drain(), IsEmpty());
  ASSERT_EQ(owners.size(), 1U);
  EXPECT_EQ(owners[0].id, (base::ProcessId{.pid = 50, .start_ticks = 100}));
  EXPECT_EQ(owners[0].parent, 40);
  EXPECT_EQ(owners[0].role, wire::RingRole::kWorker);
  EXPECT_EQ(owners[0].worker_id, 3);
  EXPECT_EQ(owners[0].rank, 1);
  EXPECT_EQ(owners[0].created_ns, 77);
}

TEST_F(RingDirReaderTest, EventsComeOnceAndInOrder) {
  dir.process(50, 100);
  HandMadeRing ring(dir.rings(), {.pid = 50});
  ring.write(phase_bytes(true, run::Phase::kForward, 1));
  ring.write(phase_bytes(false, run::Phase::kForward, 2));
  EXPECT_THAT(drain(), ElementsAre(1, 2));
  EXPECT_THAT(drain(), IsEmpty());
  ring.write(phase_bytes(true, run::Phase::kForward, 3));
  EXPECT_THAT(drain(), ElementsAre(3));
  EXPECT_EQ(reader.counts().events, 3U);
  EXPECT_EQ(ring.header().tail.load(), ring.header().head.load());
}

TEST_F(RingDirReaderTest, WithoutCommitTheNextReaderGetsThemAgain) {
  dir.process(50, 100);
  HandMadeRing ring(dir.rings(), {.pid = 50});
  ring.write(phase_bytes(true, run::Phase::kForward, 1));
  EXPECT_THAT(drain(false), ElementsAre(1));
  EXPECT_THAT(drain(false), IsEmpty());  // not twice by the same reader
  RingDirReader next(dir.rings(), dir.proc());
  std::size_t seen = 0;
  next.drain(now, [&](const RingOwner&, RingChunk& chunk) { seen += chunk.phases.size(); });
  EXPECT_EQ(seen, 1U);
}

TEST_F(RingDirReaderTest, ADeadWritersRingIsReadToItsEndAndThenUnlinked) {
  dir.process(50, 100);
  HandMadeRing ring(dir.rings(), {.pid = 50, .capacity = 64});
  EXPECT_THAT(drain(), IsEmpty());
  ring.write(phase_bytes(true, run::Phase::kForward, 1));
  ring.write(phase_bytes(true, run::Phase::kForward, 2));
  ring.write(phase_bytes(true, run::Phase::kForward, 3));  // dropped: the ring is full
  dir.end_process(50);
  EXPECT_THAT(drain(), ElementsAre(1, 2));
  EXPECT_FALSE(exists(ring));
  EXPECT_THAT(reader.take_ended(), ElementsAre(base::ProcessId{.pid = 50, .start_ticks = 100}));
  EXPECT_EQ(reader.counts().events, 2U);
  EXPECT_EQ(reader.counts().dropped, 1U);
}

TEST_F(RingDirReaderTest, AZombieAndAReusedPidAreDead) {
  dir.process(50, 100, 'Z');
  dir.process(60, 999);
  HandMadeRing zombie(dir.rings(), {.pid = 50});
  HandMadeRing reused(dir.rings(), {.pid = 60});
  zombie.write(phase_bytes(true, run::Phase::kForward, 1));
  EXPECT_THAT(drain(), ElementsAre(1));
  EXPECT_FALSE(exists(zombie));
  EXPECT_FALSE(exists(reused));
}

TEST_F(RingDirReaderTest, UnlinkAllLeavesLivingWritersTheirMemory) {
  dir.process(50, 100);
  HandMadeRing ring(dir.rings(), {.pid = 50});
  drain();
  reader.unlink_all();
  EXPECT_FALSE(exists(ring));
  EXPECT_TRUE(ring.write(phase_bytes(true, run::Phase::kForward, 1)));
}

struct Damage {
  const char* name;
  void (*apply)(HandMadeRing&);
  const char* said;
};
void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.name; }
class DamagedRing : public RingDirReaderTest, public ::testing::WithParamInterface<Damage> {};

TEST_P(DamagedRing, IsSaidOnceAndSkippedAndTheOthersGoOn) {
  dir.process(50, 100);
  dir.process(51, 100);
  HandMadeRing bad(dir.rings(), {.pid = 50});
  HandMadeRing good(dir.rings(), {.pid = 51});
  bad.write(phase_bytes(true, run::Phase::kForward, 1));
  good.write(phase_bytes(true, run::Phase::kForward, 2));
  GetParam().apply(bad);
  EXPECT_THAT(drain(), ElementsAre(2));
  EXPECT_THAT(reader.take_notes(), ElementsAre(HasSubstr(GetParam().said)));
  good.write(phase_bytes(true, run::Phase::kForward, 3));
  EXPECT_THAT(drain(), ElementsAre(3));
  EXPECT_THAT(reader.take_notes(), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(
    All, DamagedRing,
    ::testing::Values(
        Damage{"magic", [](HandMadeRing& ring) { ring.header().magic[0] = 'X'; },
               "begin as a ring"},
        Damage{"version", [](HandMadeRing& ring) { ring.header().version = 99; }, "version is 99"},
        Damage{"capacity", [](HandMadeRing& ring) { ring.header().capacity = 4095; },
               "capacity of"},
        Damage{"capacity larger than the file",
               [](HandMadeRing& ring) { ring.header().capacity = 8192; }, "and claims"},
        Damage{"huge capacity", [](HandMadeRing& ring) { ring.header().capacity = 1ULL << 63U; },
               "capacity of"},
        Damage{"cut file", [](HandMadeRing& ring) { std::filesystem::resize_file(ring.path, 100); },
               "size"},
        Damage{"another's name", [](HandMadeRing& ring) { ring.header().pid = 51; }, "different"},
        Damage{"role", [](HandMadeRing& ring) { ring.header().role = 7; }, "role"},
        Damage{"head beyond the ring", [](HandMadeRing& ring) { ring.header().head = 1U << 20U; },
               "damaged"},
        Damage{"record too long", [](HandMadeRing& ring) { ring.data()[5] = 0xFF; }, "damaged"},
        Damage{"a record too short for its type", [](HandMadeRing& ring) { ring.data()[0] = 6; },
               "damaged"}));

TEST_F(RingDirReaderTest, ARingThatIsCutWhileItIsReadCostsItsRecordsAlone) {
  dir.process(50, 100);
  dir.process(51, 100);
  HandMadeRing cut(dir.rings(), {.pid = 50});
  HandMadeRing good(dir.rings(), {.pid = 51});
  cut.write(phase_bytes(true, run::Phase::kForward, 1));
  good.write(phase_bytes(true, run::Phase::kForward, 2));
  EXPECT_THAT(drain(false), testing::UnorderedElementsAre(1, 2));
  std::filesystem::resize_file(cut.path, 0);
  good.write(phase_bytes(true, run::Phase::kForward, 3));
  EXPECT_THAT(drain(), ElementsAre(3));
  EXPECT_THAT(reader.take_notes(), ElementsAre(HasSubstr("cut short")));
  good.write(phase_bytes(true, run::Phase::kForward, 4));
  EXPECT_THAT(drain(), ElementsAre(4));
  EXPECT_THAT(reader.take_notes(), IsEmpty());
  dir.end_process(50);
  drain();
  EXPECT_FALSE(exists(cut));
}

TEST_F(RingDirReaderTest, ASegmentIsReadAndGoesWithItsEntry) {
  const int self = ::getpid();
  const RingSpec spec{.pid = self, .start = 100};
  dir.process(self, 100);
  const int id = ::shmget(IPC_PRIVATE, wire::kRingHeaderBytes + spec.capacity, IPC_CREAT | 0600);
  const wire::Segment made = wire::attach_segment(id);
  ASSERT_NE(made.at, nullptr);
  {
    HandMadeRing model(dir.rings(), spec);
    model.write(phase_bytes(true, run::Phase::kForward, 7));
    std::memcpy(made.at, &model.header(), made.bytes);
    std::filesystem::remove(model.path);
    ASSERT_TRUE(wire::publish_segment(id, model.path.c_str()));
  }
  EXPECT_THAT(drain(), ElementsAre(7));
  dir.end_process(self);
  drain();  // after one that brought something, the writer counts as alive
  drain();
  EXPECT_TRUE(std::filesystem::is_empty(dir.rings()));
  ::munmap(made.at, made.bytes);
  EXPECT_EQ(wire::attach_segment(id).at, nullptr) << "nobody maps it, so it is gone";
}

TEST_F(RingDirReaderTest, OnlyTheMakersSegmentIsRemoved) {
  const int id = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  const auto entry = dir.rings() / "ring.7.7";
  ASSERT_TRUE(wire::publish_segment(id, entry.c_str()));
  remove_rings(dir.rings());
  EXPECT_FALSE(std::filesystem::is_symlink(entry));
  const wire::Segment left = wire::attach_segment(id);
  EXPECT_NE(left.at, nullptr);
  ::munmap(left.at, left.bytes);
  ::shmctl(id, IPC_RMID, nullptr);
}

TEST_F(RingDirReaderTest, OtherFilesAreLeftAlone) {
  for (const char* name : {"x", ".ring.1.2", "rings"}) {
    std::ofstream(dir.rings() / name) << "something";
  }
  EXPECT_THAT(drain(), IsEmpty());
  EXPECT_THAT(reader.take_notes(), IsEmpty());
  std::filesystem::create_symlink("/dev/null", dir.rings() / "ring.7.7");
  std::ofstream(dir.rings() / "ring.7.x") << "something";
  drain();
  EXPECT_EQ(reader.take_notes().size(), 2U);
}

TEST_F(RingDirReaderTest, AMissingDirectoryIsSaidOnce) {
  std::filesystem::remove_all(dir.rings());
  drain();
  drain();
  EXPECT_EQ(reader.take_notes().size(), 1U);
}

TEST_F(RingDirReaderTest, RandomBytesInARingNeverCrash) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    const int pid = 1000 + round;
    HandMadeRing ring(dir.rings(), {.pid = pid, .capacity = 1024});
    for (int i = 0; i < 12; ++i) ring.write(phase_bytes(true, run::Phase::kForward, i));
    for (int i = 0; i < 30; ++i)
      ring.data()[random() % 1024] = static_cast<unsigned char>(random());
    if (round % 4 == 0) ring.header().head = random();
    if (round % 5 == 0) ring.header().tail = random();
    drain();
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.rings()));  // all writers were dead
}

TEST(RingName, OnlyTheExactFormIsOne) {
  EXPECT_EQ(parse_ring_name("ring.12.34"), (base::ProcessId{.pid = 12, .start_ticks = 34}));
  for (const char* bad :
       {"", "ring", "ring.", "ring.1", "ring.1.", "ring..2", "ring.1.2.3", "ring.-1.2", "ring.0.2",
        "ring.1.2x", "xring.1.2", "ring.99999999999.1"}) {
    EXPECT_FALSE(parse_ring_name(bad)) << bad;
  }
}

}  // namespace
}  // namespace flatout::record
