// Which runs to remove, and their removal. Running runs are never touched.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "store/catalog.h"

namespace flatout::store {

struct RetentionPolicy {
  std::optional<base::DurationNs> older_than = std::nullopt;    // ended longer ago than this
  std::optional<std::uint64_t> max_total_bytes = std::nullopt;  // of all runs; the oldest go first
  bool keep_tagged = false;                                     // leave runs that have a tag
};

// "90m", "12h", "30d", "2w": a whole number above 0 and a unit. kInvalid else.
base::Result<base::DurationNs> parse_age(std::string_view text);
// "500M", "20G", "1T" (powers of 1024), or bytes. kInvalid else.
base::Result<std::uint64_t> parse_size(std::string_view text);

// The runs that `policy` removes, oldest first; a tune or search with all of its trials, which
// go before it, or as a whole not: its age counts from the end of the last one. Pure. What runs,
// and what cannot be read (its age is not known), stays.
std::vector<CatalogEntry> expired(const std::vector<CatalogEntry>& runs,
                                  const RetentionPolicy& policy, base::WallNs now);

struct Removed {
  std::vector<CatalogEntry> runs;
  std::vector<std::string> problems;  // one line a run that could not be removed
};

// Removes what expired() names; looks again at each run's state right before.
base::Result<Removed> remove_expired(const Home& home, const RetentionPolicy& policy,
                                     const Viewpoint& from);

}  // namespace flatout::store
