#include "report/trace_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace flatout::report {
namespace {

using Json = nlohmann::json;

// The text of a file in which `write` writes events.
template <typename Write>
std::string trace_text(const Write& write, const run::Timeline& timeline = {}) {
  std::string text;
  TraceJson out([&](std::string_view piece) {
    text += piece;
    return base::Result<void>{};
  });
  out.begin(timeline);
  write(out);
  EXPECT_TRUE(out.finish());
  return text;
}

run::Timeline trace_timeline() {
  run::Timeline timeline;
  timeline.info.trace_file = "a.json";
  return timeline;
}

std::string name_as_written(std::string_view name) {
  const auto text = trace_text([&](TraceJson& out) { out.span({1, 2}, "c", name, 0, 1); });
  const std::size_t at = text.find("\"name\":\"", text.find("traceEvents")) + 8;
  return text.substr(at, text.find("\",\"ts\"") - at);
}

TEST(TraceJson, EscapesWhatJsonAndTerminalsCannotHold) {
  EXPECT_EQ(name_as_written("aten::add <a, \"b\">"), "aten::add <a, \\\"b\\\">");
  EXPECT_EQ(name_as_written("a\\b\n\t"), "a\\\\b\\u000a\\u0009");
  EXPECT_EQ(name_as_written(std::string_view("\0\x1b[0m", 5)), "\\u0000\\u001b[0m");
  EXPECT_EQ(name_as_written("\x7f\xc2\x9b"), "\\u007f\\u009b");
  EXPECT_EQ(name_as_written("\xc3\xa4\xe2\x82\xac\xf0\x9f\x9a\x80"),
            "\xc3\xa4\xe2\x82\xac\xf0\x9f\x9a\x80");
  // Cut short, alone, too long, a surrogate.
  EXPECT_EQ(name_as_written("a\xc3"), "a\xef\xbf\xbd");
  EXPECT_EQ(name_as_written("\x80z"), "\xef\xbf\xbdz");
  EXPECT_EQ(name_as_written("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(name_as_written("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(TraceJson, TimesAreExactMicroseconds) {
  const auto text = trace_text(
      [](TraceJson& out) {
        out.span({1, 2}, "c", "n", 1'763'690'570'123'456'789, 1'763'690'570'123'456'794);
        out.span({1, 2}, "c", "n", -1, 1001);
        out.span({1, 2}, "c", "n", 7, 3);
        out.span({1, 2}, "c", "n", std::numeric_limits<std::int64_t>::min(),
                 std::numeric_limits<std::int64_t>::max());
      },
      trace_timeline());
  for (const char* part : {R"("ts":1763690570123456.789,"dur":0.005})",
                           R"("ts":-0.001,"dur":1.002})", R"("ts":0.007,"dur":0.000})",
                           R"("ts":-9223372036854775.808,"dur":9223372036854775.807})"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(TraceJson, TimesOfARunAreFromItsStart) {
  run::Timeline timeline;
  timeline.info.started_ns = 5'000'000;
  timeline.info.started_wall_ns = 1'763'690'570'000'000'000;
  const Json read = Json::parse(trace_text(
      [](TraceJson& out) { out.span({1, 2}, "c", "n", 5'001'000, 5'003'000); }, timeline));
  EXPECT_EQ(read["baseTimeNanoseconds"], 1'763'690'570'000'000'000);
  EXPECT_EQ(read["traceEvents"][0]["ts"], 1.0);
  EXPECT_FALSE(Json::parse(trace_text([](TraceJson&) {})).contains("baseTimeNanoseconds"));
}

TEST(TraceJson, NamesDevicesAsTheProfilerDoes) {
  run::Timeline timeline = trace_timeline();
  timeline.processes[1].proc.role = run::ProcRole::kMain;
  timeline.processes[1].proc.rank = 3;
  timeline.devices[0].name = "NVIDIA \"H100\"";
  timeline.devices[0].capability = "9.0";
  timeline.devices[0].memory_total_bytes = 80;
  timeline.devices[5].capability = "gfx942";
  const Json read = Json::parse(trace_text([](TraceJson&) {}, timeline));
  EXPECT_EQ(read["distributedInfo"]["rank"], 3);
  const Json first = {{"id", 0},
                      {"name", "NVIDIA \"H100\""},
                      {"totalGlobalMem", 80},
                      {"computeMajor", 9},
                      {"computeMinor", 0}};
  EXPECT_EQ(read["deviceProperties"], Json::array({first, {{"id", 5}, {"name", ""}}}));
  EXPECT_EQ(read["traceEvents"], Json::array());
}

TEST(TraceJson, WritesEachKindOfEvent) {
  const Json events = Json::parse(trace_text([](TraceJson& out) {
    out.name_process(7, "p", 4);
    out.name_lane({7, 8}, "l", 5);
    out.span({7, 8}, "kernel", "k", 1000, 3000)
        .arg("device", std::uint16_t{1})
        .arg("correlation", std::numeric_limits<std::uint64_t>::max())
        .arg("warm_up", true)
        .arg("cause", "sync")
        .ms_arg("own_ms", 1'500'000)
        .real_arg("nothing", std::nan(""));
    out.arrow(11, {7, 8}, 1000, {9, 10}, 2000);
    out.reading(7, "cpu", "cores", 4000, 0.25);
    out.reading(7, "cpu", "cores", 5000, std::numeric_limits<double>::infinity());
  }))["traceEvents"];
  ASSERT_EQ(events.size(), 8U);
  EXPECT_EQ(events[0]["args"]["name"], "p");
  EXPECT_EQ(events[3]["name"], "thread_sort_index");
  EXPECT_EQ(events[3]["args"]["sort_index"], 5);
  const Json args = {{"device", 1},     {"correlation", std::numeric_limits<std::uint64_t>::max()},
                     {"warm_up", true}, {"cause", "sync"},
                     {"own_ms", 1.5},   {"nothing", nullptr}};
  EXPECT_EQ(events[4]["args"], args);
  EXPECT_EQ(events[4]["dur"], 2.0);
  EXPECT_EQ(events[5]["ph"], "s");
  EXPECT_EQ(events[6]["ph"], "f");
  EXPECT_EQ(events[6]["bp"], "e");
  EXPECT_EQ(events[5]["id"], events[6]["id"]);
  EXPECT_EQ(events[7]["args"], (Json{{"cores", 0.25}}));
}

TEST(TraceJson, HandsOnPiecesAndStopsAtTheFirstError) {
  std::vector<std::size_t> pieces;
  TraceJson out([&](std::string_view piece) -> base::Result<void> {
    pieces.push_back(piece.size());
    if (pieces.size() == 2) return base::fail(base::ErrorCode::kIo, "no room");
    return {};
  });
  out.begin({});
  for (int i = 0; i < 100'000; ++i) out.span({1, 2}, "c", "a name that takes some room", i, i + 1);
  EXPECT_TRUE(out.failed());
  const auto done = out.finish();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "no room");
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_LT(pieces[0], (1U << 20) + 4096);
}

}  // namespace
}  // namespace flatout::report
