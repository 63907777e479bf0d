#include "serve/metrics/exposition.h"

#include <gtest/gtest.h>

namespace flatout::serve {
namespace {

std::vector<MetricFamily> families() {
  return {{.name = "flatout_steps",
           .kind = MetricFamily::Kind::kCounter,
           .unit = "",
           .help = "Steps",
           .samples = {{label_text({{"run", "k7f2"}}), 12}}},
          {.name = "hw_power_watts", .unit = "watts", .help = "Power", .samples = {{"", 0.5}}},
          {.name = "none", .unit = "", .help = "No samples", .samples = {}}};
}

TEST(Exposition, OpenMetricsWhereItIsAskedFor) {
  EXPECT_EQ(written(families(), exposition_for("application/openmetrics-text;version=1.0.0,*/*")),
            "# HELP flatout_steps Steps\n# TYPE flatout_steps counter\n"
            "flatout_steps_total{run=\"k7f2\"} 12\n"
            "# HELP hw_power_watts Power\n# TYPE hw_power_watts gauge\n"
            "# UNIT hw_power_watts watts\nhw_power_watts 0.5\n# EOF\n");
}

TEST(Exposition, ElseTheTextFormat) {
  EXPECT_EQ(written(families(), exposition_for("text/plain")),
            "# HELP flatout_steps_total Steps\n# TYPE flatout_steps_total counter\n"
            "flatout_steps_total{run=\"k7f2\"} 12\n"
            "# HELP hw_power_watts Power\n# TYPE hw_power_watts gauge\nhw_power_watts 0.5\n");
  EXPECT_EQ(exposition_for(""), Exposition::kText);
}

TEST(Exposition, ValuesOfLabelsMayHoldAnything) {
  EXPECT_EQ(label_text({{"a", "q\"\\\n\xff\xc3\xa9"}, {"b", ""}}),
            "{a=\"q\\\"\\\\\\n\xef\xbf\xbd\xc3\xa9\",b=\"\"}");
  EXPECT_EQ(label_text({{"a", "\x1b[31m\x7f\xc2\x9b"}}),
            "{a=\"\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd\"}");
  EXPECT_EQ(label_text({}), "");
}

}  // namespace
}  // namespace flatout::serve
