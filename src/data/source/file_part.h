// Bytes of a file, from a place on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace flatout::data {

// Reads until `room` is full or the file ends; how many bytes came.
base::Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> room,
                                  const std::string& path);

}  // namespace flatout::data
