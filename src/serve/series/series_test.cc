// Curves: pyramids, thinning to pixels, and a run's curves beside its values taken one by one.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <thread>

#include "base/file.h"
#include "base/time.h"
#include "serve/series/columns.h"
#include "serve/series/run_series.h"
#include "store/curves/kept_curves.h"
#include "store/curves/pyramid.h"
#include "store/disk.h"
#include "store/run_writer.h"
#include "store/seal.h"

namespace flatout::serve {

using store::Pyramid;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<CurvePoint> line(std::size_t count) {
  std::vector<CurvePoint> out;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = std::sin(static_cast<double>(i));
    out.push_back({static_cast<double>(i), value, value, value, value, 1});
  }
  return out;
}

TEST(Thin, FewPointsStayAsTheyAre) {
  Curve out{.key = ""};
  thin(line(20), true, 5, 10, 100, out);
  EXPECT_TRUE(out.raw);
  EXPECT_EQ(out.x, (std::vector<double>{4, 5, 6, 7, 8, 9, 10, 11}));  // with the neighbours
  EXPECT_TRUE(out.min.empty());
}

TEST(Thin, ManyPointsAreAtMostOneEntryAColumn) {
  Curve out{.key = ""};
  auto points = line(100'000);
  points[777].min = -50;
  points[778].max = 60;
  thin(points, true, 0, 99'999, 100, out);
  EXPECT_FALSE(out.raw);
  EXPECT_LE(out.x.size(), 102U);
  EXPECT_EQ(*std::ranges::min_element(out.min), -50);
  EXPECT_EQ(*std::ranges::max_element(out.max), 60);
  EXPECT_EQ(out.x.back(), 99'999);
  for (std::size_t i = 1; i + 1 < out.mean.size(); ++i) EXPECT_NEAR(out.mean[i], 0, 0.01);
}

TEST(Thin, NothingAndOnePoint) {
  Curve out{.key = ""};
  thin({}, true, 0, 1, 10, out);
  EXPECT_TRUE(out.x.empty());
  thin(line(1), true, 0, 0, 10, out);
  EXPECT_EQ(out.x.size(), 1U);
}

TEST(Pyramid, EachLevelHasTheExtremesOfAllPoints) {
  Pyramid all;
  std::mt19937 random(7);
  double least = 1e9, most = -1e9, last = 0;
  constexpr std::size_t kCount = 300'000;
  for (std::size_t i = 0; i < kCount; ++i) {
    last = static_cast<double>(random() % 1'000'000);
    if (i % 1000 == 3) last = kNaN;
    if (std::isfinite(last)) {
      least = std::min(least, last);
      most = std::max(most, last);
    }
    all.add(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i), last);
  }
  EXPECT_EQ(all.count(), kCount);
  EXPECT_GE(all.levels(), 2U);
  for (std::size_t level = 0; level < all.levels(); ++level) {
    Pyramid::Entry sum;
    std::int64_t before = -1;
    for (const auto& entry : all.entries(level, 0, all.size(level))) {
      EXPECT_GT(entry.t_ns, before);
      before = entry.t_ns;
      include(sum, entry);
    }
    EXPECT_EQ(sum.min, least) << level;
    EXPECT_EQ(sum.max, most) << level;
    EXPECT_EQ(sum.last, last) << level;
    EXPECT_EQ(sum.t_ns, static_cast<std::int64_t>(kCount) - 1) << level;
  }
}

TEST(Pyramid, TimesNeverGoBackAndStepsMay) {
  Pyramid all;
  all.add(10, 5, 1);
  all.add(8, 3, 2);
  EXPECT_EQ(all.last_ns(), 10);
  EXPECT_FALSE(all.steps_ascend());
  EXPECT_TRUE(all.has_steps());
  all.add(11, Pyramid::kNoStep, 2);
  EXPECT_FALSE(all.has_steps());
}

// A run of two curves, in a folder of its own.
class Recorded : public ::testing::Test {
 protected:
  static constexpr std::int64_t kStart = 1'000'000'000;
  static constexpr int kPid = 77;
  void SetUp() override {
    char folder[] = "/tmp/flatout-serve-XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    root_ = folder;
    home_.emplace(store::Home::at(root_));
    writer_ = store::RunWriter::open(*home_, clock_);
    run::RunInfo info;
    info.id = writer_->id();
    info.started_ns = kStart;
    info.command = {"made-up"};
    ASSERT_TRUE(writer_->begin(info));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void record(int from, int to) {
    std::vector<run::NamedValue> values;
    std::vector<run::Sample> samples;
    for (int i = from; i < to; ++i) {
      const std::int64_t t_ns = kStart + std::int64_t{i} * 1'000'000;
      values.push_back({.t_ns = t_ns, .value = value(i), .step = i, .name = "loss"});
      values.push_back({.t_ns = t_ns, .value = -value(i), .step = i, .track = 1, .name = "other"});
      samples.push_back({t_ns, value(i), run::kHostSource, run::Metric::kHostCpuCoresUsed});
    }
    ASSERT_TRUE(writer_->values(kPid, values));
    ASSERT_TRUE(writer_->samples(samples));
    ASSERT_TRUE(writer_->flush());
  }
  static double value(int i) { return static_cast<double>((i * 7919) % 1000); }
  std::filesystem::path folder() const { return home_->folder(writer_->id()); }

  std::filesystem::path root_;
  std::optional<store::Home> home_;
  base::FakeClock clock_;
  std::unique_ptr<store::RunWriter> writer_;
};

// What is shown lies where the points lie, whatever the zoom.
void check(RunSeries& series, const std::string& key, int count, double sign) {
  for (const double from : {0.0, 100.0, 5000.0}) {
    for (const double to : {from + 10, from + 3000.0, static_cast<double>(count - 1)}) {
      for (const Axis axis : {Axis::kTime, Axis::kStep}) {
        const auto curve = series.curve(key, {.axis = axis, .from = from, .to = to, .width = 50});
        ASSERT_TRUE(curve);
        EXPECT_LE(curve->x.size(), 102U);
        ASSERT_FALSE(curve->x.empty());
        EXPECT_TRUE(std::ranges::is_sorted(curve->x));
        for (std::size_t i = 0; i < curve->x.size(); ++i) {
          const double expected =
              sign * static_cast<double>((static_cast<int>(curve->x[i]) * 7919) % 1000);
          EXPECT_EQ(curve->last[i], expected) << key << " " << curve->x[i];
          if (curve->raw) continue;
          EXPECT_LE(curve->min[i], curve->last[i]);
          EXPECT_GE(curve->max[i], curve->last[i]);
        }
        const double end = std::min(to, static_cast<double>(count - 1));
        EXPECT_GE(curve->x.back(), end - (to - from) / 25) << from << " " << to;
      }
    }
  }
}

TEST_F(Recorded, GoesOnWhereItStoppedAndIsTheSameSealed) {
  record(0, 3000);
  auto series = RunSeries::open(folder());
  ASSERT_TRUE(series);
  EXPECT_EQ((*series)->infos().size(), 3U);
  std::unordered_map<std::string, std::size_t> counts;
  EXPECT_EQ((*series)->latest(counts).size(), 3U);
  for (int i = 3000; i < 20'000; i += 1000) record(i, i + 1000);
  ASSERT_TRUE((*series)->refresh());
  EXPECT_EQ((*series)->latest(counts).size(), 3U);
  EXPECT_TRUE((*series)->latest(counts).empty());
  check(**series, "v:77:0:loss", 20'000, 1);
  check(**series, "v:77:1:other", 20'000, -1);
  const auto infos = (*series)->infos();
  ASSERT_EQ(infos.size(), 3U);
  EXPECT_EQ(infos[1].key, "v:77:0:loss");
  EXPECT_EQ(infos[1].count, 20'000U);
  EXPECT_EQ(infos[1].last_step, 19'999);
  EXPECT_EQ(infos[1].min, 0);
  EXPECT_EQ(infos[1].max, 999);

  const auto place = folder();
  const std::string id = writer_->id();
  ASSERT_TRUE(writer_->end(
      {.t_ns = kStart + 21'000'000'000, .exit_code = 0, .signal = 0, .survivors = {}}));
  writer_ = store::RunWriter::open(*home_, clock_);  // lets go of the log
  const auto sealed = store::seal_run(*home_, id, store::viewpoint_here());
  ASSERT_TRUE(sealed);
  auto again = RunSeries::open(place);
  ASSERT_TRUE(again);
  EXPECT_TRUE((*again)->complete());
  check(**again, "v:77:0:loss", 20'000, 1);
  const auto metric = (*again)->curve("m:host.cpu.cores_used:0",
                                      {.axis = Axis::kTime, .from = 0, .to = 100, .width = 200});
  ASSERT_TRUE(metric);
  EXPECT_TRUE(metric->raw);
  EXPECT_EQ(metric->x.size(), 102U);
  EXPECT_FALSE((*again)->curve("v:77:0:none", {}));
  const std::vector<std::pair<double, double>> ranges = {{0, 9}, {10, 10}, {90'000, 91'000}};
  const auto means = (*again)->means("m:host.cpu.cores_used:0", ranges);
  double sum = 0;
  for (int i = 0; i < 10; ++i) sum += value(i);
  EXPECT_DOUBLE_EQ(means[0], sum / 10);
  EXPECT_DOUBLE_EQ(means[1], value(10));
  EXPECT_TRUE(std::isnan(means[2]));
  EXPECT_GT((*again)->bytes(), 0U);
}

// All that a page shows of it, at several zooms.
std::string shown(RunSeries& series) {
  std::string out;
  for (const SeriesInfo& info : series.infos()) {
    out += info.key + ' ' + info.label + ' ' + std::to_string(info.count) + ' ' +
           std::to_string(info.first_ms) + ' ' + std::to_string(info.last_ms) + ' ' +
           std::to_string(info.last_step.value_or(-1)) + ' ' + std::to_string(info.max) + '\n';
    for (const Axis axis : {Axis::kTime, Axis::kStep}) {
      for (const double width : {1e9, 30'000.0, 2000.0, 20.0}) {
        const auto curve =
            series.curve(info.key, {.axis = axis, .from = 7000, .to = 7000 + width, .width = 300});
        if (curve) out += to_json(std::vector{*curve}, axis);
      }
    }
  }
  return out;
}

class Kept : public Recorded {
 protected:
  void SetUp() override {
    Recorded::SetUp();
    for (int i = 0; i < 55'000; i += 1000) record(i, i + 1000);
    place_ = folder();
    id_ = writer_->id();
    const run::RunEnd end{
        .t_ns = kStart + 60'000'000'000, .exit_code = 0, .signal = 0, .survivors = {}};
    ASSERT_TRUE(writer_->end(end));
    writer_.reset();  // it holds the log's lock
    scanned_ = shown(*RunSeries::open(place_).value());
  }
  std::filesystem::path file() const { return place_ / store::kKeptCurvesName; }
  static std::string bytes_of(const std::filesystem::path& path) {
    return base::read_file(path, 1U << 30).value_or("");
  }
  void expect_same(const std::string& what) {
    auto series = RunSeries::open(place_);
    ASSERT_TRUE(series) << what;
    EXPECT_TRUE(shown(**series) == scanned_) << what;
  }

  std::filesystem::path place_;
  std::string id_, scanned_;
};

TEST_F(Kept, IsTheSameAndIsWrittenOnce) {
  const std::string kept = bytes_of(file());
  ASSERT_FALSE(kept.empty());
  EXPECT_TRUE((*RunSeries::open(place_))->complete());  // it was taken from there
  expect_same("of a log");
  EXPECT_TRUE(bytes_of(file()) == kept);
  EXPECT_FALSE(std::filesystem::exists(file().string() + ".tmp"));

  const auto sealed = store::seal_run(*home_, id_, store::viewpoint_here());
  ASSERT_TRUE(sealed);
  EXPECT_TRUE(bytes_of(file()) != kept);  // sealing wrote it anew
  const auto written = std::filesystem::last_write_time(file());
  expect_same("of a sealed run");
  EXPECT_EQ(std::filesystem::last_write_time(file()), written);
  base::write_file_atomic(file(), kept).value();  // of the log that was
  expect_same("of what it was before");
  EXPECT_TRUE(bytes_of(file()) != kept);
}

TEST_F(Kept, DamageIsReadAround) {
  const std::string whole = bytes_of(file());
  std::mt19937 random(11);
  for (int i = 0; i < 60; ++i) {
    std::string bytes = whole;
    // A third of them where header and table are.
    const std::size_t at =
        random() % (i % 3 == 0 ? std::min<std::size_t>(600, bytes.size()) : bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
    ASSERT_TRUE(base::write_file_atomic(file(), bytes));
    expect_same("a bit at " + std::to_string(at));
    EXPECT_TRUE(bytes_of(file()) == whole) << at;  // and put right
  }
  for (const std::size_t length : {0UL, 1UL, 71UL, 72UL, 500UL, whole.size() - 1}) {
    ASSERT_TRUE(base::write_file_atomic(file(), whole.substr(0, length)));
    expect_same("the first " + std::to_string(length) + " bytes");
  }
}

TEST_F(Kept, ALogThatGrewIsReadAgain) {
  // As a recorder that was thought dead may do it: the same file, more frames.
  auto log = store::system_disk().open(place_ / "log.flo");
  ASSERT_TRUE(log);
  const auto before = (*log)->status();
  ASSERT_TRUE(before);
  ASSERT_TRUE((*log)->write_at(before->bytes, "not a frame"));
  const auto kept = bytes_of(file());
  expect_same("with more behind it");
  EXPECT_TRUE(bytes_of(file()) != kept);
}

TEST_F(Kept, WhereNothingCanBeWrittenCurvesAreTheSame) {
  const std::string temporary = file().string() + ".tmp";
  std::filesystem::remove(file());
  std::filesystem::create_directory(temporary);
  expect_same("a folder in its way");
  EXPECT_FALSE(std::filesystem::exists(file()));
  std::filesystem::remove(temporary);
  std::filesystem::create_directory(file());
  expect_same("a folder in its place");
  std::filesystem::remove(file());
  std::filesystem::create_symlink("/etc/passwd", temporary);
  expect_same("a link in its way");
  EXPECT_FALSE(std::filesystem::exists(file()));
  std::filesystem::remove(temporary);
  base::write_file_atomic(temporary, "what a killed writer left").value();
  expect_same("something of a killed writer");
  EXPECT_TRUE(std::filesystem::exists(file()));
  EXPECT_FALSE(std::filesystem::exists(temporary));
}

TEST_F(Kept, OneWritesAtATime) {
  const std::string temporary = file().string() + ".tmp";
  const std::string kept = bytes_of(file());
  const base::UniqueFd other(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(other);
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  const auto done = store::write_kept_curves(place_, "x");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, base::ErrorCode::kExists);
  EXPECT_TRUE(bytes_of(file()) == kept);
  std::vector<std::jthread> several;
  std::filesystem::remove(file());
  std::filesystem::remove(temporary);
  for (int i = 0; i < 4; ++i) several.emplace_back([this] { expect_same("at once"); });
  several.clear();
  EXPECT_TRUE(bytes_of(file()) == kept);
}

TEST_F(Recorded, ShortAndRunningOnesAreNotKept) {
  record(0, 3000);
  ASSERT_TRUE(RunSeries::open(folder()));
  EXPECT_FALSE(std::filesystem::exists(folder() / store::kKeptCurvesName));
  for (int i = 3000; i < 60'000; i += 1000) record(i, i + 1000);
  ASSERT_TRUE(RunSeries::open(folder()));
  EXPECT_FALSE(std::filesystem::exists(folder() / store::kKeptCurvesName));
}

TEST(Columns, ArePaddedAndSayWhatIsRaw) {
  const Curve raw{.key = "abc", .x = {1, 2}, .last = {3, kNaN}, .raw = true};
  const Curve thinned{
      .key = "d", .x = {1}, .min = {0}, .max = {2}, .mean = {1.5}, .last = {1}, .raw = false};
  const std::string bytes = to_columns(std::vector{raw, thinned});
  EXPECT_EQ(bytes.size(), 8U + 4 + (4 + 8 + 8 + 32) + (4 + 8 + 8 + 40));
  EXPECT_EQ(bytes.substr(0, 8), std::string("FLCOLS1\0", 8));
  const std::string json = to_json(std::vector{raw, thinned}, Axis::kStep);
  EXPECT_NE(json.find(R"("last":[3,null])"), std::string::npos);
  EXPECT_TRUE(Json::accept(json));
}

}  // namespace
}  // namespace flatout::serve
