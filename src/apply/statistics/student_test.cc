#include "apply/statistics/student.h"

#include <gtest/gtest.h>

#include <array>

namespace flatout::apply {
namespace {

struct TableValue {
  int degrees;
  double tail;
  double t;
};

// From printed tables of upper percentage points.
constexpr auto kTable = std::to_array<TableValue>({
    {1, 0.25, 1.000},    {1, 0.025, 12.706},  {1, 0.0005, 636.619}, {2, 0.05, 2.920},
    {2, 0.001, 22.327},  {3, 0.025, 3.182},   {3, 0.0005, 12.924},  {4, 0.005, 4.604},
    {5, 0.10, 1.476},    {5, 0.001, 5.893},   {7, 0.01, 2.998},     {10, 0.025, 2.228},
    {10, 0.0005, 4.587}, {15, 0.05, 1.753},   {30, 0.025, 2.042},   {30, 0.001, 3.385},
    {60, 0.005, 2.660},  {120, 0.025, 1.980}, {120, 0.0005, 3.373},
});

TEST(Student, QuantilesAreThoseOfTheTables) {
  for (const TableValue& row : kTable) {
    EXPECT_NEAR(student_quantile(row.tail, row.degrees), row.t, 6e-4)
        << row.degrees << " degrees, tail " << row.tail;
  }
}

TEST(Student, TailAndQuantileAreInverse) {
  for (int degrees = 1; degrees <= kMostDegrees; degrees += 3) {
    for (double tail = 0.5; tail > 1e-7; tail /= 3) {
      const double t = student_quantile(tail, degrees);
      ASSERT_NEAR(student_tail(t, degrees) / tail, 1, 1e-6) << degrees << " degrees, " << tail;
    }
  }
}

TEST(Student, MoreDegreesNarrowAndSmallerTailsWiden) {
  for (int degrees = 1; degrees < kMostDegrees; ++degrees) {
    EXPECT_GT(student_quantile(0.001, degrees), student_quantile(0.001, degrees + 1));
    EXPECT_LT(student_quantile(0.01, degrees), student_quantile(0.001, degrees));
  }
}

TEST(Student, WhatIsOutOfRangeIsBounded) {
  EXPECT_DOUBLE_EQ(student_quantile(0.5, 5), 0);
  EXPECT_DOUBLE_EQ(student_quantile(0.9, 5), 0);
  EXPECT_DOUBLE_EQ(student_quantile(0.01, 0), student_quantile(0.01, 1));
  EXPECT_DOUBLE_EQ(student_quantile(0, 3), student_quantile(1e-9, 3));
  EXPECT_DOUBLE_EQ(student_quantile(0.01, 1'000'000), student_quantile(0.01, kMostDegrees));
}

}  // namespace
}  // namespace flatout::apply
