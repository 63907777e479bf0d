#include "data/transform/change/warp.h"

#include <cmath>

namespace flatout::data::transform {
namespace {

// One pixel of the result, all channels.
struct Target {
  std::uint8_t* at;
  std::ptrdiff_t plane;
};

void fill(const Warp& warp, int channels, const Target& out) {
  for (int channel = 0; channel < channels; ++channel)
    out.at[channel * out.plane] = warp.fill[channel];
}

bool holds(const PlanarPixels& in, double x, double y) {
  return x >= 0 && x < in.width && y >= 0 && y < in.height;
}

void copy(const Warp& warp, const PlanarPixels& in, std::int64_t x, std::int64_t y, bool inside,
          const Target& out) {
  if (!inside) return fill(warp, in.channels, out);
  const std::uint8_t* const from = in.row(static_cast<int>(y)) + x;
  for (int channel = 0; channel < in.channels; ++channel)
    out.at[channel * out.plane] = from[channel * in.plane];
}

Target pixel_of(const PlanarPixels& out, int x, int y) { return {out.row(y) + x, out.plane}; }

// Pillow has three ways to the nearest pixel, which differ where a place falls between two.

// Only scaled and moved: places are summed up.
void nearest_scaled(const Warp& warp, const PlanarPixels& in, const PlanarPixels& out) {
  const double* const m = warp.matrix;
  double from_y = m[5] + m[4] * 0.5;
  for (int y = 0; y < out.height; ++y, from_y += m[4]) {
    double from_x = m[2] + m[0] * 0.5;
    for (int x = 0; x < out.width; ++x, from_x += m[0]) {
      const bool inside = holds(in, from_x, from_y);
      copy(warp, in, inside ? static_cast<std::int64_t>(from_x) : 0,
           inside ? static_cast<std::int64_t>(from_y) : 0, inside, pixel_of(out, x, y));
    }
  }
}

constexpr double kFixedReach = 32768;  // beyond it 16 bits before the point are too few

bool is_within_fixed(const double* m, int x, int y) {
  return std::fabs(x * m[0] + y * m[1] + m[2]) < kFixedReach &&
         std::fabs(x * m[3] + y * m[4] + m[5]) < kFixedReach;
}

std::int64_t fixed_point(double value) {
  return static_cast<std::int64_t>(std::floor(value * 65536.0 + 0.5));
}

// 16 bits behind the point.
void nearest_fixed(const Warp& warp, const PlanarPixels& in, const PlanarPixels& out) {
  const double* const m = warp.matrix;
  const std::int64_t right_x = fixed_point(m[0]), down_x = fixed_point(m[1]);
  const std::int64_t right_y = fixed_point(m[3]), down_y = fixed_point(m[4]);
  const std::int64_t first_x = fixed_point(m[2] + m[0] * 0.5 + m[1] * 0.5);
  const std::int64_t first_y = fixed_point(m[5] + m[3] * 0.5 + m[4] * 0.5);
  for (int y = 0; y < out.height; ++y) {
    std::int64_t from_x = first_x + y * down_x;
    std::int64_t from_y = first_y + y * down_y;
    for (int x = 0; x < out.width; ++x, from_x += right_x, from_y += right_y) {
      const std::int64_t column = from_x >> 16;
      const std::int64_t row = from_y >> 16;
      const bool inside = column >= 0 && column < in.width && row >= 0 && row < in.height;
      copy(warp, in, column, row, inside, pixel_of(out, x, y));
    }
  }
}

// Places are summed up along each row.
void nearest_far(const Warp& warp, const PlanarPixels& in, const PlanarPixels& out) {
  const double* const m = warp.matrix;
  double first_x = m[2] + m[0] * 0.5 + m[1] * 0.5;
  double first_y = m[5] + m[3] * 0.5 + m[4] * 0.5;
  for (int y = 0; y < out.height; ++y, first_x += m[1], first_y += m[4]) {
    double from_x = first_x;
    double from_y = first_y;
    for (int x = 0; x < out.width; ++x, from_x += m[0], from_y += m[3]) {
      const bool inside = holds(in, from_x, from_y);
      copy(warp, in, inside ? static_cast<std::int64_t>(from_x) : 0,
           inside ? static_cast<std::int64_t>(from_y) : 0, inside, pixel_of(out, x, y));
    }
  }
}

void nearest(const Warp& warp, const PlanarPixels& in, const PlanarPixels& out) {
  const double* const m = warp.matrix;
  if (m[1] == 0 && m[3] == 0) return nearest_scaled(warp, in, out);
  const bool fits = is_within_fixed(m, 0, 0) && is_within_fixed(m, out.width, out.height) &&
                    is_within_fixed(m, 0, out.height) && is_within_fixed(m, out.width, 0);
  fits ? nearest_fixed(warp, in, out) : nearest_far(warp, in, out);
}

int clipped(int place, int length) { return place < 0 ? 0 : place < length ? place : length - 1; }

int floored(double value) { return static_cast<int>(value) - (value < 0 ? 1 : 0); }  // from -1 on

// The pixels around a place: `count` columns and rows, those beyond an edge are the edge's. The
// first row may be clipped; a row below the picture is not looked at.
template <int kCount>
struct Around {
  int columns[kCount];
  const std::uint8_t* rows[kCount];
  double right, down;  // from the middle of the second last but one, 0 to 1

  // `x` and `y` are within the picture.
  Around(const PlanarPixels& in, double x, double y) {
    x -= 0.5;
    y -= 0.5;
    const int column = floored(x), row = floored(y);
    right = x - column;
    down = y - row;
    constexpr int kBefore = kCount / 2 - 1;
    for (int i = 0; i < kCount; ++i) columns[i] = clipped(column - kBefore + i, in.width);
    for (int i = 0; i < kCount; ++i) rows[i] = in.row(clipped(row - kBefore + i, in.height));
  }
};

double between(double a, double b, double part) { return a + (b - a) * part; }

double bilinear(const Around<2>& at, std::ptrdiff_t channel) {
  const auto along = [&](int row) {
    const std::uint8_t* const line = at.rows[row] + channel;
    return between(line[at.columns[0]], line[at.columns[1]], at.right);
  };
  return between(along(0), along(1), at.down);
}

// Keys's cubic with a = -1, in the order in which Pillow evaluates it.
double cubic(double v1, double v2, double v3, double v4, double part) {
  const double p1 = v2;
  const double p2 = -v1 + v3;
  const double p3 = 2 * (v1 - v2) + v3 - v4;
  const double p4 = -v1 + v2 - v3 + v4;
  return p1 + part * (p2 + part * (p3 + part * p4));
}

double bicubic(const Around<4>& at, std::ptrdiff_t channel) {
  const auto along = [&](int row) {
    const std::uint8_t* const line = at.rows[row] + channel;
    return cubic(line[at.columns[0]], line[at.columns[1]], line[at.columns[2]], line[at.columns[3]],
                 at.right);
  };
  return cubic(along(0), along(1), along(2), along(3), at.down);
}

// Where the middle of a pixel of the result lies in a picture seen in perspective.
struct Place {
  double x, y;
  Place(const Warp& warp, double middle_x, double middle_y) {
    const double* const m = warp.matrix;
    const double away = warp.vanishing[0] * middle_x + warp.vanishing[1] * middle_y + 1;
    x = (m[0] * middle_x + m[1] * middle_y + m[2]) / away;
    y = (m[3] * middle_x + m[4] * middle_y + m[5]) / away;
  }
};

void nearest_in_perspective(const Warp& warp, const PlanarPixels& in, const PlanarPixels& out) {
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      const Place from(warp, x + 0.5, y + 0.5);
      const bool inside = holds(in, from.x, from.y);
      copy(warp, in, inside ? static_cast<std::int64_t>(from.x) : 0,
           inside ? static_cast<std::int64_t>(from.y) : 0, inside, pixel_of(out, x, y));
    }
  }
}

template <int kCount, double (*kValue)(const Around<kCount>&, std::ptrdiff_t)>
void filtered(const Warp& warp, const PlanarPixels& in, const PlanarPixels& out) {
  const double* const m = warp.matrix;
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      const double middle_x = x + 0.5, middle_y = y + 0.5;
      double from_x = m[0] * middle_x + m[1] * middle_y + m[2];
      double from_y = m[3] * middle_x + m[4] * middle_y + m[5];
      if (warp.perspective) {
        const Place from(warp, middle_x, middle_y);
        from_x = from.x;
        from_y = from.y;
      }
      const Target target = pixel_of(out, x, y);
      if (!holds(in, from_x, from_y)) {
        fill(warp, in.channels, target);
        continue;
      }
      const Around<kCount> at(in, from_x, from_y);
      for (int channel = 0; channel < in.channels; ++channel) {
        const double value = kValue(at, channel * in.plane);
        target.at[channel * out.plane] = static_cast<std::uint8_t>(value <= 0     ? 0
                                                                   : value >= 255 ? 255
                                                                                  : value);
      }
    }
  }
}

}  // namespace

void warp(const Warp& warp, const PlanarPixels& in, const PlanarPixels& out) {
  if (warp.filter == WarpFilter::kBilinear) return filtered<2, bilinear>(warp, in, out);
  if (warp.filter == WarpFilter::kBicubic) return filtered<4, bicubic>(warp, in, out);
  warp.perspective ? nearest_in_perspective(warp, in, out) : nearest(warp, in, out);
}

}  // namespace flatout::data::transform
