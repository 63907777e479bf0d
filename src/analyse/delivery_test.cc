#include "analyse/delivery.h"

#include <gtest/gtest.h>

#include <vector>

namespace flatout::analyse {
namespace {

constexpr TimeWindow kAlways{.begin_ns = 0, .end_ns = 1'000'000};

struct Team {
  WorkerBatches recorded;
  run::IteratorFact iterator;

  void worker(pid_t pid, const std::vector<std::pair<std::int64_t, std::int64_t>>& fetches) {
    iterator.worker_pids.push_back(pid);
    std::vector<WorkerBatch>& own = recorded.of_new(pid, fetches.size());
    for (const auto& [begin, end] : fetches) {
      own.push_back({begin, end, static_cast<std::uint32_t>(own.size())});
    }
  }

  std::vector<Delivery> met_by(const std::vector<Draw>& draws) const {
    std::vector<Delivery> out;
    match_deliveries({recorded, iterator, 0, 1'000'000}, draws, kAlways, out);
    return out;
  }
};

Draw draw(std::int64_t begin, std::int64_t end) {
  return {.iterator = 1, .begin_ns = begin, .end_ns = end, .delivered = true};
}

TEST(Delivery, ADrawKnowsWhetherItsWorkerWasAtALaterBatch) {
  Team team;
  team.worker(7, {{0, 100}, {101, 200}, {400, 500}});
  team.worker(8, {{0, 90}});
  const auto met = team.met_by({draw(10, 150), draw(160, 161), draw(210, 220), draw(230, 240)});
  ASSERT_EQ(met.size(), 3U);            // the second worker fetched one batch
  EXPECT_TRUE(met[0].worker_fetching);  // from 101 on, and it was handed over at 150
  EXPECT_EQ(met[0].ready_wait_ns, 50);
  EXPECT_FALSE(met[1].worker_fetching);  // it has no further batch
  EXPECT_FALSE(met[2].worker_fetching);  // the next one began behind the draw
}

TEST(Delivery, OneWorkerFarAhead) {
  Team team;
  team.worker(7, {{0, 10}, {10, 20}, {20, 30}, {30, 90}});
  const auto met = team.met_by({draw(40, 50), draw(60, 95), draw(95, 96)});
  ASSERT_EQ(met.size(), 3U);
  EXPECT_TRUE(met[0].worker_fetching);  // not the next one, but the one behind that
  EXPECT_TRUE(met[1].worker_fetching);  // it ended within the draw
  EXPECT_FALSE(met[2].worker_fetching);
}

TEST(Delivery, WithoutWorkersNothingIsFetched) {
  const WorkerBatches none;
  const IteratorBatches batches(none, {}, 0, 100);
  EXPECT_TRUE(batches.from(0).empty());
}

}  // namespace
}  // namespace flatout::analyse
