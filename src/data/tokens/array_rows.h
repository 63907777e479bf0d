// Rows of .npy files as samples: the first axis numbers them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "data/feed/array_source.h"
#include "data/tokens/array_file.h"

namespace flatout::data {

class ArrayWork;

struct ArrayRowOptions {
  // Absent: rows as they lie in the file. kFloat32: number * scale + offset.
  std::optional<ElementType> out = std::nullopt;
  float scale = 1;
  float offset = 0;
};

constexpr std::size_t kMostRowBytes = std::size_t{1} << 30;

// Parts: "data", and "labels" where there are any. Rows are read when they are wanted, none ahead.
class ArrayRows final : public ArraySource {
 public:
  // Each file an .npy of as many rows as the other. kInvalid, with the file's name, where that is
  // not so.
  static base::Result<std::unique_ptr<ArrayRows>> open(const std::string& data,
                                                       const std::string& labels,
                                                       const ArrayRowOptions& options);

  std::int64_t size() const override { return rows_; }
  std::string name(std::int64_t index) const override;
  std::vector<ArrayPart> parts(std::int64_t first) const override;
  std::size_t most_sample_bytes() const override;
  std::unique_ptr<SampleMaker> maker(std::shared_ptr<const ArraySource> set) const override;

  base::Result<void> write(std::int64_t index, const BatchPlace& at, ArrayWork& work) const;
  void fetch(std::int64_t index, ArrayWork& work) const;

 private:
  // A file whose rows are one part.
  struct Column {
    ArrayFile file;
    std::int64_t row_elements = 0;
    ArrayPart part;
  };
  static base::Result<Column> open_column(const std::string& path, const char* name);
  base::Result<void> write_row(const Column& column, std::int64_t index, std::byte* out,
                               ArrayWork& work) const;

  std::vector<Column> columns_;
  ArrayRowOptions options_;
  std::int64_t rows_ = 0;
};

}  // namespace flatout::data
