// The HTML views: one file each that needs nothing else. No network reference,
// no font, no library; a Content-Security-Policy that allows only the style and
// script inside. All text of runs is escaped. Pure; any thread; never throws.
//
// UTF-8, well-formed as XML too. The words are those of the text views; every
// number of the JSON view stands in the page as a <data> element with the same
// digits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "run/charts.h"
#include "run/comparison.h"
#include "run/report.h"
#include "run/search.h"
#include "run/tune.h"

namespace flatout::report {

// Below 500 kB for Charts of the default sizes.
std::string to_html(const run::Report& report, const run::Charts& charts);

// `charts`: of the baseline, then of each other run; those that are missing are not drawn.
std::string to_html(const run::Comparison& comparison, std::span<const run::Charts> charts);

// What a tune or a search was of, and what it left behind.
struct PageContext {
  std::string version = {};               // of flatout
  std::vector<std::string> command = {};  // as it may be stored: without secrets
  std::string best = {};                  // of a search: the best point's command line, likewise:
                                          // CMD stands for what was typed where it is not kept
  std::string plan_file = {};             // "" = none was written
  // Of a tune: step times before and after, from its first and its last runs; may be empty.
  run::StepHistogram before = {}, after = {};
};
std::string to_html(const run::TuneReport& tuned, const PageContext& context);
std::string to_html(const run::SearchReport& search, const PageContext& context);

}  // namespace flatout::report
