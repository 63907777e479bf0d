#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <thread>

#include "data/feed/engine.h"
#include "data/feed/stage_clock.h"

namespace flatout::data {
namespace {

base::TimeNs wall_now = 0;
base::TimeNs cpu_now = 0;
int cpu_readings = 0;
base::DurationNs reading_cost = 0;

StageClock::Clocks by_hand() {
  wall_now = cpu_now = cpu_readings = 0;
  return {[] { return wall_now; },
          [] {
            ++cpu_readings;
            wall_now += reading_cost;
            return cpu_now;
          }};
}

void pass(base::DurationNs wall, base::DurationNs cpu) {
  wall_now += wall;
  cpu_now += cpu;
}

TEST(StageClock, TellsWaitingFromComputing) {
  reading_cost = 500;
  StageClock clock(by_hand());
  StageTimes times;
  for (int sample = 0; sample < 10; ++sample) {
    clock.begin();
    pass(base::kMillisecond, 100 * base::kMicrosecond);  // a disk
    clock.into(&StageSums::read, times);
    pass(2 * base::kMillisecond, 2 * base::kMillisecond);
    clock.into(&StageSums::decode, times);
  }
  EXPECT_EQ(cpu_readings, 30) << "samples as long as these are all looked at";
  EXPECT_EQ(times.read, 10 * base::kMillisecond);
  EXPECT_NEAR(static_cast<double>(times.busy(&StageSums::read).value()), 1e6, 1e4);
  EXPECT_NEAR(static_cast<double>(times.busy(&StageSums::decode).value()), 20e6, 1e5);
  EXPECT_FALSE(times.busy(&StageSums::transform)) << "not looked at is not 0";
  EXPECT_EQ(times.total(), times.read + times.decode);
}

TEST(StageClock, ShortSamplesAreLookedAtNowAndThen) {
  reading_cost = 500;
  StageClock clock(by_hand());
  StageTimes times;
  for (int sample = 0; sample < 100'000; ++sample) {
    clock.begin();
    pass(4'000, 1'000);
    clock.into(&StageSums::read, times);
  }
  EXPECT_LT(static_cast<double>(cpu_readings) * 500, 0.01 * static_cast<double>(wall_now));
  EXPECT_GT(cpu_readings, 1000);
  const double all = static_cast<double>(times.read);
  EXPECT_NEAR(static_cast<double>(times.busy(&StageSums::read).value()), all / 4, all * 0.03)
      << "those that were looked at speak for the rest";
  StageTimes sum;
  sum += times;
  sum += times;
  EXPECT_EQ(sum.read, 2 * times.read);
  EXPECT_EQ(sum.busy(&StageSums::read).value() / 2, times.busy(&StageSums::read).value());
}

TEST(IdleAccount, AddsUpByReason) {
  IdleAccount idle;
  idle.set(2, &IdleTimes::unasked, 100);
  idle.set(3, &IdleTimes::full, 110);
  idle.set(1, &IdleTimes::starved, 120);
  EXPECT_FALSE(idle.differs(1, &IdleTimes::starved));
  EXPECT_TRUE(idle.differs(1, &IdleTimes::full));
  const IdleTimes times = idle.times(150);
  EXPECT_EQ(times.unasked, 20);
  EXPECT_EQ(times.full, 30);
  EXPECT_EQ(times.starved, 30);
  EXPECT_EQ(times.total(), 80);
}

// Makes nothing before it may, and then at once.
class Gated final : public SampleMaker {
 public:
  explicit Gated(std::mutex& gate) : gate_(gate) {}
  base::Result<void> make(std::int64_t, std::uint32_t, std::span<std::byte>, StageTimes&) override {
    const std::scoped_lock lock(gate_);
    return {};
  }

 private:
  std::mutex& gate_;
};

TEST(Engine, ThreadsWithoutASampleAreIdleForAReason) {
  std::mutex gate;
  gate.lock();
  Engine engine = Engine::start({.threads = 3, .sample_bytes = 1, .batch_size = 1}, [&gate] {
                    return std::make_unique<Gated>(gate);
                  }).value();
  const auto grows = [&](IdleAccount::Why why) {
    const auto before = engine.stats().thread_idle.*why;
    while (engine.stats().thread_idle.*why == before) std::this_thread::yield();
  };
  grows(&IdleTimes::unasked);
  ASSERT_TRUE(engine.submit({0}, 0));
  const auto unasked = engine.stats().thread_idle.unasked;
  grows(&IdleTimes::full);
  EXPECT_EQ(engine.stats().thread_idle.starved, 0) << "nobody waits";
  std::thread consumer([&] { EXPECT_TRUE(engine.next()); });
  grows(&IdleTimes::starved);
  EXPECT_EQ(engine.stats().thread_idle.unasked, unasked);
  gate.unlock();
  consumer.join();
  grows(&IdleTimes::unasked);
}

}  // namespace
}  // namespace flatout::data
