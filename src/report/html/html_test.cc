#include "report/html/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "report/chips.h"
#include "report/examples.h"
#include "report/fixes.h"
#include "report/html/picture.h"
#include "report/html/well_formed.h"
#include "report/json.h"
#include "report/text.h"

namespace flatout::report {
namespace {

using testing::HasSubstr;

TEST(HtmlCheck, TellsWhatIsNoTag) {
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n<p><circle/></p><a href=\"#x\"></a>"), "");
  for (const char* const bad :
       {"<>", "<p class>", "<p class=x>", "<p class=\"x>", "<p  >", "<p class=\"a<b\">", "<p/ >"}) {
    EXPECT_NE(problem_in(std::string("<!DOCTYPE html>\n") + bad + "</p>"), "") << bad;
  }
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n<p>a</p></p>"), "stray </p>");
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n<p>a<b>"), "unknown element b");
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n<p>a"), "not closed: p");
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n<a href=\"x.html\"></a>"), "a link out of the page");
}

TEST(Html, EveryNumberOfTheJsonStandsInThePage) {
  for (const auto& [name, report] : example_reports()) {
    const auto shown = shown_numbers(to_html(report, charts_for(report)));
    const std::set<double> wanted = numbers_of(to_json(report));
    EXPECT_GT(wanted.size(), 4U);
    for (const double number : wanted)
      EXPECT_TRUE(shown.contains(number)) << name << ": " << number;
  }
}

TEST(Html, VerdictAndFixesAreInTheWordsOfTheText) {
  const run::Report report = example_reports()[0].report;
  const std::string page = to_html(report, charts_for(report));
  for (const char* const words :
       {"<h1>train.py</h1>", ">INPUT-BOUND</h2>",
        "the CPU waits for data 86 % of each step, because images", "Confidence: high",
        "Ruled out: disk, memory pressure, CPU limits", "<code>num_workers=8</code>",
        "<code>train.py:41</code>", "x7.2 [6.5, 7.3]", "same math, different random stream",
        "<h3>INPUT-BOUND (single_process_loading)</h3>",
        "<caption>Evidence for input_bound</caption>", "JPEG decode",
        "no copy to a device was seen"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
  EXPECT_THAT(to_text(report),
              HasSubstr("x7.2 [6.5, 7.3], same math, different\n         random stream"));
}

// What the page shows beside its verdict, and whether it has the section of changes.
void expect_chips(const run::Report& report, const run::Charts& charts) {
  const std::string page = to_html(report, charts);
  const std::size_t begin = page.find("<dl class=\"tiles\">");
  const std::vector<Chip> chips = chips_of(report);
  EXPECT_EQ(begin == std::string::npos, chips.empty());
  const std::string tiles =
      begin == std::string::npos ? "" : page.substr(begin, page.find("</dl>", begin) - begin);
  std::size_t shown = 0;
  for (std::size_t at = tiles.find("<dt>"); at != std::string::npos;
       at = tiles.find("<dt>", at + 1))
    ++shown;
  EXPECT_EQ(shown, chips.size()) << "a figure that has another source";
  for (const Chip& chip : chips) EXPECT_THAT(tiles, HasSubstr("<dt>" + chip.name + "</dt>"));
  EXPECT_EQ(page.find("id=\"changes\"") != std::string::npos, !fixes_of(report).empty());
  if (report.failure) {
    EXPECT_EQ(page.find("<dl class=\"advice\">"), std::string::npos);
  }
}

TEST(Html, ChipsAndChangesFollowTheVerdict) {
  for (const auto& [name, report] : example_reports()) {
    SCOPED_TRACE(name);
    expect_chips(report, charts_for(report));
  }
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    expect_chips(random_report(seed), run::Charts{});
  }
}

TEST(Html, AShareIsOfTheRunWhereItsFindingSaysSo) {
  run::Report report = example_reports()[0].report;
  report.findings[0].of_run = true;
  EXPECT_THAT(to_html(report, charts_for(report)), HasSubstr("</data> of the run; confidence"));
}

TEST(Html, IsWellFormedForEveryExample) {
  for (const auto& [name, report] : example_reports()) {
    EXPECT_EQ(problem_in(to_html(report, charts_for(report))), "") << name;
    EXPECT_EQ(problem_in(to_html(report, run::Charts{})), "") << name << " without charts";
  }
  EXPECT_EQ(problem_in(to_html(gpu_report(), gpu_charts())), "");
  EXPECT_EQ(problem_in(to_html(run::Report{}, run::Charts{})), "");
}

TEST(Html, HostileTextStaysText) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    run::Report report = random_report(seed);
    const run::Charts charts = random_charts(seed, seed % 50 == 0);
    const std::string bad = charts.processes[0].proc.command;
    report.run.name = report.run.cwd = report.verdict.summary = bad;
    report.run.command = {"python", bad, "--x=" + bad};
    report.notes.push_back(bad);
    if (!report.devices.empty()) report.devices[0].name = bad;
    const std::string page = to_html(report, charts);
    ASSERT_EQ(problem_in(page), "") << "seed " << seed;
    for (const char* const number : {"\"nan", "nan%", "\"inf", "inf%"}) {
      EXPECT_EQ(page.find(number), std::string::npos) << seed << number;
    }
  }
}

TEST(Html, NeedsNothingFromOutside) {
  for (const auto& [name, report] : example_reports()) {
    const std::string page = to_html(report, charts_for(report));
    for (const char* const bad :
         {"http:", "https:", "src=", "@import", "<link", "fetch(", "<img"}) {
      EXPECT_EQ(page.find(bad), std::string::npos) << name << ": " << bad;
    }
    static const std::regex kOutside("url\\((?!#)");
    EXPECT_FALSE(std::regex_search(page, kOutside)) << name;
    EXPECT_THAT(page, HasSubstr("default-src &#39;none&#39;"));
  }
}

TEST(Html, StaysBelowHalfAMegabyteForTheLargestCharts) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const run::Charts charts = random_charts(seed, true);
    std::size_t points = 0;
    for (const auto& chart : charts.series) points += chart.points.size();
    ASSERT_GE(points, 8'000U);
    EXPECT_LT(to_html(gpu_report(), charts).size(), 500'000U);
  }
}

TEST(Html, PicturesAreNamedForThoseWhoDoNotSeeThem) {
  const std::string page = to_html(gpu_report(), gpu_charts());
  static const std::regex kPlot("<svg class=\"plot[^>]*aria-labelledby=\"(c\\d+t) (c\\d+d)\"");
  int plots = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), kPlot), last; it != last; ++it) {
    ++plots;
    EXPECT_THAT(page, HasSubstr("<title id=\"" + (*it)[1].str() + "\">"));
    EXPECT_THAT(page, HasSubstr("<desc id=\"" + (*it)[2].str() + "\">"));
  }
  EXPECT_GE(plots, 8);
  EXPECT_THAT(page, HasSubstr("One period of the sawtooth: 674 ms, busy 13 % of it"));
}

}  // namespace
}  // namespace flatout::report
