// A file of numbers of one type: an .npy file, known by its first bytes, or nothing but numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "data/element_type.h"

namespace flatout::data {

struct ArrayFileOptions {
  std::optional<ElementType> type = std::nullopt;  // must be said of a file without a header
  std::uint64_t header_bytes = 0;                  // of such a file: passed over
};

// Never changed once it is open; from any thread. It is read with pread, not mapped: a file that
// becomes shorter meanwhile gives an error, where a map would end the program with SIGBUS.
class ArrayFile {
 public:
  // Errors name the file: missing, no regular file, empty, of another type than was said, shorter
  // than its header tells, or no whole number of elements.
  static base::Result<ArrayFile> open(const std::string& path, const ArrayFileOptions& options);

  const std::string& path() const { return path_; }
  ElementType type() const { return type_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }  // one axis without a header
  std::int64_t elements() const { return elements_; }

  // Elements from `first` on, until `out` is full, as they lie in the file. The caller has checked
  // that they are there. kIo where the file became shorter.
  base::Result<void> read(std::int64_t first, std::span<std::byte> out) const;

 private:
  base::Result<void> take_header(const ArrayFileOptions& options, std::uint64_t file_bytes);

  std::string path_;
  base::UniqueFd file_;
  ElementType type_ = ElementType::kUint8;
  std::vector<std::int64_t> shape_;
  std::int64_t elements_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace flatout::data
