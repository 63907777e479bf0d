#include "report/quantity.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>

#include "report/signal_name.h"

namespace flatout::report {
namespace {

TEST(Quantity, Numbers) {
  const std::pair<double, const char*> cases[] = {
      {674.2, "674"},  {28.44, "28.4"}, {28.01, "28"},      {9.14, "9.1"},      {4, "4"},
      {0.424, "0.42"}, {0, "0"},        {12345.6, "12346"}, {3.2e9, "3.2e+09"}, {-5.5, "-5.5"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(format_number(value), text);
  EXPECT_EQ(format_number(std::numeric_limits<double>::quiet_NaN()), "?");
}

TEST(Quantity, SharesAndTimes) {
  EXPECT_EQ(format_percent(0.864), "86 %");
  EXPECT_EQ(format_percent(0), "0 %");
  EXPECT_EQ(format_percent(0.001), "<1 %");
  EXPECT_EQ(format_us(8.24), "8.2 us");
  EXPECT_EQ(format_us(1300), "1.3 ms");
  EXPECT_EQ(format_ms(582), "582 ms");
  EXPECT_EQ(format_ms(12'340), "12.3 s");
  EXPECT_EQ(format_seconds(0.674), "0.67 s");
  EXPECT_EQ(format_seconds(250), "4 min 10 s");
  EXPECT_EQ(format_seconds(3725), "1 h 02 min");
}

TEST(Quantity, Bytes) {
  EXPECT_EQ(format_bytes(8.6e9), "8.6 GB");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes_of(8.6e9, 40e9), "8.6 of 40 GB");
  EXPECT_EQ(format_bytes_of(12e6, 40e9), "12 MB of 40 GB");
}

TEST(SignalName, KnownRealTimeAndUnknown) {
  EXPECT_EQ(signal_name(9), "SIGKILL");
  EXPECT_EQ(signal_name(2), "SIGINT");
  EXPECT_EQ(signal_name(SIGRTMIN + 3), "SIGRTMIN+3");
  EXPECT_EQ(signal_name(4711), "SIG4711");
}

}  // namespace
}  // namespace flatout::report
