// What stands before the numbers of an .npy file, as NumPy writes it (numpy.lib.format, versions 1
// to 3). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "data/element_type.h"

namespace flatout::data {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kMostNpyHeaderBytes = std::size_t{1} << 16;  // the magic included
constexpr std::size_t kMostNpyAxes = 8;

struct NpyHeader {
  ElementType type = ElementType::kUint8;
  std::vector<std::int64_t> shape;  // empty: one number; C order
  std::uint64_t data_offset = 0;    // of the first number in the file
  std::int64_t elements = 1;        // the shape's product; with `type`'s bytes below 2^62
};

// `start`: the file's first kMostNpyHeaderBytes, or all of a smaller one. kCorrupt where it is no
// such header, kInvalid where its numbers are of a kind that is not read here (big endian, Fortran
// order, objects, records); the file's name is the caller's to add.
base::Result<NpyHeader> parse_npy_header(std::string_view start);

}  // namespace flatout::data
