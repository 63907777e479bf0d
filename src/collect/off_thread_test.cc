#include "collect/off_thread.h"

#include <gmock/gmock.h>

#include <semaphore>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr base::DurationNs kTick = base::kSecond / 10;
constexpr base::DurationNs kSoon = 20 * base::kSecond;  // a test that waits so long has failed

// What the inner source is to do, shared with the thread that may outlive the test's scope.
struct Plan {
  std::atomic<bool> hang{false};
  std::counting_semaphore<1000> let_go{0};
  std::atomic<int> rounds{0};
  std::atomic<bool> unavailable{false};
  std::atomic<bool> destroyed{false};
};

struct Inner final : run::Source {
  explicit Inner(std::shared_ptr<Plan> shared) : plan(std::move(shared)) {}
  ~Inner() override { plan->destroyed = true; }
  std::string_view name() const override { return "slow"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override {
    ++plan->rounds;
    if (plan->hang) plan->let_go.acquire();
    if (plan->unavailable) return base::fail(base::ErrorCode::kUnavailable, "gone");
    out.add({.t_ns = now, .value = 1, .source = 3, .metric = run::Metric::kDevicePower});
    return {};
  }
  std::vector<run::Device> take_devices() override {
    if (plan->rounds > 1) return {};
    run::Device device;
    device.name = "A";
    return {device};
  }
  std::vector<std::string> take_notes() override { return {}; }
  std::shared_ptr<Plan> plan;
};

class OffThread : public ::testing::Test {
 protected:
  OffThread() {
    OffThreadOptions options;
    options.doing = [] { return std::string("driverCall"); };
    options.prepare = [this] { ++prepared; };
    options.cpu = [] { return 0; };
    source = std::make_unique<OffThreadSource>(std::make_unique<Inner>(plan), std::move(options));
  }
  ~OffThread() override { plan->let_go.release(100); }

  base::Result<void> tick(base::DurationNs after = kTick) {
    now += after;
    auto done = source->sample(now, out);
    for (auto& note : source->take_notes()) notes.push_back(note);
    for (auto& device : source->take_devices()) devices.push_back(device.name);
    return done;
  }

  std::shared_ptr<Plan> plan = std::make_shared<Plan>();
  std::unique_ptr<OffThreadSource> source;
  base::TimeNs now = base::kSecond;
  Samples out;
  int prepared = 0;
  std::vector<std::string> notes;
  std::vector<std::string> devices;
};

TEST_F(OffThread, ResultsComeWithTheNextCall) {
  EXPECT_TRUE(tick());
  EXPECT_THAT(out.all, IsEmpty());
  ASSERT_TRUE(source->wait_idle(kSoon));
  EXPECT_TRUE(tick());
  ASSERT_EQ(out.all.size(), 1U);
  EXPECT_EQ(out.all[0].t_ns, base::kSecond + kTick);  // of the round, not of its collection
  EXPECT_THAT(devices, ElementsAre("A"));
  EXPECT_EQ(prepared, 2);
}

TEST_F(OffThread, TheLastCallWaitsForItsResults) {
  EXPECT_TRUE(tick());
  EXPECT_TRUE(source->wait_idle(kSoon));
  EXPECT_TRUE(tick());
  ASSERT_TRUE(source->wait_idle(kSoon));
  now += kTick;
  EXPECT_TRUE(source->last_sample(now, out));
  ASSERT_EQ(out.all.size(), 3U);
  EXPECT_EQ(out.all[2].t_ns, now);
}

TEST_F(OffThread, TheLastCallDoesNotWaitForAHang) {
  EXPECT_TRUE(tick());
  ASSERT_TRUE(source->wait_idle(kSoon));
  plan->hang = true;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(tick());
  const int rounds = plan->rounds;
  EXPECT_TRUE(source->last_sample(now + kTick, out));
  EXPECT_EQ(plan->rounds, rounds);
  EXPECT_EQ(out.all.size(), 1U);
}

TEST_F(OffThread, AnErrorIsPassedOn) {
  plan->unavailable = true;
  EXPECT_TRUE(tick());
  ASSERT_TRUE(source->wait_idle(kSoon));
  EXPECT_EQ(tick().error().message, "gone");
}

TEST_F(OffThread, AHangIsOneLineDelaysNobodyAndMayEnd) {
  EXPECT_TRUE(tick());
  ASSERT_TRUE(source->wait_idle(kSoon));
  plan->hang = true;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(tick());  // ten seconds of the tick's clock
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr("driverCall has not returned for 2 s"));
  EXPECT_EQ(out.all.size(), 1U);
  plan->hang = false;
  plan->let_go.release();
  ASSERT_TRUE(source->wait_idle(kSoon));
  EXPECT_TRUE(tick());
  EXPECT_EQ(out.all.size(), 2U);
  ASSERT_TRUE(source->wait_idle(kSoon));
  EXPECT_TRUE(tick());
  EXPECT_EQ(out.all.size(), 3U);
  EXPECT_EQ(notes.size(), 1U);
}

TEST_F(OffThread, TheFirstRoundMayTakeLonger) {
  plan->hang = true;
  for (int i = 0; i < 290; ++i) EXPECT_TRUE(tick());
  EXPECT_THAT(notes, IsEmpty());
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(tick());
  EXPECT_EQ(notes.size(), 1U);
}

TEST_F(OffThread, TheEndTakesAnIdleThreadDown) {
  EXPECT_TRUE(tick());
  ASSERT_TRUE(source->wait_idle(kSoon));
  source.reset();
  EXPECT_TRUE(plan->destroyed);
}

TEST_F(OffThread, NothingStartsUntilItIsSampled) {
  source.reset();
  EXPECT_TRUE(plan->destroyed);
  EXPECT_EQ(plan->rounds, 0);
}

// In a process of its own, since the left thread would end up in the others' exit.
TEST(OffThreadExit, AThreadThatHangsIsLeftBehindAndTheStatusIsKept) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        auto plan = std::make_shared<Plan>();
        plan->hang = true;
        auto source = std::make_unique<OffThreadSource>(std::make_unique<Inner>(plan),
                                                        OffThreadOptions{.deadline = 0});
        Samples out;
        (void)source->sample(base::kSecond, out);
        while (plan->rounds == 0) {
        }
        (void)source->sample(100 * base::kSecond, out);
        source.reset();
        std::exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace flatout::collect
