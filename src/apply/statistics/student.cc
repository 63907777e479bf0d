#include "apply/statistics/student.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flatout::apply {
namespace {

constexpr double kLeastTail = 1e-9;     // below, the subtraction from 1 leaves too few digits
constexpr int kMostIterations = 200;    // 40 are needed for one degree and the least tail
constexpr double kRelativeStep = 1e-9;  // smaller ones change nothing that counts

int bounded(int degrees) { return std::clamp(degrees, 1, kMostDegrees); }

// The factor before (1 + t^2/n)^(-(n+1)/2): from that of one or two degrees upwards.
double density_factor(int degrees) {
  const bool odd = degrees % 2 == 1;
  double factor = odd ? std::numbers::inv_pi : 1 / std::sqrt(8.0);
  for (int n = odd ? 1 : 2; n < degrees; n += 2) {
    factor *= (n + 1.0) / n * std::sqrt(n / (n + 2.0));
  }
  return factor;
}

}  // namespace

double student_tail(double t, int degrees) {
  const int n = bounded(degrees);
  const bool odd = n % 2 == 1;
  const double angle = std::atan(t / std::sqrt(n));
  const double cosine = std::cos(angle);
  double sum = 0;
  double term = odd ? cosine : 1;
  for (int k = odd ? 1 : 0; k <= n - 2; k += 2) {
    sum += term;
    term *= cosine * cosine * (k + 1.0) / (k + 2.0);
  }
  const double inside =
      odd ? 2 * std::numbers::inv_pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return (1 - inside) / 2;
}

double student_quantile(double tail, int degrees) {
  const int n = bounded(degrees);
  const double wanted = std::clamp(tail, kLeastTail, 0.5);
  const double factor = density_factor(n);
  double t = 0;
  for (int i = 0; i < kMostIterations; ++i) {
    const double density = factor * std::pow(1 + t * t / n, -(n + 1) / 2.0);
    const double step = (student_tail(t, n) - wanted) / density;
    t += step;
    if (step <= kRelativeStep * t) break;
  }
  return t;
}

}  // namespace flatout::apply
