// Tunes of a made-up program on a machine that others load: noise makes intervals wider, and does
// nothing else. The truth is known, and the clock is ours.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "apply/tuning_fixture.h"

namespace flatout::apply::loaded_machine {
namespace {

constexpr int kTunes = 400;
constexpr double kTrialS = 15;  // about, of the program below

// The share of the machine that others take at a time.
using Load = std::function<double(double seconds)>;
using MakeLoad = Load (*)(std::mt19937&);

double uniform(std::mt19937& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

Load none(std::mt19937&) {
  return [](double) { return 0.0; };
}

// Steady, as of processes that never end.
Load busy(std::mt19937&) {
  return [](double) { return 0.6; };
}

Load drift(std::mt19937& random) {
  const double period = uniform(random, 10, 60) * kTrialS;
  const double phase = uniform(random, 0, 2 * std::numbers::pi);
  return [=](double s) { return 0.25 + 0.2 * std::sin(2 * std::numbers::pi * s / period + phase); };
}

// Comes and goes; each spell lasts `mean_trials` on average.
Load comes_and_goes(std::mt19937& random, double mean_trials, double share) {
  std::vector<double> ends;
  std::exponential_distribution<double> length(1 / (mean_trials * kTrialS));
  for (double at = -length(random); at < 400 * kTrialS;) ends.push_back(at += length(random));
  return [=](double s) {
    const auto turn = std::ranges::upper_bound(ends, s) - ends.begin();
    return turn % 2 == 0 ? share : 0.0;
  };
}
Load short_bursts(std::mt19937& random) { return comes_and_goes(random, 0.3, 0.6); }
Load spells(std::mt19937& random) { return comes_and_goes(random, 4, 0.5); }
Load long_spells(std::mt19937& random) { return comes_and_goes(random, 12, 0.5); }

Load restless(std::mt19937& random) {
  const auto seed = static_cast<unsigned>(random());
  return [seed](double s) {
    // SplitMix64 (Steele, Lea and Flood, 2014): a generator with a table is too slow to be seeded
    // for each number.
    std::uint64_t now = seed + static_cast<std::uint64_t>(s / kTrialS * 3) * 0x9e3779b97f4a7c15;
    now = (now ^ (now >> 30)) * 0xbf58476d1ce4e5b9;
    now = (now ^ (now >> 27)) * 0x94d049bb133111eb;
    now ^= now >> 31;
    return 0.3 + 0.6 * static_cast<double>(now >> 11) * 0x1p-53;
  };
}

struct Machine {
  const char* what;
  MakeLoad load;
  double noise = 0.02;  // between trials, beside what others do
  bool seen = true;     // what others take is measured
  double suffers = 1;   // by how much of what they take the program slows down
};

struct Tuned {
  bool kept = false;      // a row
  bool planned = false;   // handed on
  bool holds = true;      // the row's interval holds the truth
  bool interval = false;  // and is there
};

// `gain`: of the one knob that it tries.
Tuned tuned(const Machine& machine, double gain, unsigned seed) {
  Tuning tuning;
  MadeUpProgram program(tuning.clock, [&](int workers, int) {
    return Behaviour{.samples_per_s = workers == 0 ? 100 : 100 * gain};
  });
  std::mt19937 random(seed);
  program.draw_anew(seed);
  program.fetch_draws = false;
  program.noise = machine.noise;
  const Load load = machine.load(random);
  const base::TimeNs began = tuning.clock.monotonic();
  const auto share = [&] {
    double sum = 0;  // over the trial that begins now
    for (int part = 0; part < 10; ++part) {
      sum +=
          load(static_cast<double>(tuning.clock.monotonic() - began) / 1e9 + part * kTrialS / 10);
    }
    return sum / 10;
  };
  program.outside = share;
  program.outside_seen = machine.seen;
  program.speed_left = [&] { return 1 - machine.suffers * share(); };
  program.advise = [gain](int workers, int) {
    return workers == 0 ? MadeUpProgram::Advice{workers_advice(0, 4, std::max(gain, 1.5))}
                        : MadeUpProgram::Advice{};
  };
  const run::TuneReport report = tuning.of(program);
  Tuned out;
  out.planned = !report.plan.entries.empty();
  for (const auto& row : report.trials) {
    out.kept = out.kept || row.kept;
    out.interval = row.speedup.has_value();
    if (row.speedup) out.holds = row.speedup->lo <= gain && gain <= row.speedup->hi;
  }
  return out;
}

struct Shares {
  double kept = 0, planned = 0, held = 0, intervals = 0;
};

Shares shares_of(const Machine& machine, double gain, int tunes, unsigned seed) {
  Shares out;
  for (int i = 0; i < tunes; ++i) {
    const Tuned one = tuned(machine, gain, seed + static_cast<unsigned>(i));
    out.kept += one.kept ? 1.0 / tunes : 0;
    out.planned += one.planned ? 1.0 / tunes : 0;
    out.held += one.holds ? 1.0 / tunes : 0;
    out.intervals += one.interval ? 1.0 / tunes : 0;
  }
  testing::Test::RecordProperty(std::string(machine.what) + ", x" + std::to_string(gain),
                                std::to_string(out.kept) + " kept, " + std::to_string(out.planned) +
                                    " in the plan, " + std::to_string(out.held) +
                                    " hold the truth");
  return out;
}

constexpr std::array kMachines = {
    Machine{"quiet", none},
    Machine{"noise of 15 %", none, 0.15},
    Machine{"steady load", busy, 0.05},
    Machine{"steady load, not seen", busy, 0.05, false},
    Machine{"drift", drift, 0.03},
    Machine{"drift, not seen", drift, 0.03, false},
    Machine{"short bursts", short_bursts, 0.03},
    Machine{"short bursts, not seen", short_bursts, 0.03, false},
    Machine{"spells", spells, 0.03},
    Machine{"spells, not seen", spells, 0.03, false},
    Machine{"long spells, not seen", long_spells, 0.03, false},
    Machine{"restless", restless, 0.03},
    Machine{"restless, not seen", restless, 0.03, false},
    Machine{"restless, hardly suffers", restless, 0.03, true, 0.05},
};

TEST(TunerLoad, WhatGainsNothingIsNotKept) {
  for (const Machine& machine : kMachines) {
    const Shares found = shares_of(machine, 1, kTunes, 1000);
    EXPECT_LE(found.kept, 0.02) << machine.what;
    EXPECT_LE(found.planned, 0.02) << machine.what;
  }
}

TEST(TunerLoad, IntervalsAreThereAndHoldTheTruth) {
  for (const Machine& machine : kMachines) {
    for (const double gain : {1.03, 1.5, 3.0, 8.0}) {
      const Shares found = shares_of(machine, gain, 100, 5000);
      EXPECT_GE(found.held, 0.95) << machine.what << ", x" << gain;
      EXPECT_GT(found.intervals, 0.999) << machine.what << ", x" << gain;
    }
  }
}

TEST(TunerLoad, WhatIsClearIsKept) {
  for (const Machine& machine : kMachines) {
    for (const double gain : {3.0, 8.0}) {
      const Shares found = shares_of(machine, gain, 100, 9000);
      EXPECT_GE(found.kept, 0.9) << machine.what << ", x" << gain;
      EXPECT_GE(found.planned, 0.9) << machine.what << ", x" << gain;
    }
  }
}

}  // namespace
}  // namespace flatout::apply::loaded_machine
