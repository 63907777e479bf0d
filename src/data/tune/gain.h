// What one rate is above another, and how sure that is.
#pragma once

#include <cmath>

namespace flatout::data::tune {

struct Gain {
  double share = 0;
  double error = 0;  // standard error
};

// Errors of two independent rates add as squares.
inline Gain gain_of(double rate, double error, double before, double error_before) {
  // Not hypot(), which would bind the library to the newest glibc.
  return {rate / before - 1, std::sqrt(error * error + error_before * error_before)};
}

}  // namespace flatout::data::tune
