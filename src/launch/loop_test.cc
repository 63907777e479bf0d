#include "launch/loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

namespace flatout::launch {
namespace {

TEST(Ticker, TicksOnTheGridAndSkipsWhatWasMissed) {
  base::FakeClock clock;
  Ticker ticker(clock.monotonic(), 100);
  EXPECT_FALSE(ticker.due(99));
  EXPECT_TRUE(ticker.due(100));
  EXPECT_FALSE(ticker.due(199));
  EXPECT_TRUE(ticker.due(215));
  EXPECT_EQ(ticker.next(), 300);
  EXPECT_TRUE(ticker.due(1'000));  // after a stop: one tick, not eight
  EXPECT_EQ(ticker.next(), 1'100);
  EXPECT_FALSE(ticker.due(1'099));
}

TEST(Ticker, NeverFallsBehindAndNeverLeavesTheGrid) {
  std::mt19937 random(3);
  Ticker ticker(17, 100);
  base::TimeNs now = 17;
  for (int i = 0; i < 10'000; ++i) {
    now += static_cast<base::TimeNs>(random() % 300);
    ticker.due(now);
    EXPECT_GT(ticker.next(), now);
    EXPECT_LE(ticker.next(), now + 100);
    EXPECT_EQ((ticker.next() - 17) % 100, 0);
  }
}

// Moves by a period at each look, so that the ticks come without waiting.
class FastClock final : public base::Clock {
 public:
  base::TimeNs monotonic() const override { return now_ += base::kSecond; }
  base::WallNs wall() const override { return now_; }

 private:
  mutable base::TimeNs now_ = 0;
};

TEST(Watch, TicksWhileTheProgramRunsAndEndsWithIt) {
  const std::vector<std::string> command = {"cat"};
  int ends[2] = {};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const base::UniqueFd read_end(ends[0]);
  base::UniqueFd write_end(ends[1]);
  const base::UniqueFd stdin_before(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  ::dup2(read_end.get(), 0);
  auto relay = SignalRelay::start(command);
  ASSERT_TRUE(relay);
  auto child = Child::start(command, current_environment(), *relay);
  ASSERT_TRUE(child);
  const FastClock clock;
  int ticks = 0;
  const auto exit = watch(*child, *relay, clock, base::kSecond, [&](base::TimeNs) {
    if (++ticks == 5) write_end = base::UniqueFd();  // cat ends
  });
  EXPECT_EQ(exit.value(), Exit{});
  EXPECT_GE(ticks, 5);
  EXPECT_EQ(child->poll_exit(), Exit{});
  EXPECT_TRUE(survivors(*relay).empty());
  relay->finish();
  if (stdin_before) ::dup2(stdin_before.get(), 0);
}

TEST(Watch, ActsBetweenTicksWhereThatIsWanted) {
  const std::vector<std::string> command = {"sleep", "0.2"};
  auto relay = SignalRelay::start(command);
  ASSERT_TRUE(relay);
  auto child = Child::start(command, current_environment(), *relay);
  ASSERT_TRUE(child);
  int ticks = 0, acts = 0;
  const auto exit =
      watch(*child, *relay, base::SystemClock(), base::kSecond, [&](base::TimeNs) { ++ticks; },
            {.wait = [&] { return acts < 5 ? std::optional(base::kMillisecond) : std::nullopt; },
             .act = [&] { ++acts; }});
  EXPECT_EQ(exit.value(), Exit{});
  EXPECT_EQ(acts, 5);
  relay->finish();
}

}  // namespace
}  // namespace flatout::launch
