#include "apply/search/asha.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "apply/search/random.h"

namespace flatout::apply {
namespace {

// A search of a known objective over `slots`, whose jobs end in a random order.
struct Played {
  std::vector<AshaJob> started;  // in order
  std::map<int, int> ended_in;   // rung -> number
  std::optional<AshaJob> best;
};

struct Game {
  AshaOptions options;
  int slots = 1;
  std::uint64_t seed = 0;
  double failing = 0;  // share of jobs
};

std::vector<double> values_of(const std::vector<std::pair<int, std::optional<double>>>& ended) {
  std::vector<double> out;
  for (const auto& [point, value] : ended) {
    if (value) out.push_back(*value);
  }
  return out;
}

// Plays it, and holds each start against what the paper allows.
template <typename Value>
Played play(const Game& game, Value value) {
  SplitMix64 random(game.seed);
  Asha asha(game.options);
  Played out;
  std::vector<AshaJob> running;
  std::map<int, std::vector<std::pair<int, std::optional<double>>>> ended;
  std::set<std::pair<int, int>> seen;
  for (;;) {
    while (static_cast<int>(running.size()) < game.slots) {
      const bool idle = running.empty();
      const auto job = asha.next();
      if (!job) break;
      EXPECT_TRUE(seen.insert({job->point, job->rung}).second) << "started twice";
      if (job->rung > 0) {
        const auto& below = ended[job->rung - 1];
        const auto own =
            std::ranges::find(below, job->point, [](const auto& e) { return e.first; });
        EXPECT_NE(own, below.end()) << "promoted before it ended";
        if (own == below.end()) return out;
        EXPECT_TRUE(own->second.has_value()) << "promoted though it failed";
        const auto others = values_of(below);
        const auto better = std::ranges::count_if(others, [&](double other) {
          return game.options.maximise ? other > *own->second : other < *own->second;
        });
        const std::size_t top = below.size() / static_cast<std::size_t>(game.options.reduction);
        const bool first_of_idle = idle && better == 0;
        EXPECT_TRUE(better < static_cast<std::ptrdiff_t>(top) || first_of_idle)
            << "rung " << job->rung << ": " << better << " of " << below.size() << " are better";
      }
      out.started.push_back(*job);
      running.push_back(*job);
    }
    if (running.empty()) break;
    const auto at = static_cast<std::size_t>(random.unit() * static_cast<double>(running.size()));
    const AshaJob job = running[at];
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
    std::optional<double> measured = value(job);
    if (random.unit() < game.failing) measured.reset();
    asha.ended(job, measured);
    if (measured && !std::isfinite(*measured)) measured.reset();
    ended[job.rung].emplace_back(job.point, measured);
    ++out.ended_in[job.rung];
  }
  EXPECT_TRUE(asha.over());
  EXPECT_FALSE(asha.next());
  out.best = asha.best();
  return out;
}

TEST(Asha, KeepsItsRulesWhateverTheOrderOfEnds) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Game game{.options = {.rungs = 1 + static_cast<int>(seed % 4),
                          .reduction = 2 + static_cast<int>(seed % 3),
                          .points = 1 + static_cast<int>(seed * 7 % 60),
                          .maximise = seed % 2 == 0},
              .slots = 1 + static_cast<int>(seed % 5),
              .seed = seed,
              .failing = seed % 3 == 0 ? 0.3 : 0};
    SplitMix64 random(seed + 1000);
    std::map<int, double> quality;
    const auto played = play(game, [&](const AshaJob& job) {
      return quality.try_emplace(job.point, std::floor(random.unit() * 20)).first->second;
    });
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    EXPECT_EQ(played.ended_in.at(0), game.options.points);
  }
}

TEST(Asha, FindsTheBestOfAKnownObjectiveAtAFractionOfTheSteps) {
  const AshaOptions options{.rungs = 3, .reduction = 3, .points = 81, .maximise = true};
  const int steps[] = {20, 60, 180};
  double total = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SplitMix64 random(seed);
    std::vector<int> quality(81);
    std::iota(quality.begin(), quality.end(), 0);
    for (std::size_t i = quality.size() - 1; i > 0; --i) {
      std::swap(quality[i], quality[random.next() % (i + 1)]);
    }
    int spent = 0;
    const auto played = play({.options = options, .slots = 4, .seed = seed}, [&](AshaJob job) {
      spent += steps[job.rung];
      // Noise is less on higher rungs.
      return quality[static_cast<std::size_t>(job.point)] + (random.unit() - 0.5) / (1 + job.rung);
    });
    ASSERT_TRUE(played.best);
    EXPECT_EQ(quality[static_cast<std::size_t>(played.best->point)], 80);
    EXPECT_EQ(played.best->rung, 2);
    EXPECT_GE(spent, 4860);
    total += spent;
  }
  // Halving that waits takes 81 x 20 + 27 x 60 + 9 x 180 = 4860 steps. Who does not wait
  // promotes some that he would not have: by the paper at most about the root of a
  // rung's number, so 9 of 60 steps and, of these and by itself, 3 + 5 of 180.
  EXPECT_LT(total / 40, 4860 + 9 * 60 + 8 * 180);
}

TEST(Asha, OneSlotInOrderDoesWhatThePaperSays) {
  Asha asha({.rungs = 2, .reduction = 2, .points = 4, .maximise = true});
  const auto run = [&](AshaJob expected, std::optional<double> value) {
    const auto job = asha.next();
    ASSERT_TRUE(job);
    EXPECT_EQ(*job, expected);
    asha.ended(*job, value);
  };
  run({0, 0}, 1);
  run({1, 0}, 3);
  run({1, 1}, 3);  // one of two
  run({2, 0}, 2);
  run({3, 0}, 5);
  run({3, 1}, 1);  // two of four: 3 and 1, which went on already
  EXPECT_FALSE(asha.next());
  EXPECT_TRUE(asha.over());
  EXPECT_EQ(asha.best(), (AshaJob{1, 1}));
}

TEST(Asha, TiesGoToThePointThatCameFirst) {
  Asha asha({.rungs = 2, .reduction = 3, .points = 3, .maximise = false});
  for (int i = 0; i < 3; ++i) (void)asha.next();
  for (const int point : {2, 0, 1}) asha.ended({point, 0}, 7.0);
  EXPECT_EQ(asha.next(), (AshaJob{0, 1}));
}

TEST(Asha, FailuresAndWhatIsNotANumberAreNeverPromotedNorTheBest) {
  Asha asha({.rungs = 2, .reduction = 2, .points = 4, .maximise = true});
  const double values[] = {NAN, std::numeric_limits<double>::infinity(), 1, 0};
  for (int i = 0; i < 4; ++i) (void)asha.next();
  for (int i = 0; i < 4; ++i) {
    asha.ended({i, 0}, i == 3 ? std::nullopt : std::optional(values[i]));
  }
  EXPECT_EQ(asha.next(), (AshaJob{2, 1}));
  EXPECT_FALSE(asha.next());
  EXPECT_FALSE(asha.over());
  asha.ended({2, 1}, std::nullopt);
  EXPECT_TRUE(asha.over());
  EXPECT_EQ(asha.best(), (AshaJob{2, 0}));
}

TEST(Asha, WhereAllFailNothingIsTheBest) {
  Asha asha({.rungs = 3, .reduction = 3, .points = 9, .maximise = true});
  while (const auto job = asha.next()) asha.ended(*job, std::nullopt);
  EXPECT_TRUE(asha.over());
  EXPECT_FALSE(asha.best());
}

TEST(Asha, AFewPointsReachTheLastRungAllTheSame) {
  Asha asha({.rungs = 3, .reduction = 3, .points = 2, .maximise = true});
  std::vector<AshaJob> started;
  while (const auto job = asha.next()) {
    started.push_back(*job);
    asha.ended(*job, job->point);
  }
  EXPECT_EQ(started, (std::vector<AshaJob>{{0, 0}, {1, 0}, {1, 1}, {1, 2}}));
}

TEST(Asha, ASpaceThatIsUsedUpEndsIt) {
  Asha asha({.rungs = 1, .reduction = 3, .points = 100, .maximise = true});
  asha.ended(*asha.next(), 1.0);
  asha.no_such_point(*asha.next());
  EXPECT_FALSE(asha.next());
  EXPECT_TRUE(asha.over());
  EXPECT_EQ(asha.best(), (AshaJob{0, 0}));
}

}  // namespace
}  // namespace flatout::apply
