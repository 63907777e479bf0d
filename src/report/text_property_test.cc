// The limits of the page hold for any report at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/examples.h"
#include "report/fixes.h"
#include "report/json.h"
#include "report/text.h"

namespace flatout::report {
namespace {

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// What is never left out, by itself.
std::size_t least_lines(run::Report report, const Style& style) {
  report.devices.clear();
  if (report.loader) report.model.emplace();  // or tune would not be named
  report.loader.reset();
  run::HostReport host;
  host.cpus = report.host.cpus;  // in the header
  report.host = host;
  std::vector<run::Finding> first;
  for (const Fix& fix : fixes_of(report)) {
    if (!first.empty() || !speaks(*fix.finding)) break;
    first.push_back(*fix.finding);
    first.back().advice = {*fix.advice};
    first.back().id = report.verdict.finding;  // or it would be named again
  }
  report.findings = first;
  report.notes.clear();
  report.knobs.clear();
  report.verdict.ruled_out.clear();
  if (report.steps) report.steps->phases.clear();
  if (report.steps) report.steps->phases_unavailable.clear();
  return lines_of(to_text(report, style));
}

void expect_page(const run::Report& report, const Style& style) {
  const std::string text = to_text(report, style);
  std::istringstream stream(text);
  std::string line;
  while (std::getline(stream, line)) {
    // The line of a program that failed is one word, which is not divided.
    if (line.contains(' ')) {
      EXPECT_LE(line.size(), style.columns) << line;
    }
    for (const char c : line) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << static_cast<int>(c);
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  const std::size_t most = (kTextLines * std::max(style.columns, kTextColumns)) / style.columns + 1;
  if (style.columns == kTextColumns) {
    EXPECT_LE(lines_of(text), std::max(kTextLines, least_lines(report, style))) << text;
  }
  EXPECT_LE(lines_of(text), std::max(most, least_lines(report, style))) << text;
  EXPECT_TRUE(text.ends_with('\n'));
  EXPECT_TRUE(text.starts_with("flatout run "));
  EXPECT_NE(text.find("\nFull report: flatout report "), std::string::npos) << text;
}

bool has_null(const nlohmann::json& value) {
  if (value.is_null()) return true;
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), has_null);
}

TEST(TextProperty, AnyReportFitsThePage) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const run::Report report = random_report(seed);
    expect_page(report, {});
    expect_page(report, {.columns = std::array{40U, 60U, 160U}[seed % 3]});
    if (HasFailure()) break;
  }
}

TEST(TextProperty, EveryExampleFitsThePage) {
  for (const auto& [name, report] : example_reports()) {
    SCOPED_TRACE(name);
    for (const std::size_t columns : {40U, 60U, 80U, 160U}) {
      expect_page(report, {.columns = columns});
    }
  }
}

std::string without_colours(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = text.find('m', at);
    } else {
      out += text[at];
    }
  }
  return out;
}

TEST(TextProperty, ColoursChangeNothingElse) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const run::Report report = random_report(seed);
    for (const std::size_t columns : {40U, 80U}) {
      const std::string coloured = to_text(report, {.columns = columns, .colour = true});
      ASSERT_EQ(without_colours(coloured), to_text(report, {.columns = columns}));
      ASSERT_NE(coloured.find('\x1b'), std::string::npos);
    }
  }
}

// A line that goes on in the next would take its colour along.
TEST(TextProperty, EveryColourEndsInItsLine) {
  std::istringstream stream(to_text(random_report(7), {.columns = 40, .colour = true}));
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t last = line.rfind('\x1b');
    EXPECT_TRUE(last == std::string::npos || line.compare(last, 4, "\x1b[0m") == 0) << line;
  }
}

TEST(TextProperty, UnicodeStaysValidAndInItsColumns) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    run::Report report = random_report(seed);
    report.verdict.summary += " caf\xc3\xa9 \xe5\x9b\xbe\xe5\x9b\xbe";
    std::istringstream stream(to_text(report, {.columns = 40, .unicode = true}));
    std::string line;
    while (std::getline(stream, line)) {
      if (line.contains(' ')) {
        EXPECT_LE(width_of(line), 40U) << line;
      }
      EXPECT_EQ(cleaned(line, {.unicode = true}), line);
    }
  }
}

TEST(JsonProperty, AnyReportIsJsonWithoutNullOrNan) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const auto parsed = nlohmann::json::parse(to_json(random_report(seed)), nullptr, false);
    ASSERT_FALSE(parsed.is_discarded());
    EXPECT_FALSE(has_null(parsed)) << parsed.dump(1);
  }
}

}  // namespace
}  // namespace flatout::report
