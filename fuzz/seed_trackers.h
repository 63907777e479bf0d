// Seeds of trackers_fuzz.
#pragma once

#include <string>

namespace flatout::fuzz {

// One file a kind; false where one could not be written.
bool write_tracker_seeds(const std::string& folder);

}  // namespace flatout::fuzz
