// For the tests: a page held against rules stricter than a browser's.
#pragma once

#include <set>
#include <string>

namespace flatout::report {

// Every tag that opens closes, names are known, text holds no '<'. Style and
// script, which are ours, are skipped. "" = well-formed.
std::string problem_in(const std::string& page);

std::set<double> shown_numbers(const std::string& page);  // of its <data> elements
std::set<double> numbers_of(const std::string& json);

}  // namespace flatout::report
