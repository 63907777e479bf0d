// The files that flatout brings along, as they lie beside its binary: <folder of the real
// binary>/../lib/flatout. It is so in a build folder, in a copied tree and in a wheel
// (flatout/_prefix of the package). Any thread.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace flatout::launch {

// lib/flatout/site, where all that the hooks need is there and may be read. kNotFound,
// kUnavailable: it is not, or its path holds ':', which PYTHONPATH cannot carry. Both mean that
// hooks are off; the message says why, and what to do.
base::Result<std::filesystem::path> find_site_dir(
    const std::filesystem::path& exe = "/proc/self/exe");

// lib/flatout/libflatout_inject.so, which traces kernels.
base::Result<std::filesystem::path> find_trace_agent(
    const std::filesystem::path& exe = "/proc/self/exe");

// lib/flatout/NAME.
base::Result<std::filesystem::path> find_companion(
    const std::string& name, const std::filesystem::path& exe = "/proc/self/exe");

}  // namespace flatout::launch
