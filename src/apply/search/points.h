// Points of a space, drawn at random, none twice. The same space and seed give the
// same points everywhere (the last of six digits of a logarithmic range may depend
// on the C library's exp). One thread.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "apply/search/random.h"
#include "apply/search/space.h"

namespace flatout::apply {

using SearchPoint = std::vector<run::SearchSetting>;  // one for each dimension, in order

class PointSequence {
 public:
  // `space` must outlive it.
  explicit PointSequence(const SearchSpace& space);

  // Nothing once all points were given.
  std::optional<SearchPoint> next();

 private:
  const SearchSpace& space_;
  std::optional<std::uint64_t> count_;
  SplitMix64 random_;
  std::set<std::vector<std::string>> given_;
};

// One value of a range as a JSON number, `unit` in [0, 1). At most six digits where
// the range is not whole.
std::string value_in(const Range& range, double unit);

}  // namespace flatout::apply
