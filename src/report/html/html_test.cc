#include "report/html/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>

#include "report/chips.h"
#include "report/examples.h"
#include "report/fixes.h"
#include "report/html/picture.h"
#include "report/json.h"
#include "report/text.h"

namespace flatout::report {
namespace {

using testing::HasSubstr;

const std::set<std::string> kElements = {
    "html",  "head",    "meta",    "title",  "style",      "body",    "header",  "nav",
    "main",  "section", "article", "h1",     "h2",         "h3",      "h4",      "p",
    "a",     "ul",      "li",      "dl",     "div",        "dt",      "dd",      "data",
    "small", "code",    "span",    "button", "table",      "caption", "thead",   "tbody",
    "tr",    "th",      "td",      "figure", "figcaption", "details", "summary", "script",
    "svg",   "defs",    "pattern", "desc",   "rect",       "line",    "path",    "text"};
// None of them runs anything or fetches anything; href is looked at by itself.
const std::set<std::string> kAttributes = {"lang",
                                           "charset",
                                           "http-equiv",
                                           "content",
                                           "name",
                                           "id",
                                           "class",
                                           "type",
                                           "hidden",
                                           "href",
                                           "role",
                                           "tabindex",
                                           "value",
                                           "scope",
                                           "width",
                                           "height",
                                           "viewBox",
                                           "preserveAspectRatio",
                                           "x",
                                           "y",
                                           "dx",
                                           "x1",
                                           "x2",
                                           "y1",
                                           "y2",
                                           "d",
                                           "visibility",
                                           "text-anchor",
                                           "patternUnits",
                                           "aria-label",
                                           "aria-labelledby",
                                           "aria-hidden",
                                           "aria-live",
                                           "data-x",
                                           "data-y",
                                           "data-h",
                                           "data-name"};

// One tag, taken apart by hand: std::regex recurses once a character, and a path
// of an SVG is longer than a sanitizer's stack.
struct Tag {
  bool closes = false;
  bool empty = false;  // <x/>
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
};

std::string word_at(const std::string& text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-')) {
    ++at;
  }
  return text.substr(begin, at - begin);
}

// `text` is all from '<' to '>'. Empty when that is no tag.
std::optional<Tag> tag_of(const std::string& text) {
  Tag tag;
  std::size_t at = 1;
  if (text[at] == '/') tag.closes = true, ++at;
  tag.name = word_at(text, at);
  while (at < text.size() && text[at] == ' ') {
    ++at;
    const std::string key = word_at(text, at);
    if (key.empty() || text.compare(at, 2, "=\"") != 0) return std::nullopt;
    const std::size_t begin = at + 2;
    const std::size_t end = text.find('"', begin);
    if (end == std::string::npos) return std::nullopt;
    tag.attributes.emplace_back(key, text.substr(begin, end - begin));
    if (tag.attributes.back().second.contains('<')) return std::nullopt;
    at = end + 1;
  }
  if (text[at] == '/') tag.empty = true, ++at;
  if (tag.name.empty() || at + 1 != text.size()) return std::nullopt;
  return tag;
}

std::string problem_in(const Tag& tag) {
  if (!kElements.contains(tag.name)) return "unknown element " + tag.name;
  for (const auto& [key, value] : tag.attributes) {
    if (!kAttributes.contains(key)) return "unknown attribute " + key;
    if (key == "href" && !value.starts_with('#')) return "a link out of the page";
  }
  return "";
}

// Strict: every tag that opens closes, names are known, text holds no '<'.
// Style and script, which are ours, are skipped. "" = well-formed.
std::string problem_in(const std::string& page) {
  const std::string doctype = "<!DOCTYPE html>\n";
  if (!page.starts_with(doctype)) return "no doctype";
  std::vector<std::string> open;
  for (std::size_t at = doctype.size(); at < page.size();) {
    if (page[at] != '<') {
      const unsigned char c = static_cast<unsigned char>(page[at]);
      if (c < 0x20 && c != '\n' && c != '\t') return "a control character";
      ++at;
      continue;
    }
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag that does not end";
    const std::string text = page.substr(at, end + 1 - at);
    const auto tag = tag_of(text);
    if (!tag) return "not a tag: " + text.substr(0, 80);
    if (const std::string problem = problem_in(*tag); !problem.empty()) return problem;
    at = end + 1;
    if (tag->closes) {
      if (open.empty() || open.back() != tag->name) return "stray </" + tag->name + ">";
      open.pop_back();
    } else if (!tag->empty) {
      open.push_back(tag->name);
      if (tag->name == "style" || tag->name == "script") at = page.find("</" + tag->name + ">", at);
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

TEST(HtmlCheck, TellsWhatIsNoTag) {
  EXPECT_TRUE(tag_of("<p>") && tag_of("</p>") && tag_of("<br/>") && tag_of("<a href=\"#x\">"));
  for (const char* const bad :
       {"<>", "<p class>", "<p class=x>", "<p class=\"x>", "<p  >", "<p class=\"a<b\">", "<p/ >"}) {
    EXPECT_FALSE(tag_of(bad)) << bad;
  }
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n<p>a</p></p>"), "stray </p>");
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n<p>a<b>"), "unknown element b");
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n<p>a"), "not closed: p");
}

std::set<double> shown_numbers(const std::string& page) {
  static const std::regex kData(R"rx(<data value="([^"]*)">)rx");
  std::set<double> out;
  for (std::sregex_iterator it(page.begin(), page.end(), kData), last; it != last; ++it) {
    out.insert(std::strtod((*it)[1].str().c_str(), nullptr));
  }
  return out;
}

void numbers_of(const nlohmann::json& value, std::set<double>& out) {
  if (value.is_number()) out.insert(value.get<double>());
  for (const auto& item : value) {
    if (value.is_structured()) numbers_of(item, out);
  }
}

TEST(Html, EveryNumberOfTheJsonStandsInThePage) {
  for (const auto& [name, report] : example_reports()) {
    const auto shown = shown_numbers(to_html(report, charts_for(report)));
    std::set<double> wanted;
    numbers_of(nlohmann::json::parse(to_json(report)), wanted);
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
