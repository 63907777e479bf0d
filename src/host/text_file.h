// Reads one of the kernel's small text files into memory that is used again:
// the samplers read hundreds of them a second.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace flatout::host {

// At most 64 KiB of `path`, more is cut off; absent when it cannot be read (a
// process that ended, a file that this kernel lacks). The view holds until the
// next call of the same thread.
std::optional<std::string_view> read_text(const std::filesystem::path& path);

// root/12, root/12/stat without building intermediate paths.
std::filesystem::path pid_file(const std::filesystem::path& proc, int pid, std::string_view file);

}  // namespace flatout::host
