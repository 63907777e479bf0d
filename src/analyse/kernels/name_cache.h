// What follows from a name of a trace, found out once for each name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "run/activity.h"

namespace flatout::analyse {

template <typename Find>
class NameCache {
 public:
  using Value = std::remove_cvref_t<std::invoke_result_t<Find, std::string_view>>;

  // `names` must outlive it.
  NameCache(const run::NameTable& names, Find find)
      : names_(names), find_(std::move(find)), known_(names.size()) {}

  Value of(std::uint32_t name) {
    if (name >= known_.size()) return find_(std::string_view());
    if (!known_[name]) known_[name] = find_(names_.at(name));
    return *known_[name];
  }

 private:
  const run::NameTable& names_;
  Find find_;
  std::vector<std::optional<Value>> known_;
};

}  // namespace flatout::analyse
