// The limits of the page hold for any report at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/examples.h"
#include "report/json.h"
#include "report/text.h"

namespace flatout::report {
namespace {

void expect_page(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  std::size_t lines = 0;
  while (std::getline(stream, line)) {
    ++lines;
    EXPECT_LE(line.size(), kTextColumns) << line;
    for (const char c : line) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << static_cast<int>(c);
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_LE(lines, kTextLines);
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
    expect_page(to_text(random_report(seed)));
    if (HasFailure()) break;
  }
}

TEST(TextProperty, EveryExampleFitsThePage) {
  for (const auto& [name, report] : example_reports()) {
    SCOPED_TRACE(name);
    expect_page(to_text(report));
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
