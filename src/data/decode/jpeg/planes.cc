#include "data/decode/jpeg/planes.h"

#include <algorithm>

namespace flatout::data {
namespace {

constexpr std::size_t kMargin = 64;  // what vectors may touch beside a row

// Blocks that hold the samples for pixels first <= x < last, and one sample more on each side where
// they are filtered.
Range blocks_for(int first, int last, int halved, int samples, int side) {
  if (halved == 1) return {first / side, divide_up(last, side)};
  const int begin = std::max(first / 2 - 1, 0);
  const int end = std::min((last - 1) / 2 + 2, samples);
  return {begin / side, divide_up(end, side)};
}

// A component of fewer samples than the image is scaled less, as far as its blocks go, instead of
// being scaled and upsampled: where both directions can be spared (jdmaster.c).
void set_scale(JpegPlane& plane, int halved_x, int halved_y, int scale_denom) {
  const bool spared = scale_denom > 1 && halved_x == 2 && halved_y == 2;
  plane.side = 8 / scale_denom * (spared ? 2 : 1);
  plane.halved_x = spared ? 1 : halved_x;
  plane.halved_y = spared ? 1 : halved_y;
}

std::size_t round_up(std::size_t value) { return (value + 63) / 64 * 64; }

// The samples for the box's columns, each for as many pixels as it stands for.
const std::uint8_t* repeated(const std::uint8_t* row, int times, const Box& box,
                             std::uint8_t* target) {
  for (int x = 0; x < box.width; ++x) target[x] = row[(box.left + x) / times];
  return target;
}

}  // namespace

bool JpegPlanes::open(const JpegHeaders& headers, const Box& box, int scale_denom,
                      bool keep_all_rows) {
  box_ = box;
  smooth_ = scale_denom < 8;
  count_ = headers.component_count;
  is_rgb_ = headers.is_rgb();
  const JpegComponent& full = headers.components[0];
  std::size_t size = kMargin;
  std::array<std::size_t, 3> begins = {};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
    JpegPlane& plane = planes_[i];
    set_scale(plane, full.h / headers.components[i].h, full.v / headers.components[i].v,
              scale_denom);
    plane.width = divide_up(headers.width, scale_denom * plane.halved_x);
    plane.height = divide_up(headers.height, scale_denom * plane.halved_y);
    // libjpeg filters only planes of three columns or more.
    if (plane.halved_x == 2 && smooth_ && plane.width <= 2) return false;
    plane.columns =
        blocks_for(box.left, box.left + box.width, plane.halved_x, plane.width, plane.side);
    plane.rows =
        blocks_for(box.top, box.top + box.height, plane.halved_y, plane.height, plane.side);
    const int columns = plane.side * (plane.columns.end - plane.columns.begin);
    plane.stride =
        static_cast<std::ptrdiff_t>(round_up(static_cast<std::size_t>(columns) + 2 * kMargin));
    plane.row_mask = keep_all_rows ? -1 : kRowsAtOnce - 1;
    const int rows = plane.side * (plane.rows.end - plane.rows.begin);
    const auto kept = static_cast<std::size_t>(keep_all_rows ? rows : std::min(rows, kRowsAtOnce));
    begins[i] = size + kMargin;
    size += static_cast<std::size_t>(plane.stride) * kept + 2 * kMargin;
  }
  std::uint8_t* memory = memory_.get(size);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i)
    planes_[i].samples = memory + begins[i];

  const std::size_t row = round_up(static_cast<std::size_t>(box.width) + 4 * kMargin);
  std::uint8_t* rows = row_memory_.get(5 * row + kMargin);
  for (std::size_t i = 0; i < 3; ++i) row_scratch_[i] = rows + i * row;
  const std::uintptr_t odd =
      reinterpret_cast<std::uintptr_t>(rows + 3 * row) % alignof(std::uint16_t);
  sums_ = reinterpret_cast<std::uint16_t*>(rows + 3 * row + odd);
  return true;
}

void JpegPlanes::pad(int component, Range block_rows) {
  const JpegPlane& plane = planes_[static_cast<std::size_t>(component)];
  if (plane.halved_x == 1) return;
  const int end = std::min(block_rows.end, plane.rows.end) * plane.side;
  for (int y = std::max(block_rows.begin, plane.rows.begin) * plane.side; y < end; ++y) {
    std::uint8_t* row = plane.row(y);
    if (plane.columns.begin == 0) row[-1] = row[0];
    if (plane.columns.end * plane.side >= plane.width) row[plane.width] = row[plane.width - 1];
  }
}

int JpegPlanes::rows_ready(int mcu_rows, int rows_per_mcu) const {
  const bool looks_down = std::any_of(planes_.begin(), planes_.begin() + count_,
                                      [](const JpegPlane& p) { return p.halved_y == 2; });
  return mcu_rows * rows_per_mcu - (looks_down ? 1 : 0);
}

const std::uint8_t* JpegPlanes::upsampled(const JpegKernels& kernels, int component, int y,
                                          std::uint8_t* scratch) {
  const JpegPlane& plane = planes_[static_cast<std::size_t>(component)];
  const int near = y / plane.halved_y;
  const bool above = y % 2 == 0;
  const int next = std::clamp(above ? near - 1 : near + 1, 0, plane.height - 1);
  const int first = box_.left / plane.halved_x;
  const int count = (box_.left + box_.width - 1) / plane.halved_x + 1 - first;
  if (plane.halved_x == 1 && (plane.halved_y == 1 || !smooth_)) return plane.row(near) + first;
  if (!smooth_) return repeated(plane.row(near), plane.halved_x, box_, scratch);
  if (plane.halved_x == 1) {
    kernels.blend_rows(plane.row(near) + first, plane.row(next) + first, above, count, scratch);
    return scratch;
  }
  if (plane.halved_y == 1)
    kernels.double_columns(plane.row(near) + first, count, scratch);
  else
    kernels.double_both(plane.row(near) + first, plane.row(next) + first, count, sums_, scratch);
  return scratch + box_.left % 2;
}

void JpegPlanes::make_row(const JpegKernels& kernels, int y, std::uint8_t* target) {
  const std::uint8_t* first = planes_[0].row(y) + box_.left;
  if (count_ == 1) {
    std::copy(first, first + box_.width, target);
    return;
  }
  const std::uint8_t* second = upsampled(kernels, 1, y, row_scratch_[1]);
  const std::uint8_t* third = upsampled(kernels, 2, y, row_scratch_[2]);
  (is_rgb_ ? kernels.interleave : kernels.ycc_to_rgb)(first, second, third, box_.width, target);
}

}  // namespace flatout::data
