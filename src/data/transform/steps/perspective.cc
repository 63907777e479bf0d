// RandomPerspective: corners of a picture, moved.
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "data/transform/steps/bounds.h"
#include "data/transform/steps/warp_steps.h"

namespace flatout::data::transform {
namespace {

constexpr std::size_t kUnknowns = 8;
// Eight equations, each with its right side behind.
using Equations = std::array<std::array<double, kUnknowns + 1>, kUnknowns>;

// Where a point of the result, seen at `from`, is `to` of the picture: two equations for the matrix
// (six numbers) and the vanishing part (two).
void add_point(Equations& all, std::size_t corner, const Point& from, const Point& to) {
  all[2 * corner] = {from.x, from.y, 1, 0, 0, 0, -to.x * from.x, -to.x * from.y, to.x};
  all[2 * corner + 1] = {0, 0, 0, from.x, from.y, 1, -to.y * from.x, -to.y * from.y, to.y};
}

// Gauss, with the largest number of each column first; not finite where there is no one solution.
std::array<double, kUnknowns> solved(Equations all) {
  for (std::size_t column = 0; column < kUnknowns; ++column) {
    std::size_t largest = column;
    for (std::size_t row = column + 1; row < kUnknowns; ++row) {
      if (std::fabs(all[row][column]) > std::fabs(all[largest][column])) largest = row;
    }
    std::swap(all[column], all[largest]);
    for (std::size_t row = column + 1; row < kUnknowns; ++row) {
      const double share = all[row][column] / all[column][column];
      for (std::size_t i = column; i <= kUnknowns; ++i) all[row][i] -= share * all[column][i];
    }
  }
  std::array<double, kUnknowns> out{};
  for (std::size_t row = kUnknowns; row-- > 0;) {
    double rest = all[row][kUnknowns];
    for (std::size_t i = row + 1; i < kUnknowns; ++i) rest -= all[row][i] * out[i];
    out[row] = rest / all[row][row];
  }
  return out;
}

// Twice the area of a triangle, with a sign.
double area(const Point& a, const Point& b, const Point& c) {
  return (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
}

bool has_three_in_a_line(const Point (&seen)[4]) {
  return area(seen[0], seen[1], seen[2]) == 0 || area(seen[1], seen[2], seen[3]) == 0 ||
         area(seen[2], seen[3], seen[0]) == 0 || area(seen[3], seen[0], seen[1]) == 0;
}

// From 0 to `most`, whole.
double inwards(DrawStream& stream, std::int64_t most) {
  return static_cast<double>(stream.below(static_cast<std::uint32_t>(most + 1)));
}

}  // namespace

Warp perspective(int width, int height, const Point (&seen)[4], const WarpStyle& style) {
  Warp out{.perspective = true, .width = width, .height = height, .filter = style.filter};
  for (std::size_t i = 0; i < style.fill.size(); ++i) out.fill[i] = style.fill[i];
  const double right = width - 1, bottom = height - 1;
  const Point corners[4] = {{0, 0}, {right, 0}, {right, bottom}, {0, bottom}};
  Equations equations{};
  for (std::size_t i = 0; i < 4; ++i) add_point(equations, i, seen[i], corners[i]);
  auto numbers = solved(equations);
  if (has_three_in_a_line(seen)) numbers.fill(std::numeric_limits<double>::quiet_NaN());
  for (double& number : numbers) number = static_cast<double>(static_cast<float>(number));
  for (std::size_t i = 0; i < 6; ++i) out.matrix[i] = numbers[i];
  out.vanishing[0] = numbers[6];
  out.vanishing[1] = numbers[7];
  return out;
}

base::Result<void> check(const RandomPerspective& step) {
  if (step.distortion >= 0 && step.distortion <= 1) return probability_within(step.probability);
  return base::fail(base::ErrorCode::kInvalid,
                    "the distortion is " + std::to_string(step.distortion) + "; it must be 0 to 1");
}

base::Result<void> apply(const RandomPerspective& step, DrawStream stream, Picture& picture) {
  if (!(stream.uniform() < step.probability)) return {};
  const std::int64_t width = picture.width(), height = picture.height();
  const auto most_x = static_cast<std::int64_t>(step.distortion * static_cast<double>(width / 2));
  const auto most_y = static_cast<std::int64_t>(step.distortion * static_cast<double>(height / 2));
  const double right = static_cast<double>(width - 1), bottom = static_cast<double>(height - 1);
  Point seen[4];
  for (std::size_t corner = 0; corner < 4; ++corner) {
    const double across = inwards(stream, most_x), down = inwards(stream, most_y);
    const bool on_right = corner == 1 || corner == 2, low = corner >= 2;
    seen[corner] = {on_right ? right - across : across, low ? bottom - down : down};
  }
  picture.changes.emplace_back(perspective(static_cast<int>(width), static_cast<int>(height), seen,
                                           {step.filter, step.fill}));
  return {};
}

}  // namespace flatout::data::transform
