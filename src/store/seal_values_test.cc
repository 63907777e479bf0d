#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "store/run_reader.h"
#include "store/run_writer.h"
#include "store/seal.h"
#include "store/store_fixture.h"

namespace flatout::store {
namespace {

using Limits = std::numeric_limits<double>;

// Every pair of these is a series of its own, so that each is the least, the
// greatest and the sum of a chunk.
constexpr double kOdd[] = {0.0,
                           -0.0,
                           1.0,
                           -1.5,
                           Limits::denorm_min(),
                           -Limits::denorm_min(),
                           Limits::min(),
                           Limits::max(),
                           Limits::lowest(),
                           9007199254740993.0,
                           9223372036854775808.0,
                           -9223372036854775808.0,
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN()};

TEST(SealValues, AnyDoubleComesBackBitForBit) {
  const ScratchFolder scratch;
  const Home home = Home::at(scratch.path());
  const base::FakeClock clock;
  const Viewpoint from = viewpoint_here();
  auto writer = RunWriter::open(home, clock);
  auto info = sample_info(writer->id());
  info.host = from.host;
  ASSERT_TRUE(writer->begin(info));
  std::vector<run::Sample> samples;
  for (std::int32_t i = 0; i < 15 * 15; ++i) {
    samples.push_back({1000, kOdd[i % 15], i, run::Metric::kHostIowait});
    samples.push_back({2000, kOdd[i / 15], i, run::Metric::kHostIowait});
  }
  ASSERT_TRUE(writer->samples(samples));
  ASSERT_TRUE(writer->end({.t_ns = 3000, .exit_code = 0, .survivors = {}}));
  const std::string id = writer->id();
  writer.reset();
  const auto sealed = seal_run(home, id, from);
  ASSERT_TRUE(sealed) << sealed.error().message;
  ASSERT_EQ(*sealed, SealResult::kSealed);
  const auto timeline = read_run(home.folder(id), from);
  ASSERT_TRUE(timeline);
  ASSERT_EQ(timeline->series.size(), 15U * 15U);
  for (const auto& [key, points] : timeline->series) {
    ASSERT_EQ(points.size(), 2U);
    for (const std::size_t at : {0U, 1U}) {
      const double put_in = samples[static_cast<std::size_t>(key.source) * 2 + at].value;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(points.at(at).value().value),
                std::bit_cast<std::uint64_t>(put_in))
          << key.source << " " << at;
    }
  }
}

}  // namespace
}  // namespace flatout::store
