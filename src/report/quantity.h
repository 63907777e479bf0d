// Numbers as people read them: three significant digits, a unit, never an
// exponent below a million. Pure. Values that are not finite print as "?".
#pragma once

#include <string>

namespace flatout::report {

std::string format_number(double value);     // "674", "9.1", "0.42", "1 234 567" -> "1.23e+06"
std::string format_percent(double share);    // 0.86 -> "86 %"; a trace of it -> "<1 %"
std::string format_us(double us);            // "8.2 us", from a millisecond on as format_ms
std::string format_ms(double ms);            // "582 ms", "12.3 s", "2.1 h"
std::string format_seconds(double seconds);  // "0.67 s", "12 s", "4 min 10 s", "2 h 05 min"
std::string format_bytes(double bytes);      // decimal: "8.6 GB"
std::string format_bytes_of(double part, double whole);  // "8.6 of 40 GB"

}  // namespace flatout::report
