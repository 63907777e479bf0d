// Seeds of kernel traces as other tools write them.
#pragma once

#include <string>

namespace flatout::fuzz {

// Writes its files below a folder that is there; false where that fails.
bool write_trace_seeds(const std::string& folder);

}  // namespace flatout::fuzz
