#include "cli/pack_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <variant>

namespace flatout::cli {
namespace {

TEST(PackBar, SaysHowFarAndHowLong) {
  EXPECT_EQ(pack_bar(0, 90, 0, 0), "[                        ] 0 of 90");
  EXPECT_EQ(pack_bar(30, 90, 1, 2 * base::kSecond),
            "[########                ] 30 of 90, 15/s, 0:04 left, 1 bad");
  EXPECT_EQ(pack_bar(90, 90, 0, base::kSecond), "[########################] 90 of 90, 90/s");
  EXPECT_EQ(pack_bar(1000, 1'281'167, 0, base::kSecond / 10),
            "[                        ] 1000 of 1281167, 10000/s, 2:08 left");
  EXPECT_NE(pack_bar(1, 7200, 0, base::kSecond).find("1:59 h left"), std::string::npos);
  EXPECT_EQ(pack_bar(0, 0, 0, 0), "[########################] 0 of 0");
}

TEST(PackText, TellsWhatWasDone) {
  EXPECT_EQ(pack_text({.samples = 1, .shards = 1, .bytes = 1'240'000}, "to/"),
            "to/: 1 sample in 1 shard, 1.2 MB\n");
  EXPECT_EQ(pack_text({.samples = 9, .left_out = 2, .shards = 3, .kept_shards = 2}, "to"),
            "to: 9 samples in 3 shards, 0 B; 2 shards of an earlier run kept; 2 bad samples left "
            "out\n");
}

TEST(PackReport, IsReadWithTheReasons) {
  const auto done = read_pack_report(
      R"({"samples":5,"left_out":1,"shards":1,"kept_shards":0,"bytes":7,"named":[{"index":3,"why":"x"}]})");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->samples, 5);
  EXPECT_EQ(done->why, std::vector<std::string>{"x"});
  EXPECT_FALSE(read_pack_report("{}"));
  EXPECT_FALSE(read_pack_report("no json"));
}

TEST(PackSpec, OfFoldersAndTarFiles) {
  namespace fs = std::filesystem;
  std::string pattern = testing::TempDir() + "flatout_pack.XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const fs::path root = pattern;
  fs::create_directories(root / "classes" / "a");
  fs::create_directories(root / "tars");
  std::ofstream(root / "tars" / "1.tar") << "x";
  std::ofstream(root / "tars" / "0.tar") << "x";
  std::ofstream(root / "tars" / "2.tar.gz") << "x";
  const auto spec = [&](std::vector<std::string> from) {
    for (std::string& one : from) one = (root / one).string();
    const auto text = pack_spec({.from = std::move(from), .to = "to", .shard_mb = 2});
    return text ? nlohmann::json::parse(*text) : nlohmann::json();
  };
  EXPECT_EQ(spec({"classes"})["images"], (root / "classes").string());
  EXPECT_EQ(spec({"classes"})["shard_bytes"], 2 << 20);
  EXPECT_EQ(
      spec({"tars"})["shards"],
      (std::vector<std::string>{(root / "tars/0.tar").string(), (root / "tars/1.tar").string(),
                                (root / "tars/2.tar.gz").string()}));
  EXPECT_EQ(spec({"tars/1.tar", "tars/0.tar"})["shards"].size(), 2U);
  EXPECT_TRUE(spec({"classes", "tars/0.tar"}).is_null());
  fs::remove_all(root);
}

TEST(PackCommand, TakesSourcesAndThenTheFolder) {
  const auto parsed = parse_command_line(
      {"pack", "a.tar", "b.tar", "to", "--kind", "raw", "--size", "128", "--shard-mb", "64"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto& options = std::get<PackVerbOptions>(*parsed);
  EXPECT_EQ(options.from, (std::vector<std::string>{"a.tar", "b.tar"}));
  EXPECT_EQ(options.to, "to");
  EXPECT_EQ(options.kind, "raw");
  EXPECT_EQ(options.size, 128);
  EXPECT_EQ(options.shard_mb, 64);
  const auto unpacks =
      parse_command_line({"pack", "a.tar.gz", "to", "--unpack", "/ssd", "--unpack-mb", "9"});
  ASSERT_TRUE(unpacks) << unpacks.error().message;
  EXPECT_NE(pack_spec(std::get<PackVerbOptions>(*unpacks))
                ->find(R"("unpack":{"folder":"/ssd","disk_mb":9})"),
            std::string::npos);
  EXPECT_FALSE(parse_command_line({"pack", "a.tar.gz", "to", "--unpack", "/ssd"}));
  EXPECT_FALSE(parse_command_line({"pack", "only"}));
  EXPECT_FALSE(parse_command_line({"pack", "a", "b", "--kind", "png"}));
  EXPECT_FALSE(parse_command_line({"pack", "a", "b", "--quality", "101"}));
}

}  // namespace
}  // namespace flatout::cli
