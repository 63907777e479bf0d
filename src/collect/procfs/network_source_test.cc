#include "collect/procfs/network_source.h"

#include <gtest/gtest.h>

#include <random>

#include "collect/testing_tree.h"

namespace flatout::collect {
namespace {

using run::Metric;
constexpr base::TimeNs kNetworkStart = 7 * base::kSecond;

const std::string kHeading =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop "
    "fifo colls carrier compressed\n";

std::string line(const std::string& name, unsigned long received, unsigned long sent) {
  return "  " + name + ": " + std::to_string(received) + " 1 2 3 4 5 6 7 " + std::to_string(sent) +
         " 11 12 13 14 15 16 17\n";
}

class NetworkSourceTest : public ::testing::Test {
 protected:
  Samples sample(base::TimeNs now, const std::string& lines) {
    host.write("/proc/net/dev", kHeading + lines);
    Samples out;
    EXPECT_TRUE(source.sample(now, out));
    return out;
  }
  FakeHost host;
  NetworkSource source{host.paths()};
};

TEST_F(NetworkSourceTest, OnlyWhatStandsAloneCounts) {
  host.write("/sys/class/net/eth0/mtu", "1500\n");
  host.write("/sys/class/net/bond0/lower_eth0/mtu", "1500\n");
  const auto text = [&](unsigned long more) {
    return line("lo", 5000 + 7 * more, 5000 + 7 * more) + line("eth0", 100 + more, 200 + 2 * more) +
           line("bond0", 100 + more, 200 + 2 * more) + line("veth12", 9 * more, 9 * more) +
           line("eth1", 4 * more, 0);
  };
  EXPECT_TRUE(sample(kNetworkStart, text(0)).all.empty());
  const auto second = sample(kNetworkStart + base::kSecond / 2, text(1000));
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostNetworkReceived), 5000 / 0.5);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostNetworkSent), 2000 / 0.5);
  EXPECT_EQ(second.all.size(), 2U);
}

TEST_F(NetworkSourceTest, WhereThereIsButATapItCounts) {
  sample(kNetworkStart, line("lo", 1, 1) + line("tap0", 100, 10));
  const auto second =
      sample(kNetworkStart + base::kSecond, line("lo", 900, 900) + line("tap0", 300, 30));
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostNetworkReceived), 200);
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostNetworkSent), 20);
}

TEST_F(NetworkSourceTest, ALoopbackAloneIsAbsent) {
  sample(kNetworkStart, line("lo", 1, 1));
  EXPECT_TRUE(sample(kNetworkStart + base::kSecond, line("lo", 900, 900)).all.empty());
}

TEST_F(NetworkSourceTest, AnInterfaceThatComesDoesNotBringItsPast) {
  sample(kNetworkStart, line("eth0", 100, 100));
  const auto second = sample(kNetworkStart + base::kSecond,
                             line("eth0", 101, 100) + line("eth1", 9'000'000, 9'000'000));
  EXPECT_DOUBLE_EQ(second.value(Metric::kHostNetworkReceived), 1);
}

TEST_F(NetworkSourceTest, CutAndRandomTextNeverCrashes) {
  std::mt19937 random(3);
  const std::string whole = kHeading + line("eth0", 12345, 67890);
  for (int round = 0; round < 300; ++round) {
    std::string text = whole.substr(0, random() % whole.size());
    for (int i = 0; i < 4 && !text.empty(); ++i) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    host.write("/proc/net/dev", text);
    Samples out;
    EXPECT_TRUE(source.sample(kNetworkStart + round, out));
    for (const auto& one : out.all) EXPECT_GE(one.value, 0);
  }
}

TEST(InterfaceLine, AnAliasAndACutLine) {
  const auto alias = parse_interface_line("eth0:1: 5 1 2 3 4 5 6 7 8 9");
  ASSERT_TRUE(alias);
  EXPECT_EQ(alias->name, "eth0:1");
  EXPECT_EQ(alias->received_bytes, 5U);
  EXPECT_EQ(alias->sent_bytes, 8U);
  EXPECT_FALSE(parse_interface_line("eth0: 5 1 2 3 4 5 6 7 8"));
  EXPECT_FALSE(parse_interface_line(" face |bytes packets"));
  EXPECT_FALSE(parse_interface_line(""));
}

}  // namespace
}  // namespace flatout::collect
