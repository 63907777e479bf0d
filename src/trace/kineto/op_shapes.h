// The inputs of an op, as PyTorch writes them beside it: texts of JSON that nobody vouches for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "run/op_cost.h"
#include "trace/chrome/event.h"

namespace flatout::trace {

// Of a tensor. No dims: a scalar, a tensor of one element, or no tensor.
struct Shape {
  static constexpr std::size_t kMostDims = 8;
  static constexpr std::int64_t kLongestDim = std::int64_t{1} << 40;

  std::array<std::int64_t, kMostDims> dims{};
  std::size_t count = 0;
  // Absent where a dimension is negative, longer than kLongestDim or no number, where there are
  // too many, or it is a list of tensors.
  bool known = true;

  std::span<const std::int64_t> view() const { return {dims.data(), count}; }
  double elements() const;
  friend bool operator==(const Shape&, const Shape&) = default;
};

class OpInputs {
 public:
  static constexpr std::size_t kMostInputs = 24;  // those behind are not asked for

  explicit OpInputs(const ChromeOp& op);

  std::size_t count() const { return count_; }
  // Of an input that is not there: one without dims.
  const Shape& shape(std::size_t input) const { return input < count_ ? shapes_[input] : none_; }
  run::NumberType type(std::size_t input) const {
    return input < kMostInputs ? types_[input] : run::NumberType::kUnknown;
  }
  // Bytes of one element; absent where the type is not known.
  std::optional<double> element_bytes(std::size_t input) const;
  // Elements that lie in memory: a dimension with stride 0 (expand()) is there once.
  double stored_elements(std::size_t input) const;
  // Values beside the tensors: "True", "[1, 1]"; "" = not written.
  std::string_view value(std::size_t input) const {
    return input < kMostInputs ? values_[input] : std::string_view();
  }
  // Of "True" and "False".
  std::optional<bool> flag(std::size_t input) const;
  bool known() const;  // no shape is unknown

 private:
  Shape none_;
  std::array<Shape, kMostInputs> shapes_{};
  std::array<Shape, kMostInputs> strides_{};
  std::array<run::NumberType, kMostInputs> types_{};
  std::array<std::uint8_t, kMostInputs> bytes_{};  // of an element, 0 = not known
  std::array<std::string_view, kMostInputs> values_{};
  std::size_t count_ = 0;
};

// "[1, 2]" of a value; absent where it is none.
Shape list_of(std::string_view value);

}  // namespace flatout::trace
