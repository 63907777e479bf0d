// Seeds of kernel traces that are databases.
#pragma once

#include <string>

namespace flatout::fuzz {

// Writes its files below a folder that is there; false where that fails.
bool write_nsys_seeds(const std::string& folder);

}  // namespace flatout::fuzz
