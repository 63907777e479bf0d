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
#include "data/tokens/file_map.h"

namespace flatout::data {

struct ArrayFileOptions {
  std::optional<ElementType> type = std::nullopt;  // must be said of a file without a header
  std::uint64_t header_bytes = 0;                  // of such a file: passed over
};

// Never changed once it is open; from any thread. read() is exact: a file that became shorter
// meanwhile gives an error. mapped() saves it a call of the kernel; what was read through it counts
// once as_mapped() has said so, and otherwise has to be read again.
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

  // Where the element `first` and those behind it lie in memory; null where the file is not mapped.
  const std::byte* mapped(std::int64_t first) const {
    if (!map_) return nullptr;
    return map_->data() + offset_ + static_cast<std::uint64_t>(first) * bytes_of(type_);
  }
  bool as_mapped() const;

  // From now on the file is opened for each read(): for sets of more files than a process may have
  // open. One that was replaced since gives an error.
  void close() { file_ = {}; }

 private:
  std::uint64_t end() const {
    return offset_ + static_cast<std::uint64_t>(elements_) * bytes_of(type_);
  }
  base::Result<base::UniqueFd> reopen() const;
  base::Result<void> take_header(const ArrayFileOptions& options, std::uint64_t file_bytes);

  std::string path_;
  base::UniqueFd file_;  // none: closed
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  ElementType type_ = ElementType::kUint8;
  std::vector<std::int64_t> shape_;
  std::int64_t elements_ = 0;
  std::uint64_t offset_ = 0;
  std::optional<FileMap> map_;
};

}  // namespace flatout::data
