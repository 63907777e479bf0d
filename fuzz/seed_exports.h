// Seeds that are databases: kernel traces of Nsight Systems.
#pragma once

#include <string>

namespace flatout::fuzz {

// A database that `sql` makes, behind a byte that says what it is; false where that fails.
bool write_database_seed(const std::string& path, char kind, const char* sql);

// Writes its files below a folder that is there; false where that fails.
bool write_nsys_seeds(const std::string& folder);

}  // namespace flatout::fuzz
