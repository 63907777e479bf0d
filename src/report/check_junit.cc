#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/check_view.h"
#include "report/check_words.h"
#include "report/timestamp.h"

namespace flatout::report {
namespace {

// For an attribute in quotes or for text. XML 1.0 has no controls, not even as references, and
// neither U+FFFE nor U+FFFF.
std::string xml(std::string_view text) {
  std::string plain = cleaned(text, {.unicode = true});
  for (const std::string_view none : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"}) {
    for (std::size_t at = 0; (at = plain.find(none, at)) != std::string::npos;) {
      plain.replace(at, none.size(), "?");
    }
  }
  std::string out;
  for (const char c : plain) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&apos;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml(value) + "\"";
}

std::string sentence(const run::CheckLine& line) {
  std::string out = found_text(line);
  const std::string allowed = allowed_text(line);
  if (!allowed.empty()) out += (out.empty() ? "" : "; ") + allowed;
  if (!line.text.empty()) out += (out.empty() ? "" : ": ") + line.text;
  return out;
}

std::string testcase(const run::CheckLine& line) {
  const std::size_t dot = line.id.find('.');
  std::string out = "    <testcase" + attribute("classname", "flatout." + line.id.substr(0, dot)) +
                    attribute("name", line_name(line)) + " time=\"0\">\n";
  const std::string said = sentence(line);
  if (line.failed) {
    out += "      <failure" + attribute("message", said) +
           attribute("type", outcome_name(line.outcome)) + ">" + xml(said) + "</failure>\n";
  } else if (line.outcome == run::CheckOutcome::kNotMeasured) {
    out += "      <skipped" + attribute("message", said) + "/>\n";
  } else {
    out += "      <system-out>" + xml(said) + "</system-out>\n";
  }
  return out + "    </testcase>\n";
}

// "tests="9" failures="2" ...", of the suite and of all suites.
std::string counts(const run::CheckReport& report) {
  const auto failures = std::ranges::count_if(report.lines, &run::CheckLine::failed);
  return attribute("tests", std::to_string(report.lines.size())) +
         attribute("failures", std::to_string(failures)) + attribute("errors", "0");
}

}  // namespace

std::string check_junit(const run::CheckReport& report) {
  const auto skipped = std::ranges::count_if(report.lines, [](const run::CheckLine& line) {
    return !line.failed && line.outcome == run::CheckOutcome::kNotMeasured;
  });
  // As JUnit has it: without fraction and zone.
  const std::string stamp =
      rfc3339(report.run.started_wall_ns).value_or("1970-01-01T00:00:00").substr(0, 19);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    attribute("name", "flatout check") + counts(report) + " time=\"0\">\n";
  out += "  <testsuite" + attribute("name", "flatout check " + checked_run(report.run)) +
         counts(report) + attribute("skipped", std::to_string(skipped)) + " time=\"0\"" +
         attribute("timestamp", stamp) + attribute("hostname", report.run.host) + ">\n";
  for (const run::CheckLine& line : report.lines) out += testcase(line);
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace flatout::report
