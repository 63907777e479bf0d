#include "run/step_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace flatout::run {
namespace {

class RangesOfProgram {
 public:
  RangesOfProgram& range(const std::string& name, std::int64_t begin, std::int64_t end,
                         std::uint16_t lane = 0, HostSpanKind kind = HostSpanKind::kAnnotation) {
    spans_.push_back(
        {.begin_ns = begin, .end_ns = end, .name = names_->add(name), .lane = lane, .kind = kind});
    return *this;
  }
  // Kernels launched at even times of [begin, end).
  RangesOfProgram& launches(int count, std::int64_t begin, std::int64_t end,
                            std::uint16_t lane = 0) {
    for (int i = 0; i < count; ++i) {
      const std::int64_t at = begin + i * (end - begin) / count;
      range("cudaLaunchKernel", at, at, lane, HostSpanKind::kCall);
    }
    return *this;
  }
  // The names that are steps, one after the other.
  std::string steps() {
    std::ranges::stable_sort(
        spans_, [](const HostSpan& a, const HostSpan& b) { return record_before(a, b); });
    StepRangeFinder finder(
        *names_, [](std::string_view name) { return name.starts_with("enumerate(DataLoader)"); });
    for (const HostSpan& span : spans_) finder.add(span);
    const auto found = finder.best();
    if (!found) return "none";
    std::string out;
    for (const std::uint32_t name : found->names) out += std::string(names_->at(name)) + " ";
    return out + "on " + std::to_string(found->lane);
  }

 private:
  std::unique_ptr<NameTable> names_ = std::make_unique<NameTable>();
  std::vector<HostSpan> spans_;
};

TEST(StepRanges, AreTheOutermostThatRepeat) {
  RangesOfProgram program;
  for (int i = 0; i < 3; ++i) {
    program.range("work", 10 * i, 10 * i + 9, 2).range("inner", 10 * i + 1, 10 * i + 8, 2);
  }
  EXPECT_EQ(program.steps(), "work on 2");
}

TEST(StepRanges, MayBeginOnOneThreadAndEndOnAnother) {
  RangesOfProgram program;
  for (int i = 0; i < 4; ++i) {
    program.range("iteration " + std::to_string(i), 10 * i, 10 * i + 9,
                  static_cast<std::uint16_t>(i % 2 + 3), HostSpanKind::kRange);
  }
  EXPECT_EQ(program.steps(), "iteration 0 iteration 1 iteration 2 iteration 3 on 3");
}

TEST(StepRanges, ThatLieAcrossEachOtherCallThemselvesSteps) {
  RangesOfProgram requests, steps;
  for (int i = 0; i < 6; ++i) {
    requests.range("request", 10 * i, 10 * i + 25, 0, HostSpanKind::kRange);
    steps.range("step", 10 * i, 10 * i + 12, 0, HostSpanKind::kRange);
  }
  EXPECT_EQ(requests.steps(), "none");
  EXPECT_EQ(steps.steps(), "step on 0");
}

TEST(StepRanges, MarksAreNone) {
  RangesOfProgram program;
  for (int i = 0; i < 6; ++i) program.range("step", 10 * i, 10 * i, 0, HostSpanKind::kMark);
  EXPECT_EQ(program.steps(), "none");
}

TEST(StepRanges, MayBeNumbered) {
  RangesOfProgram program;
  for (int i = 0; i < 3; ++i) program.range("it" + std::to_string(9 + i), 10 * i, 10 * i + 7);
  EXPECT_EQ(program.steps(), "it9 it10 it11 on 0");
}

TEST(StepRanges, ANameThatSaysSoIsTakenBeforeAnOuterOne) {
  RangesOfProgram program;
  for (int i = 0; i < 9; ++i) {
    if (i % 3 == 0) program.range("pass " + std::to_string(i), 10 * i, 10 * i + 30);
    program.range("Train_Step", 10 * i, 10 * i + 9).range("substep", 10 * i + 1, 10 * i + 8);
  }
  EXPECT_EQ(program.steps(), "Train_Step on 0");
}

TEST(StepRanges, EpochsEvaluationsAndPhasesAreNone) {
  RangesOfProgram program;
  for (int i = 0; i < 5; ++i) {
    program.range("epoch " + std::to_string(i), 100 * i, 100 * i + 99);
    program.range("eval_step", 100 * i + 1, 100 * i + 90);
    program.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100 * i + 2,
                  100 * i + 80);
  }
  EXPECT_EQ(program.steps(), "none");
}

TEST(StepRanges, FillHalfOfTheirTimeAndComeThreeTimes) {
  EXPECT_EQ(RangesOfProgram().range("step", 0, 9).range("step", 10, 19).steps(), "none");
  RangesOfProgram rare;
  for (int i = 0; i < 5; ++i) rare.range("optimizer_step", 100 * i, 100 * i + 10);
  EXPECT_EQ(rare.steps(), "none");
}

// A loader of 80 between steps of 20: the ranges hold what is launched, not the time.
RangesOfProgram slow_loader(int steps, const std::string& name = "step", int from = 0) {
  RangesOfProgram program;
  for (int i = from; i < from + steps; ++i) {
    program.range(name, 100 * i + 80, 100 * i + 100).launches(9, 100 * i + 80, 100 * i + 100);
    program.range("cudaMemcpyAsync", 100 * i + 70, 100 * i + 71, 0, HostSpanKind::kCall);
  }
  return program;
}

TEST(StepRanges, MayFillLittleOfTheTimeWhereTheyHoldWhatIsLaunched) {
  EXPECT_EQ(slow_loader(8).steps(), "step on 0");
  EXPECT_EQ(slow_loader(7).steps(), "none") << "few";
  EXPECT_EQ(slow_loader(40, "work").steps(), "none") << "they do not call themselves a step";
}

// A loader with four workers stalls every fourth step; the distances are anything but even.
TEST(StepRanges, NeedNoEvenDistances) {
  RangesOfProgram program;
  std::int64_t now = 0;
  for (int i = 0; i < 40; ++i) {
    if (i % 4 == 0) now += 500;
    program.range("iteration " + std::to_string(i % 2), now + 1, now + 11);
    program.launches(3, now + 2, now + 10);
    now += 15;
  }
  EXPECT_EQ(program.steps(), "iteration 0 iteration 1 on 0");
}

TEST(StepRanges, ThatLaunchNothingFillHalfOfTheTime) {
  RangesOfProgram tokens, scheduler;
  for (int i = 0; i < 40; ++i) {
    tokens.range("tokenizer step", 100 * i, 100 * i + 20, 0)
        .launches(9, 100 * i + 30, 100 * i + 90);
    scheduler.range("scheduler.step", 100 * i, 100 * i + 1);
  }
  EXPECT_EQ(tokens.steps(), "none");
  EXPECT_EQ(scheduler.steps(), "none") << "nothing is launched at all: nothing is known";
}

TEST(StepRanges, OfAStartUpAreNone) {
  RangesOfProgram program = slow_loader(10, "warm-up step");
  program.launches(91, 1000, 90'000);
  EXPECT_EQ(program.steps(), "none") << "most is launched after them";
}

TEST(StepRanges, AnUpdateIsNoneUnlessItIsMostOfTheWork) {
  for (const int in_update : {3, 30}) {
    RangesOfProgram program;
    for (int i = 0; i < 40; ++i) {
      program.launches(10, 100 * i, 100 * i + 60)
          .range("optimizer_step", 100 * i + 60, 100 * i + 70);
      program.launches(in_update, 100 * i + 60, 100 * i + 70);
    }
    EXPECT_EQ(program.steps(), in_update > 10 ? "optimizer_step on 0" : "none");
  }
}

// Every fifth step is followed by an evaluation of a hundred times the work, and a log.
TEST(StepRanges, MayHaveAnEvaluationBetween) {
  RangesOfProgram program;
  std::int64_t now = 0;
  for (int i = 1; i <= 50; ++i) {
    program.range("train_batch", now + 40, now + 50).launches(20, now + 40, now + 50);
    now += 50;
    if (i % 5 != 0) continue;
    program.range("val_batch", now, now + 400).launches(2000, now, now + 400);
    now += 400;
  }
  EXPECT_EQ(program.steps(), "train_batch on 0");
}

// Threads that load mark batches of their own, next to nothing else or all the time, and copy.
TEST(StepRanges, AreThoseOfTheThreadThatLaunches) {
  for (const int length : {30, 99}) {
    RangesOfProgram program;
    program.range("epoch 1", 0, 4000, 1).range("fit", 0, 4000, 1);
    for (int i = 0; i < 40; ++i) {
      program.range("load batch", 100 * i, 100 * i + length, 2);
      program.range("cudaMemcpyAsync", 100 * i + 5, 100 * i + 6, 2, HostSpanKind::kCall);
      program.range("step", 100 * i + 40, 100 * i + 60, 1)
          .launches(9, 100 * i + 40, 100 * i + 60, 1);
    }
    EXPECT_EQ(program.steps(), "step on 1") << length;
  }
}

// A backward pass, or a runtime, launches by threads of its own.
TEST(StepRanges, HoldTheLaunchesOfAllThreadsWhereTheirOwnLaunchesNothing) {
  RangesOfProgram program, elsewhere;
  for (int i = 0; i < 40; ++i) {
    program.range("step", 100 * i, 100 * i + 20, 1).launches(9, 100 * i + 2, 100 * i + 18, 5);
    elsewhere.range("batch", 100 * i, 100 * i + 20, 1).launches(9, 100 * i + 22, 100 * i + 98, 5);
  }
  EXPECT_EQ(program.steps(), "step on 1");
  EXPECT_EQ(elsewhere.steps(), "none");
}

// What fetches batches fills the time, what trains does the work.
TEST(StepRanges, OfSeveralAreTheOutermostOfThoseThatWork) {
  RangesOfProgram program = slow_loader(20);
  for (int i = 0; i < 20; ++i) {
    program.range("load_batch", 100 * i, 100 * i + 79);
    program.range("inner batch", 100 * i + 81, 100 * i + 99)
        .range("batch", 100 * i + 82, 100 * i + 99);
  }
  EXPECT_EQ(program.steps(), "step on 0");
}

// Ranges that call themselves steps and have nothing to do with what is launched.
TEST(StepRanges, ByChanceAreNone) {
  std::mt19937 random(3);  // NOLINT(cert-msc51-cpp): the same each time
  int found = 0;
  for (int round = 0; round < 1000; ++round) {
    RangesOfProgram program;
    const auto ranges = static_cast<int>(8 + random() % 60);
    std::int64_t now = 0;
    for (int i = 0; i < ranges; ++i) {
      const auto length = static_cast<std::int64_t>(1 + random() % 200);
      now += static_cast<std::int64_t>(400 + random() % 400);
      program.range("batch", now, now + length);
      now += length;
    }
    const auto launches = ranges * (1 + random() % 4);
    for (std::size_t i = 0; i < launches; ++i) {
      program.launches(1, static_cast<std::int64_t>(random() % static_cast<unsigned>(now)),
                       now + 1);
    }
    found += program.steps() == "none" ? 0 : 1;
  }
  EXPECT_EQ(found, 0);
}

// Any loop: whatever lies between its steps, as long as it launches less than they do.
TEST(StepRanges, OfAnyLoopAreFound) {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same each time
  for (int round = 0; round < 300; ++round) {
    RangesOfProgram program;
    const auto within = static_cast<int>(1 + random() % 20);
    std::int64_t now = 0;
    const std::size_t steps = 8 + random() % 60;
    for (std::size_t i = 0; i < steps; ++i) {
      const auto pause = static_cast<std::int64_t>(1 + random() % 2000);
      const auto length = static_cast<std::int64_t>(20 + random() % 100);
      program.launches(static_cast<int>(random() % static_cast<unsigned>(within)), now,
                       now + pause);
      now += pause;
      program.range("step " + std::to_string(round), now, now + length);
      program.launches(within, now, now + length);
      now += length;
    }
    EXPECT_EQ(program.steps(), "step " + std::to_string(round) + " on 0");
  }
}

TEST(StepRanges, OneWithinItsOwnNameIsPartOfIt) {
  RangesOfProgram program;
  for (int i = 0; i < 2; ++i) {
    program.range("step", 10 * i, 10 * i + 9).range("step", 10 * i + 1, 10 * i + 8);
  }
  EXPECT_EQ(program.steps(), "none") << "two";
}

}  // namespace
}  // namespace flatout::run
