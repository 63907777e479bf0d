// Which runs to remove, and their removal. Running runs are never touched.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "store/catalog.h"
#include "store/run_family.h"

namespace flatout::store {

struct RetentionPolicy {
  std::optional<base::DurationNs> older_than = std::nullopt;  // ended longer ago than this
  bool keep_tagged = false;  // leave runs that have a tag, also of the script's
  // Whether the tune or search of which this is the first run is still going on: between two of
  // its trials, none of its runs is running. Asked of what would go; null where nothing can be.
  std::function<bool(const std::string& id)> in_use = {};
};

// "90m", "12h", "30d", "2w": a whole number above 0 and a unit. kInvalid else.
base::Result<base::DurationNs> parse_age(std::string_view text);

// What `policy` removes, oldest first: a run, or a tune or search with all of its trials, whose age
// counts from the end of the last one. What runs or goes on, and what cannot be read (its age is
// not known), stays as a whole. Pure, but for policy.in_use.
std::vector<RunFamily> expired(const std::vector<CatalogEntry>& runs, const RetentionPolicy& policy,
                               base::WallNs now);

struct Removed {
  std::vector<RunFamily> families;
  std::vector<std::string> problems;  // one line for each of which nothing could be removed
};

// Removes what expired() names (remove_family); looks again at each one's state right before.
base::Result<Removed> remove_expired(const Home& home, const RetentionPolicy& policy,
                                     const Viewpoint& from);

}  // namespace flatout::store
