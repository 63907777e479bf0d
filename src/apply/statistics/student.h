// Quantiles of Student's distribution. Pure; any thread.
//
// The tail is the finite sum for whole degrees of freedom (Abramowitz and Stegun,
// Handbook of Mathematical Functions, 26.7.3 and 26.7.4), the quantile its root
// by Newton's method. The tail is convex right of 0, so that the steps from 0
// only ever go up and cannot miss.
#pragma once

namespace flatout::apply {

// From here on all degrees count as this many: the quantile of 1e-4 is then 3 %
// above the normal one, on the safe side.
constexpr int kMostDegrees = 200;

// P(T > t), t >= 0. `degrees` below 1 counts as 1.
double student_tail(double t, int degrees);

// The t with P(T > t) = tail. `tail` counts as at least 1e-9 and at most 0.5.
// Relative error below 1e-6.
double student_quantile(double tail, int degrees);

}  // namespace flatout::apply
