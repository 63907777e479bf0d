#include "data/tokens/array_rows.h"

#include "data/tokens/array_maker.h"
#include "data/tokens/number_kernels.h"
#include "data/tokens/part_writer.h"

namespace flatout::data {

using base::ErrorCode;
using base::Result;

Result<ArrayRows::Column> ArrayRows::open_column(const std::string& path, const char* name) {
  auto file = ArrayFile::open(path, {});
  if (!file) return std::unexpected(file.error());
  const auto& shape = file->shape();
  if (shape.empty() || shape.front() == 0 || file->elements() == 0) {
    return base::fail(ErrorCode::kInvalid,
                      path + ": it has no rows; save an array of one axis or more");
  }
  Column out{.file = std::move(*file), .row_elements = 0, .part = {}};
  out.row_elements = out.file.elements() / out.file.shape().front();
  const auto& axes = out.file.shape();
  out.part = {name, out.file.type(), {axes.begin() + 1, axes.end()}};
  if (out.part.bytes() > kMostRowBytes) {
    return base::fail(ErrorCode::kTooLarge, path + ": a row of " +
                                                std::to_string(out.part.bytes()) +
                                                " bytes is more than a sample may have");
  }
  return out;
}

Result<std::unique_ptr<ArrayRows>> ArrayRows::open(const std::string& data,
                                                   const std::string& labels,
                                                   const ArrayRowOptions& options) {
  auto out = std::unique_ptr<ArrayRows>(new ArrayRows);
  out->options_ = options;
  auto column = open_column(data, "data");
  if (!column) return std::unexpected(column.error());
  out->rows_ = column->file.shape().front();
  if (options.out) {
    if (*options.out != ElementType::kFloat32 || column->part.type == ElementType::kFloat16) {
      return base::fail(ErrorCode::kInvalid, data + ": its " + name_of(column->part.type) +
                                                 " cannot become " + name_of(*options.out) +
                                                 " here; numbers but float16 become float32");
    }
    column->part.type = *options.out;
    if (column->part.bytes() > kMostRowBytes)
      return base::fail(ErrorCode::kTooLarge, data + ": a row is more than a sample may have");
  }
  out->columns_.push_back(std::move(*column));
  if (labels.empty()) return out;
  auto labelled = open_column(labels, "labels");
  if (!labelled) return std::unexpected(labelled.error());
  if (labelled->file.shape().front() != out->rows_) {
    return base::fail(ErrorCode::kInvalid,
                      labels + ": " + std::to_string(labelled->file.shape().front()) +
                          " labels for the " + std::to_string(out->rows_) + " rows of " + data);
  }
  out->columns_.push_back(std::move(*labelled));
  return out;
}

std::string ArrayRows::name(std::int64_t index) const {
  return columns_.front().file.path() + ": row " + std::to_string(index);
}

std::vector<ArrayPart> ArrayRows::parts(std::int64_t /*first*/) const {
  std::vector<ArrayPart> out;
  for (const Column& column : columns_) out.push_back(column.part);
  return out;
}

std::size_t ArrayRows::most_sample_bytes() const {
  std::size_t out = 0;
  for (const Column& column : columns_) out += column.part.bytes();
  return out;
}

std::unique_ptr<SampleMaker> ArrayRows::maker(std::shared_ptr<const ArraySource> set) const {
  return std::make_unique<ArrayMaker<ArrayRows>>(std::move(set), *this);
}

void ArrayRows::fetch(std::int64_t index, ArrayWork& work) const {
  const Column& column = columns_.front();
  work.fetch(column.file, index * column.row_elements, column.row_elements);
}

Result<void> ArrayRows::write(std::int64_t index, const BatchPlace& at, ArrayWork& work) const {
  PartWriter parts(at);
  for (const Column& column : columns_) {
    auto done = write_row(column, index, parts.next(column.part.bytes()), work);
    if (!done) return done;
  }
  return {};
}

Result<void> ArrayRows::write_row(const Column& column, std::int64_t index, std::byte* out,
                                  ArrayWork& work) const {
  const std::int64_t first = index * column.row_elements;
  const auto count = static_cast<std::size_t>(column.row_elements);
  const ElementType from = column.file.type();
  const bool as_it_is = !options_.out || &column != &columns_.front() ||
                        (from == *options_.out && options_.scale == 1 && options_.offset == 0);
  if (as_it_is) {
    auto read = work.copy(column.file, first, {out, column.part.bytes()});
    work.into(&StageSums::read);
    return read;
  }
  const auto in = work.take(column.file, first, count);
  work.into(&StageSums::read);
  if (!in) return std::unexpected(in.error());
  best_number_kernels().to_float32(from, *in, count, options_.scale, options_.offset,
                                   reinterpret_cast<float*>(out));
  work.into(&StageSums::transform);
  return {};
}

}  // namespace flatout::data
