// Files of a run: what its tracked runs keep beside the recording, named by their content, so that
// the same bytes are kept once. For imported runs: the name is XXH3, which finds equal files and
// proves nothing; what a script keeps itself is named by SHA-256 (decision 57). Any thread, any
// process.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace flatout::store {

// Writes `bytes` under kTrackedFolderName of the run's folder and gives its name there. Of
// `extension` letters and digits are kept, 8 at most.
base::Result<std::string> keep_file(const std::filesystem::path& run_folder, std::string_view bytes,
                                    std::string_view extension);

}  // namespace flatout::store
