// The text view of a Report: what a user reads when a program has ended. Pure;
// any thread; never throws.
#pragma once

#include <cstddef>
#include <string>

#include "report/style.h"
#include "run/report.h"

namespace flatout::report {

constexpr std::size_t kTextColumns = Style().columns;
constexpr std::size_t kTextLines = 25;

// Lines as `style` has them, each ending in a newline; at most kTextLines of them, more where the
// page is narrower than kTextColumns. When there is more to say than fits, parts are said shorter,
// and then the least important are left out; the JSON view has everything. No sentence is cut: what
// is never left out (header, verdict, state, steps, first fix, what to type next) may make the page
// longer. Paths below the run's working directory are shown relative to it. `stored`: the run can
// be read again, so that the page may name commands that do. `home`: where they find it by --home;
// "" = where they look by themselves.
std::string to_text(const run::Report& report, const Style& style = {}, bool stored = true,
                    const std::string& home = "");

}  // namespace flatout::report
