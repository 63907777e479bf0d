#include "data/transform/resample/pass_order.h"

namespace flatout::data::transform {

PassOrder pillow_pass_order(int pillow_major, const Axis& x, const Axis& y) {
  const std::int64_t lower = y.unscaled_length() - y.scaled_length();
  const std::int64_t narrower = x.unscaled_length() - x.scaled_length();
  return pillow_major >= 13 && lower > 0 && lower > 2 * narrower ? PassOrder::kColumnsFirst
                                                                 : PassOrder::kRowsFirst;
}

}  // namespace flatout::data::transform
