// A search as lines for people: while it goes on, and in the end. Pure.
#pragma once

#include <string>

#include "report/style.h"
#include "run/search.h"

namespace flatout::report {

// Lines as `style` has them, without the last line end. A command that is to be copied stands in
// one line, however long it is.

// "search: up to 32 points, runs of 20, 60 and 180 steps, ..."
std::string search_plan_line(const run::SearchReport& search, int most_points,
                             const Style& style = kTableStyle);
std::string search_baseline_line(const run::SearchReport& search, const Style& style = kTableStyle);
// The newest result of `point`.
std::string search_point_line(const run::SearchReport& search, const run::SearchPointReport& point,
                              const Style& style = kTableStyle);
std::string search_live_line(const run::SearchReport& search, const run::SearchPointReport& point,
                             int rung);
// The best points, the last comparison, and what to do next. `command`: the command
// line of the best point, "" where there is none; `home`: the --home that other commands need.
std::string search_closing(const run::SearchReport& search, const std::string& command,
                           const Style& style = kTableStyle, const std::string& home = "");

}  // namespace flatout::report
