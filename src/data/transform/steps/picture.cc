#include "data/transform/steps/picture.h"

#include <algorithm>
#include <utility>

namespace flatout::data::transform {
namespace {

// The last warp of some changes decides what size they give.
const Warp* last_warp(const std::vector<Change>& changes) {
  const Warp* last = nullptr;
  for (const Change& change : changes) {
    if (const auto* warp = std::get_if<Warp>(&change)) last = warp;
  }
  return last;
}

std::int64_t width_of(const Axis& x, const std::vector<Change>& changes) {
  const Warp* const warp = last_warp(changes);
  return warp == nullptr ? x.length() : warp->width;
}

std::int64_t height_of(const Axis& y, const std::vector<Change>& changes) {
  const Warp* const warp = last_warp(changes);
  return warp == nullptr ? y.length() : warp->height;
}

}  // namespace

std::int64_t Layer::width() const { return width_of(x, changes); }
std::int64_t Layer::height() const { return height_of(y, changes); }

std::int64_t Picture::width() const { return width_of(x, changes); }
std::int64_t Picture::height() const { return height_of(y, changes); }

std::int64_t Picture::kept_pixels() const {
  std::int64_t most = 0;
  for (const Layer& layer : before) {
    most = std::max({most, layer.x.length() * layer.y.length(), layer.width() * layer.height()});
  }
  return most;
}

bool Picture::warps() const { return last_warp(changes) != nullptr; }

void Picture::begin_layer() {
  const Axis next_x(width()), next_y(height());
  before.push_back(
      {std::exchange(x, next_x), std::exchange(y, next_y), std::exchange(changes, {})});
}

void Picture::before_crop() {
  if (!changes.empty()) begin_layer();
}

void Picture::before_resize() {
  if (!changes.empty() || x.scaled()) begin_layer();
}

// Flips commute with all but warps.
void Picture::flip_columns() {
  if (warps()) begin_layer();
  x.flip();
}

void Picture::flip_rows() {
  if (warps()) begin_layer();
  y.flip();
}

}  // namespace flatout::data::transform
