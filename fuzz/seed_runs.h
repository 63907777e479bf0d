// Seeds of stored runs: logs, and sealed files.
#pragma once

#include <string>

namespace flatout::fuzz {

// Each writes its files below a folder that is there; false where that fails.
bool write_log_seeds(const std::string& folder);
bool write_sealed_seeds(const std::string& folder);
bool write_curve_seeds(const std::string& folder);

}  // namespace flatout::fuzz
