// Golden pages: what a view looks like, read by people and kept as text under golden/, a file a
// page with all its widths, without and with colour. A change there is a change of the product's
// face.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>

#include "base/file.h"
#include "report/style.h"

namespace flatout::report {

// Colours so that people can read them: "{1;31}INPUT-BOUND:{0}".
inline std::string readable_colours(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = text.compare(at, 2, "\x1b[") == 0;
    const std::size_t end = begins ? text.find('m', at) : std::string::npos;
    if (end == std::string::npos) {
      out += text[at];
      continue;
    }
    out += "{" + text.substr(at + 2, end - at - 2) + "}";
    at = end;
  }
  return out;
}

// Every width, with and without colour, one below the other. With FLATOUT_WRITE_GOLDEN=1 the file
// is written instead, and the test fails, so that nobody takes that for a comparison.
inline void expect_golden(const std::string& name,
                          const std::function<std::string(const Style&)>& view) {
  std::string all;
  for (const std::size_t columns : {60U, 80U, 160U}) {
    for (const bool colour : {false, true}) {
      const std::string text = view({.columns = columns, .colour = colour});
      all += "==== " + std::to_string(columns) + " columns" + (colour ? ", colour" : "") + "\n";
      all += readable_colours(text);
      if (!all.ends_with('\n')) all += '\n';
    }
  }
  const std::string file = FLATOUT_SOURCE_DIR "/src/report/golden/" + name + ".txt";
  if (std::getenv("FLATOUT_WRITE_GOLDEN") != nullptr) {
    ASSERT_TRUE(base::write_file_atomic(file, all));
    FAIL() << "wrote " << file;
  }
  const auto expected = base::read_file(file);
  ASSERT_TRUE(expected) << expected.error().message;
  EXPECT_EQ(all, *expected) << name;
}

}  // namespace flatout::report
