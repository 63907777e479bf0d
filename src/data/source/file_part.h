// Bytes of a file, from a place on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "data/source/source.h"

namespace flatout::data {

// What a system call on a file gave: kUnavailable, with the next step, where the process may open
// no more files or there is no memory, which is no fault of the file; else as base::fail_errno.
std::unexpected<base::Error> fail_file(int err, std::string what);

// Reads until `room` is full or the file ends; how many bytes came.
base::Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> room,
                                  const std::string& path);

// The version of a sample that begins at `offset` of a file and has `bytes`, or all of the file;
// absent where there is no such file.
std::optional<SampleVersion> version_in(const std::string& path, std::uint64_t offset = 0,
                                        std::optional<std::uint64_t> bytes = std::nullopt);

}  // namespace flatout::data
