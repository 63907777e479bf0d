#include "run/step_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace flatout::run {
namespace {

class RangesOfProgram {
 public:
  RangesOfProgram& range(const std::string& name, std::int64_t begin, std::int64_t end,
                         std::uint16_t lane = 0, HostSpanKind kind = HostSpanKind::kAnnotation) {
    spans_.push_back(
        {.begin_ns = begin, .end_ns = end, .name = names_.add(name), .lane = lane, .kind = kind});
    return *this;
  }
  // The names that are steps, one after the other.
  std::string steps() {
    std::ranges::stable_sort(
        spans_, [](const HostSpan& a, const HostSpan& b) { return record_before(a, b); });
    StepRangeFinder finder(
        names_, [](std::string_view name) { return name.starts_with("enumerate(DataLoader)"); });
    for (const HostSpan& span : spans_) finder.add(span);
    const auto found = finder.best();
    if (!found) return "none";
    std::string out;
    for (const std::uint32_t name : found->names) out += std::string(names_.at(name)) + " ";
    return out + "on " + std::to_string(found->lane);
  }

 private:
  NameTable names_;
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

TEST(StepRanges, OneWithinItsOwnNameIsPartOfIt) {
  RangesOfProgram program;
  for (int i = 0; i < 2; ++i) {
    program.range("step", 10 * i, 10 * i + 9).range("step", 10 * i + 1, 10 * i + 8);
  }
  EXPECT_EQ(program.steps(), "none") << "two";
}

}  // namespace
}  // namespace flatout::run
