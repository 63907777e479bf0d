// A speedup as people say it. Pure.
#pragma once

#include <string>

#include "run/predictor.h"

namespace flatout::run {

// "x2.46", and a loss of speed as "4.24x slower", with so many decimals. "" where it is not finite.
std::string ratio_text(double ratio, int decimals);
// "x2.46 [2.41, 2.50]", "4.24x slower [4.10, 4.40]": the interval is of the same figure.
std::string speedup_text(const Speedup& speedup, int decimals);

}  // namespace flatout::run
