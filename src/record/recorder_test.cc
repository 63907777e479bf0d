#include "record/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/recover.h"
#include "record/testing_ring.h"
#include "record/testing_sink.h"
#include "run/facts.h"

namespace flatout::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr base::DurationNs kTick = base::kSecond / 10;

struct FakeWatch final : run::ProcessWatch {
  run::ProcessChanges update(base::TimeNs, bool force) override {
    forced |= force;
    return std::exchange(next, {});
  }
  run::ProcessChanges next;
  bool forced = false;
};

struct FakeSource final : run::Source {
  explicit FakeSource(base::Result<void> outcome) : result(std::move(outcome)) {}
  std::string_view name() const override { return "fake"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override {
    ++calls;
    if (result) out.add({.t_ns = now, .value = 1.5, .metric = run::Metric::kHostIowait});
    return result;
  }
  base::Result<void> result;
  int calls = 0;
};

class RecorderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dir.process(50, 100);
    clock.advance(base::kSecond);
  }
  Recorder make(std::vector<std::unique_ptr<run::Source>> sources = {}) {
    return {clock,
            sink,
            watch,
            std::move(sources),
            std::make_unique<RingDirReader>(dir.rings(), dir.proc()),
            {.root_pid = 50, .cpu = [this] { return cpu_ns; }}};
  }
  void tick(Recorder& recorder) {
    clock.advance(kTick);
    cpu_ns += kTick / 100;
    recorder.tick();
  }

  TempDir dir;
  base::FakeClock clock;
  MemorySink sink;
  FakeWatch watch;
  std::int64_t cpu_ns = 0;
};

TEST_F(RecorderTest, ATickMovesWhatTheRingsSayIntoTheSink) {
  HandMadeRing ring(dir.rings(), {.pid = 50, .rank = 3});
  ring.write(name_bytes(1, "Resize"));
  ring.write(batch_bytes(1, 2, {{.name = 1, .calls = 1, .wall_ns = 1}}));
  ring.write(phase_bytes(true, run::Phase::kOptimizer, 3));
  ring.write(phase_bytes(false, run::Phase::kOptimizer, 4));
  watch.next.appeared = {{.id = {.pid = 50, .start_ticks = 100},
                          .parent = 1,
                          .first_seen_ns = 1,
                          .command = "python train.py"}};
  auto recorder = make();
  run::RunInfo info;
  info.id = "k7f2";
  ASSERT_TRUE(recorder.begin(info));
  tick(recorder);
  const auto& track = sink.timeline.processes.at(50);
  EXPECT_EQ(track.phases.size(), 2U);
  ASSERT_EQ(track.batches.size(), 1U);
  EXPECT_EQ(track.batches.at(0).value().stages[0].name, "Resize");
  EXPECT_EQ(track.proc.role, run::ProcRole::kMain);
  EXPECT_EQ(track.proc.rank, 3);
  EXPECT_EQ(track.proc.command, "python train.py");
  EXPECT_EQ(sink.timeline.counts.events, 4U);
  EXPECT_EQ(sink.timeline.info.id, "k7f2");
  EXPECT_EQ(sink.flushes, 1);
  EXPECT_EQ(ring.header().tail.load(), ring.header().head.load());
  EXPECT_THAT(recorder.take_notes(), IsEmpty());
}

TEST_F(RecorderTest, SamplesComeWithItsOwnCpuFromTheSecondTick) {
  std::vector<std::unique_ptr<run::Source>> sources;
  sources.push_back(std::make_unique<FakeSource>(base::Result<void>{}));
  auto recorder = make(std::move(sources));
  tick(recorder);
  ASSERT_EQ(sink.sampled.size(), 1U);
  tick(recorder);
  ASSERT_EQ(sink.sampled.size(), 3U);
  EXPECT_EQ(sink.sampled[2].metric, run::Metric::kRecorderCpuCoresUsed);
  EXPECT_DOUBLE_EQ(sink.sampled[2].value, 0.01);
}

TEST_F(RecorderTest, AnUnavailableSourceIsDroppedAFailingOneIsToldOnce) {
  std::vector<std::unique_ptr<run::Source>> sources;
  auto none = std::make_unique<FakeSource>(base::fail(base::ErrorCode::kUnavailable, "no driver"));
  auto failing = std::make_unique<FakeSource>(base::fail(base::ErrorCode::kIo, "busy"));
  const FakeSource& kept = *failing;
  sources.push_back(std::move(none));
  sources.push_back(std::move(failing));
  auto recorder = make(std::move(sources));
  for (int i = 0; i < 5; ++i) tick(recorder);
  EXPECT_EQ(kept.calls, 5);
  EXPECT_THAT(recorder.take_notes(), ElementsAre(HasSubstr("no driver"), HasSubstr("busy")));
  const auto& facts = sink.timeline.processes.at(50).facts;
  ASSERT_EQ(facts.size(), 2U);
  EXPECT_EQ(facts[0].key, run::facts::kProblem);
  EXPECT_EQ(facts[0].json, "{\"problem\":\"no fake metrics: no driver\"}");
}

TEST_F(RecorderTest, HardwareThatIsNotThereIsDroppedWithoutAWord) {
  std::vector<std::unique_ptr<run::Source>> sources;
  sources.push_back(std::make_unique<FakeSource>(base::fail(base::ErrorCode::kUnavailable, "")));
  auto recorder = make(std::move(sources));
  for (int i = 0; i < 3; ++i) tick(recorder);
  EXPECT_THAT(recorder.take_notes(), IsEmpty());
}

TEST_F(RecorderTest, TheEndLetsTheSourcesGo) {
  struct Watched final : run::Source {
    explicit Watched(bool& flag) : gone(flag) {}
    ~Watched() override { gone = true; }
    std::string_view name() const override { return "watched"; }
    base::Result<void> sample(base::TimeNs, run::SampleSink&) override { return {}; }
    bool& gone;
  };
  bool gone = false;
  std::vector<std::unique_ptr<run::Source>> sources;
  sources.push_back(std::make_unique<Watched>(gone));
  auto recorder = make(std::move(sources));
  tick(recorder);
  EXPECT_FALSE(gone);
  recorder.finish({.t_ns = 1, .survivors = {}});
  EXPECT_TRUE(gone);
}

TEST_F(RecorderTest, AFailingSinkIsToldOnceAndRecordingGoesOn) {
  HandMadeRing ring(dir.rings(), {.pid = 50});
  auto recorder = make();
  sink.failure = "no space left on device";
  for (int i = 0; i < 3; ++i) {
    ring.write(phase_bytes(true, run::Phase::kForward, i));
    tick(recorder);
  }
  EXPECT_THAT(recorder.take_notes(), ElementsAre(HasSubstr("no space left on device")));
  sink.failure.clear();
  ring.write(phase_bytes(true, run::Phase::kForward, 9));
  tick(recorder);
  ASSERT_EQ(sink.timeline.processes.at(50).phases.size(), 1U);
  EXPECT_EQ(sink.timeline.processes.at(50).phases.at(0).value().t_ns, 9);
}

TEST_F(RecorderTest, AStopRecordIsPassedOn) {
  HandMadeRing ring(dir.rings(), {.pid = 50});
  auto recorder = make();
  tick(recorder);
  EXPECT_TRUE(recorder.stops_requested().empty());
  ring.write(record_bytes(wire::RecordType::kStop, 1, ""));
  tick(recorder);
  EXPECT_EQ(recorder.stops_requested(), std::vector<pid_t>{50});
}

TEST_F(RecorderTest, AProcessIsStoppedByItselfOrByUsNeverByBoth) {
  dir.process(51, 100);
  HandMadeRing late(dir.rings(), {.pid = 50});
  HandMadeRing early(dir.rings(), {.pid = 51});
  auto recorder = make();
  tick(recorder);
  early.header().stop_said = 1;  // its record is not read yet
  EXPECT_TRUE(recorder.claim_stop(50));
  EXPECT_EQ(late.header().stop_said, 1U) << "it would stop itself too";
  EXPECT_FALSE(recorder.claim_stop(51));
  EXPECT_TRUE(recorder.claim_stop(52)) << "it has no ring";
}

TEST_F(RecorderTest, FinishReadsTheRestNamesSurvivorsAndTellsOfDrops) {
  HandMadeRing ring(dir.rings(), {.pid = 50, .capacity = 64});
  watch.next.appeared = {
      {.id = {.pid = 50, .start_ticks = 100}, .command = "main"},
      {.id = {.pid = 60, .start_ticks = 100}, .parent = 50, .command = "daemon"}};
  auto recorder = make();
  tick(recorder);
  for (int i = 0; i < 5; ++i) ring.write(phase_bytes(true, run::Phase::kForward, i));
  watch.next.gone = {{.pid = 50, .start_ticks = 100}};
  recorder.finish({.t_ns = 7, .exit_code = 3, .survivors = {}});
  EXPECT_TRUE(watch.forced);
  EXPECT_EQ(sink.timeline.processes.at(50).phases.size(), 2U);
  ASSERT_TRUE(sink.timeline.end);
  EXPECT_EQ(sink.timeline.end->exit_code, 3);
  EXPECT_THAT(sink.timeline.end->survivors, ElementsAre(60));
  EXPECT_EQ(sink.timeline.counts.dropped, 3U);
  EXPECT_THAT(recorder.take_notes(), ElementsAre(HasSubstr("3 of 5 events were dropped")));
  EXPECT_TRUE(std::filesystem::is_empty(dir.rings()));
}

TEST_F(RecorderTest, WithoutRingsItStillRecords) {
  Recorder recorder(clock, sink, watch, {}, nullptr, {.root_pid = 50});
  watch.next.appeared = {{.id = {.pid = 50, .start_ticks = 100}, .command = "main"}};
  recorder.tick();
  recorder.finish({.t_ns = 7, .survivors = {}});
  EXPECT_EQ(sink.timeline.processes.at(50).proc.role, run::ProcRole::kMain);
  EXPECT_TRUE(sink.timeline.end);
}

// A recorder killed between the flush of the sink and the freeing of the ring.
TEST_F(RecorderTest, RecoveryLosesNothingAndRepeatsNothing) {
  HandMadeRing ring(dir.rings(), {.pid = 50});
  auto recorder = make();
  ring.write(name_bytes(1, "Resize"));
  ring.write(phase_bytes(true, run::Phase::kForward, 1));
  tick(recorder);
  const std::uint64_t freed = ring.header().tail.load();
  ring.write(phase_bytes(false, run::Phase::kForward, 2));
  ring.write(batch_bytes(1, 2, {{.name = 1, .calls = 1, .wall_ns = 1}}));
  tick(recorder);
  ring.header().tail = freed;  // as if killed before the second commit
  ring.write(phase_bytes(true, run::Phase::kBackward, 2));
  ring.write(batch_bytes(3, 4, {{.name = 1, .calls = 1, .wall_ns = 1}}));
  HandMadeRing unseen(dir.rings(), {.pid = 51, .role = wire::RingRole::kWorker, .worker_id = 4});
  unseen.write(phase_bytes(true, run::Phase::kForward, 5));
  const run::Timeline stored = sink.timeline;
  const auto done = recover(dir.rings(), sink, &stored, dir.proc());
  ASSERT_TRUE(done);
  const auto& track = sink.timeline.processes.at(50);
  ASSERT_EQ(track.phases.size(), 3U);
  EXPECT_EQ(track.phases.at(2).value().phase, run::Phase::kBackward);
  ASSERT_EQ(track.batches.size(), 2U);
  EXPECT_EQ(track.batches.at(1).value().end_ns, 4);
  EXPECT_EQ(track.batches.at(1).value().stages[0].name, "Resize");
  EXPECT_EQ(track.facts.size(), 1U);
  EXPECT_EQ(sink.timeline.processes.at(51).phases.size(), 1U);
  EXPECT_EQ(sink.timeline.processes.at(51).proc.worker_id, 4);
  EXPECT_EQ(done->events, 3U);
  EXPECT_THAT(done->alive, ElementsAre(50));
  EXPECT_TRUE(std::filesystem::exists(ring.path));     // its writer lives
  EXPECT_FALSE(std::filesystem::exists(unseen.path));  // its writer is dead
  const auto again = recover(dir.rings(), sink, &sink.timeline, dir.proc());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->events, 0U);
}

TEST(Recover, NoDirectoryIsNotFound) {
  MemorySink sink;
  const auto done = recover("/nonexistent/rings", sink);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, base::ErrorCode::kNotFound);
}

TEST(Recover, ASinkThatFailsIsToldAndNothingIsFreed) {
  const TempDir dir;
  HandMadeRing ring(dir.rings(), {.pid = 50});
  ring.write(phase_bytes(true, run::Phase::kForward, 1));
  MemorySink sink;
  sink.failure = "read-only file system";
  const auto done = recover(dir.rings(), sink, nullptr, dir.proc());
  ASSERT_TRUE(done);
  EXPECT_THAT(done->notes, ElementsAre(HasSubstr("read-only file system")));
  sink.failure.clear();
  EXPECT_EQ(recover(dir.rings(), sink, nullptr, dir.proc())->events, 1U);
  EXPECT_FALSE(std::filesystem::exists(ring.path));
}

TEST_F(RecorderTest, BetweenTicksItMakesRoomInARingThatFills) {
  HandMadeRing ring(dir.rings(), {.pid = 50});
  auto recorder = make();
  tick(recorder);
  EXPECT_FALSE(recorder.tracks());
  ring.write(fact_bytes("track_run", R"({"track":0})"));
  recorder.drain(0.5);  // it is not that full
  EXPECT_FALSE(recorder.tracks());
  recorder.drain(0);
  EXPECT_TRUE(recorder.tracks());
  EXPECT_EQ(sink.timeline.processes[50].facts.size(), 1U);
  recorder.drain(0);  // nothing twice
  EXPECT_EQ(sink.timeline.processes[50].facts.size(), 1U);
  EXPECT_FALSE(recorder.closed());
  ring.write(fact_bytes("track_close", R"({"exit_code":3})"));
  tick(recorder);
  EXPECT_EQ(recorder.closed(), 3);
}

TEST_F(RecorderTest, OnlyTheRootClosesItsRecording) {
  dir.process(51, 200);
  HandMadeRing ring(dir.rings(), {.pid = 51, .start = 200});
  ring.write(fact_bytes("track_close", "{}"));
  auto recorder = make();
  tick(recorder);
  EXPECT_FALSE(recorder.closed());
}

// What a fork copies stands behind what was said before it, and before what was said since.
TEST_F(RecorderTest, AForkIsCalledBetweenWhatCameBeforeAndAfterIt) {
  HandMadeRing ring(dir.rings(), {.pid = 50});
  ring.write(value_bytes("loss", 1, 0, 10));
  ring.write(
      fact_bytes("track_run", R"({"track":1,"branch":"fork","from":"a","from_step":3})", 20));
  ring.write(value_bytes("loss", 2, 1, 30));
  ring.write(fact_bytes("track_run", R"({"track":1,"branch":"fork","from":"a","name":"n"})", 40));
  std::vector<std::size_t> values_before;
  std::vector<run::TrackRunFact> asked;
  Recorder recorder(clock, sink, watch, {},
                    std::make_unique<RingDirReader>(dir.rings(), dir.proc()),
                    {.root_pid = 50, .branched = [&](pid_t pid, const run::TrackRunFact& fact) {
                       EXPECT_EQ(pid, 50);
                       values_before.push_back(sink.timeline.processes[50].values.size());
                       asked.push_back(fact);
                     }});
  tick(recorder);
  EXPECT_THAT(values_before, ElementsAre(1U));
  ASSERT_EQ(asked.size(), 1U) << "the same run, when it has a name";
  EXPECT_EQ(asked[0].from, "a");
  EXPECT_EQ(asked[0].from_step, 3);
  EXPECT_EQ(asked[0].t_ns, 20);
  EXPECT_EQ(sink.timeline.processes[50].values.size(), 2U);
}

}  // namespace
}  // namespace flatout::record
