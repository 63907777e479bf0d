#include "trace/kineto/op_shapes.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace flatout::trace {
namespace {

using run::NumberType;

struct NamedType {
  std::string_view name;
  NumberType type;
  std::uint8_t bytes;
};

// As PyTorch names them in traces.
constexpr auto kTypes = std::to_array<NamedType>({
    {"float", NumberType::kFloat32, 4},
    {"double", NumberType::kFloat64, 8},
    {"c10::Half", NumberType::kFloat16, 2},
    {"c10::BFloat16", NumberType::kBFloat16, 2},
    {"c10::Float8_e4m3fn", NumberType::kFloat8, 1},
    {"c10::Float8_e5m2", NumberType::kFloat8, 1},
    {"c10::Float8_e4m3fnuz", NumberType::kFloat8, 1},
    {"c10::Float8_e5m2fnuz", NumberType::kFloat8, 1},
    {"bool", NumberType::kUnknown, 1},
    {"unsigned char", NumberType::kUnknown, 1},
    {"signed char", NumberType::kUnknown, 1},
    {"short", NumberType::kUnknown, 2},
    {"int", NumberType::kUnknown, 4},
    {"long", NumberType::kUnknown, 8},
    {"long int", NumberType::kUnknown, 8},
});

bool is_number(char c) { return (c >= '0' && c <= '9') || c == '-'; }

bool ends_number(char c) {
  return c == ',' || c == ']' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

void add_dim(Shape& shape, std::string_view digits) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0 ||
      value > Shape::kLongestDim || shape.count == Shape::kMostDims) {
    shape.known = false;
    return;
  }
  shape.dims[shape.count++] = value;
}

// A list of lists; what is nested deeper makes its shape unknown. How many there were.
std::size_t read_shapes(std::string_view text, std::span<Shape> shapes) {
  std::size_t count = 0, depth = 0;
  Shape beyond;
  Shape* shape = &beyond;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '[') {
      if (++depth == 2) shape = count < shapes.size() ? &shapes[count++] : &beyond;
      if (depth > 2) shape->known = false;
    } else if (c == ']') {
      if (depth-- == 0) break;
    } else if (depth >= 2 && is_number(c)) {
      std::size_t end = at + 1;
      while (end < text.size() && !ends_number(text[end])) ++end;
      add_dim(*shape, text.substr(at, end - at));
      at = end - 1;
    } else if (depth >= 2 && !ends_number(c)) {
      shape->known = false;
    }
  }
  return count;
}

// take(index, text) of each item in quotes.
template <typename Take>
void each_quoted(std::string_view text, const Take& take) {
  std::size_t index = 0;
  for (std::size_t at = text.find('"'); at != std::string_view::npos && at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    end = std::min(end, text.size());
    take(index++, text.substr(at + 1, end - at - 1));
    at = text.find('"', std::min(end + 1, text.size()));
  }
}

}  // namespace

double Shape::elements() const {
  double product = 1;
  for (const std::int64_t dim : view()) product *= static_cast<double>(dim);
  return product;
}

OpInputs::OpInputs(const ChromeOp& op) {
  count_ = read_shapes(op.dims, shapes_);
  if (!op.strides.empty()) read_shapes(op.strides, strides_);
  each_quoted(op.types, [this](std::size_t index, std::string_view name) {
    if (index >= kMostInputs) return;
    const auto* const found = std::ranges::find(kTypes, name, &NamedType::name);
    if (found == kTypes.end()) return;
    types_[index] = found->type;
    bytes_[index] = found->bytes;
  });
  each_quoted(op.concrete, [this](std::size_t index, std::string_view value) {
    if (index < kMostInputs) values_[index] = value;
  });
}

std::optional<double> OpInputs::element_bytes(std::size_t input) const {
  if (input >= kMostInputs || bytes_[input] == 0) return std::nullopt;
  return bytes_[input];
}

double OpInputs::stored_elements(std::size_t input) const {
  const Shape& of = shape(input);
  if (input >= count_ || !strides_[input].known || strides_[input].count != of.count) {
    return of.elements();
  }
  double product = 1;
  for (std::size_t i = 0; i < of.count; ++i) {
    if (strides_[input].dims[i] != 0 || of.dims[i] == 0) {
      product *= static_cast<double>(of.dims[i]);
    }
  }
  return product;
}

std::optional<bool> OpInputs::flag(std::size_t input) const {
  if (value(input) == "True") return true;
  return value(input) == "False" ? std::optional(false) : std::nullopt;
}

bool OpInputs::known() const {
  return std::ranges::all_of(std::span(shapes_).first(count_), &Shape::known);
}

Shape list_of(std::string_view value) {
  Shape shape;
  if (value.size() < 2 || value.front() != '[' || value.back() != ']') {
    shape.known = false;
    return shape;
  }
  value.remove_prefix(1);
  value.remove_suffix(1);
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    std::string_view item = value.substr(at, end - at);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    add_dim(shape, item);
    at = end + 1;
  }
  return shape;
}

}  // namespace flatout::trace
