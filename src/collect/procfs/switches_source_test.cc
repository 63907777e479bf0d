#include "collect/procfs/switches_source.h"

#include <gtest/gtest.h>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
constexpr base::TimeNs kSwitchesStart = 100 * base::kSecond;

std::string status(unsigned voluntary, unsigned forced) {
  return "Name:\tpython3\nUmask:\t0022\nThreads:\t4\nMems_allowed_list:\t0\n"
         "voluntary_ctxt_switches:\t" +
         std::to_string(voluntary) + "\nnonvoluntary_ctxt_switches:\t" + std::to_string(forced) +
         "\n";
}

class SwitchesSourceTest : public ::testing::Test {
 protected:
  bool prepare() {
    host.write("/proc/10/stat", StatLine{.pid = 10}.text());
    host.write("/proc/10/task/10/children", "11 ");
    host.write("/proc/11/stat", StatLine{.pid = 11, .parent = 10}.text());
    host.write("/proc/11/status", status(1000, 50));
    return true;
  }
  Samples sample(base::TimeNs now) {
    Samples out;
    tree.update(now, true);
    EXPECT_TRUE(source.sample(now, out));
    return out;
  }
  FakeHost host;
  const bool prepared = prepare();
  ProcessTree tree{host.paths(), {.recorder = 10, .cpu = [] { return 0; }}};
  SwitchesSource source{host.paths(), tree};
};

TEST_F(SwitchesSourceTest, RatesNeedTwoReads) {
  EXPECT_TRUE(sample(kSwitchesStart).all.empty());
  host.write("/proc/11/status", status(1600, 52));
  const auto second = sample(kSwitchesStart + 2 * base::kSecond);
  EXPECT_DOUBLE_EQ(second.value(Metric::kProcessContextSwitchesVoluntary, 11), 300);
  EXPECT_DOUBLE_EQ(second.value(Metric::kProcessContextSwitchesForced, 11), 1);
  EXPECT_EQ(second.all.size(), 2U);
}

TEST_F(SwitchesSourceTest, AReusedPidStartsAnew) {
  sample(kSwitchesStart);
  host.write("/proc/11/stat", StatLine{.pid = 11, .parent = 10, .start = 777}.text());
  host.write("/proc/11/status", status(9000, 9000));
  EXPECT_TRUE(sample(kSwitchesStart + base::kSecond).all.empty());
}

TEST_F(SwitchesSourceTest, AProcessThatWentSaysNothing) {
  sample(kSwitchesStart);
  host.remove("/proc/11/status");
  EXPECT_TRUE(sample(kSwitchesStart + base::kSecond).all.empty());
}

TEST(Switches, ACutNumberIsAbsent) {
  const std::string text = status(123, 456);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto switches = parse_switches(std::string_view(text).substr(0, size));
    EXPECT_TRUE(!switches.voluntary || *switches.voluntary == 123);
    EXPECT_FALSE(switches.forced);
  }
}

}  // namespace
}  // namespace flatout::collect
