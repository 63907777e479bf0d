// Both views of a Description.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/golden_test.h"
#include "report/show.h"

namespace flatout::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

run::Description described_example() {
  run::Description out;
  out.run.id = "k7f2";
  out.run.name = "base";
  out.run.command = {"python", "train.py"};
  out.run.cwd = "/home/a";
  out.run.host = "node1";
  out.run.cpus = 12;
  out.run.started_wall_ns = 1'763'690'570'123'000'000;
  out.state = run::RunState::kFailed;
  out.end = run::RunEnd{.t_ns = 0, .exit_code = 3, .signal = 0, .survivors = {}};
  out.duration_s = 12;
  out.steps = 312;
  out.config = {
      {"command", R"(["python"])"}, {"loader.workers", "8"}, {"optimizer.class", "\"SGD\""}};
  out.places = {{"loader.built_at", "\"/home/a/train.py:41\""}};
  out.environment = {{"versions.torch", "\"2.13.0\""}};
  out.series = {
      {run::Metric::kHostMemoryAvailable, run::kHostSource, 100, 0.1, 10, 1e9, 2e9, 1.5e9},
      {run::Metric::kProcessMemoryRss, 12, 50, 0.1, 10, 1e6, 2e6, 1.5e6},
      {run::Metric::kProcessMemoryRss, 13, 50, 0.1, 10, 3e6, 4e6, 3.5e6},
      {run::Metric::kDevicePower, run::device_source(0), 9, 0, 1, {}, {}, {}}};
  out.files = {{"log.flo", 1000}, {"meta.json", 34}};
  out.folder = "/home/a/runs/k7f2";
  out.tags = {"baseline"};
  out.note = "first on the new node";
  return out;
}

TEST(ShowText, HasIdentitySettingsAndSeries) {
  const std::string text = to_text(described_example());
  EXPECT_THAT(text, HasSubstr("flatout run k7f2 (base)\n"));
  EXPECT_THAT(text, HasSubstr("failed, exit code 3, after 12 s"));
  EXPECT_THAT(text, HasSubstr("2025-11-21T02:02:50.123Z"));
  EXPECT_THAT(text, HasSubstr("baseline"));
  EXPECT_THAT(text, HasSubstr("first on the new node"));
  EXPECT_THAT(text, HasSubstr("workers 8; at /home/a/train.py:41"));
  EXPECT_THAT(text, HasSubstr("class SGD"));
  EXPECT_THAT(text, HasSubstr("torch 2.13.0"));
  EXPECT_THAT(text, HasSubstr("1 kB in /home/a/runs/k7f2"));
  EXPECT_THAT(text, HasSubstr("2 processes        100  1 MB .. 4 MB")) << "processes are one line";
  EXPECT_THAT(text, HasSubstr("GPU 0"));
  EXPECT_THAT(text, Not(HasSubstr("Hooks")));
}

TEST(ShowText, ReadsAsItsGoldenPage) {
  expect_golden("show", [](const Style& style) { return to_text(described_example(), style); });
}

TEST(ShowText, WithoutAnythingIsShort) {
  run::Description nothing;
  nothing.run.id = "k7f2";
  nothing.run.hooks_off = "--no-hooks";
  const std::string text = to_text(nothing);
  EXPECT_THAT(text, HasSubstr("running, for 0 s so far"));
  EXPECT_THAT(text, HasSubstr("off: --no-hooks"));
  EXPECT_THAT(text, Not(HasSubstr("Series")));
  EXPECT_THAT(text, HasSubstr("not known"));
}

TEST(ShowText, HostileTextsStayInTheirPlace) {
  run::Description out = described_example();
  out.run.name = "a\x1b[31m\nb" + std::string(300, 'x');
  out.run.command = {std::string(500, 'c'), "\n\r\x07"};
  out.note = std::string(20'000, 'n');
  out.config["loader." + std::string(200, 'k')] = "\"\x1b]0;t\x07\"";
  out.tags = {"\xf0\x9f\x98\x80"};
  std::istringstream lines(to_text(out));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U);
    for (const char c : line) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  }
}

TEST(ShowJson, HasAllOfIt) {
  const Json json = Json::parse(to_json(described_example()));
  EXPECT_EQ(json["schema"], "flatout.show/1");
  EXPECT_EQ(json["run"]["exit_code"], 3);
  EXPECT_EQ(json["config"]["loader.workers"], 8);
  EXPECT_EQ(json["config"]["optimizer.class"], "SGD");
  EXPECT_EQ(json["environment"]["versions.torch"], "2.13.0");
  EXPECT_EQ(json["series"][1]["source"], "pid 12");
  EXPECT_EQ(json["series"][0]["metric"], "host.memory.available");
  EXPECT_FALSE(json["series"][3].contains("min")) << "no finite reading, no range";
  EXPECT_EQ(json["storage"]["bytes"], 1034);
  EXPECT_EQ(json["tags"], Json({"baseline"}));
  EXPECT_FALSE(json["run"].contains("signal"));
}

TEST(ShowJson, BytesThatAreNoTextDoNotBreakIt) {
  run::Description out = described_example();
  out.note = "\xff\xfe";
  out.config["loader.dataset"] = "{broken";
  EXPECT_EQ(Json::parse(to_json(out))["config"]["loader.dataset"], "{broken");
}

}  // namespace
}  // namespace flatout::report
