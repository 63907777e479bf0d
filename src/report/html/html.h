// The HTML view of a Report: one file that needs nothing else. No network
// reference, no font, no library; a Content-Security-Policy that allows only
// the style and script inside. All text of the run is escaped. Pure; any
// thread; never throws.
#pragma once

#include <string>

#include "run/charts.h"
#include "run/report.h"

namespace flatout::report {

// UTF-8, well-formed as XML too. The verdict and the fixes are in the words of
// the text view; every number of the JSON view stands in the page as a <data>
// element with the same digits. Below 500 kB for Charts of the default sizes.
std::string to_html(const run::Report& report, const run::Charts& charts);

}  // namespace flatout::report
