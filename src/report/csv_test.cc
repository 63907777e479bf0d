#include "report/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace flatout::report {
namespace {

TEST(Csv, QuotesOnlyWhatMustBe) {
  CsvRows rows;
  rows.text("plain").text("a,b").text("say \"x\"").text("two\nlines").text("").integer(-7);
  rows.end_row();
  rows.none().none();
  rows.end_row();
  EXPECT_EQ(rows.take(), "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",,-7\n,\n");
  EXPECT_EQ(rows.size(), 0U);
}

TEST(Csv, NumbersReadBackAsTheyWere) {
  for (const double value : {0.1, 1e300, -5e-324, 1.0 / 3, 123456789.125, 0.0}) {
    CsvRows rows;
    rows.real(value);
    EXPECT_EQ(std::strtod(rows.take().c_str(), nullptr), value);
  }
  CsvRows rows;
  rows.real(std::nan("")).real(std::numeric_limits<double>::infinity());
  rows.real(-std::numeric_limits<double>::infinity()).real(std::optional<double>());
  EXPECT_EQ(rows.take(), "NaN,inf,-inf,");
}

TEST(Csv, SecondsKeepTheirNanoseconds) {
  CsvRows rows;
  rows.seconds(1'234'567'890'123'456'789).seconds(-1).seconds(0);
  rows.seconds(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(rows.take(), "1234567890.123456789,-0.000000001,0.000000000,-9223372036.854775808");
}

TEST(Csv, NoCellIsAFormulaAndNumbersStayNumbers) {
  CsvRows rows;
  for (const char* const text : {"=HYPERLINK(\"x\")", "+1", "-cmd", "@SUM", "\tx", "a=b"}) {
    rows.text(text);
  }
  rows.real(-1.5).integer(-3).seconds(-1'500'000'000).end_row();
  EXPECT_EQ(rows.take(),
            "\"'=HYPERLINK(\"\"x\"\")\",'+1,'-cmd,'@SUM,'\tx,a=b,-1.5,-3,-1.500000000\n");
}

}  // namespace
}  // namespace flatout::report
