// What the two files that read a space share. Internal to apply/search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "apply/search/space.h"
#include "base/result.h"
#include "base/toml.h"

namespace flatout::apply {

constexpr std::size_t kLongestName = 128;

// What is being read, for messages.
struct Place {
  const std::string& file;
  std::unexpected<base::Error> wrong(const toml::node& where, const std::string& what) const {
    return base::fail(base::ErrorCode::kInvalid,
                      file + ", line " + std::to_string(where.source().begin.line) + ": " + what);
  }
};

inline bool printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

base::Result<void> only_keys(const Place& place, const toml::table& table, const std::string& what,
                             std::span<const std::string_view> known);

// The table [search]. kInvalid with the line.
base::Result<void> read_search(const Place& place, const toml::table& table, SearchSpace& to);

}  // namespace flatout::apply
