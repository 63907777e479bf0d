#include "trace/kineto/op_products.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace flatout::trace {

using run::OpClass;
using run::OpCost;

OpCost cost_of(const OpInputs& in, std::size_t typed_by, OpClass op_class) {
  OpCost cost;
  cost.op_class = op_class;
  cost.type = in.type(typed_by);
  return cost;
}

// Bytes of an input, as it is stored.
std::optional<double> bytes_of(const OpInputs& in, std::size_t input) {
  const auto each = in.element_bytes(input);
  if (!each || !in.shape(input).known) return std::nullopt;
  return *each * in.stored_elements(input);
}

void add_bytes(OpCost& cost, std::optional<double> bytes) {
  if (cost.bytes && bytes) {
    *cost.bytes += *bytes;
  } else {
    cost.bytes.reset();
  }
}

namespace {

bool odd(std::int64_t dim) { return dim % 8 != 0; }

// The last two of `dims` are [m, k] in `a` and [k, n] in `b`; one before is the batch.
Cost product(const OpInputs& in, std::size_t a, std::size_t b, std::size_t dims) {
  const Shape& left = in.shape(a);
  const Shape& right = in.shape(b);
  if (!left.known || !right.known || left.count != dims || right.count != dims) return {};
  const std::int64_t k = left.dims[dims - 1], n = right.dims[dims - 1];
  if (right.dims[dims - 2] != k) return {};
  if (dims == 3 && left.dims[0] != right.dims[0]) return {};
  OpCost cost = cost_of(in, a, OpClass::kGemm);
  const double out =
      left.elements() / std::max<double>(1, static_cast<double>(k)) * static_cast<double>(n);
  cost.flops = 2 * left.elements() * static_cast<double>(n);
  cost.bytes = bytes_of(in, a);
  add_bytes(cost, bytes_of(in, b));
  if (const auto each = in.element_bytes(a)) add_bytes(cost, *each * out);
  cost.odd_dims = odd(left.dims[dims - 2]) || odd(k) || odd(n);
  return cost;
}

// FLOPs of one pass over `outputs` elements: each takes a filter.
double filter_flops(const Shape& weight, double outputs) {
  return 2 * outputs * weight.elements() / std::max<double>(1, static_cast<double>(weight.dims[0]));
}

bool is_convolution(const Shape& input, const Shape& weight) {
  return input.known && weight.known && input.count == weight.count && input.count >= 3;
}

Cost convolution_of(const OpInputs& in, double outputs, double flops) {
  OpCost cost = cost_of(in, 0, OpClass::kConvolution);
  cost.flops = flops;
  cost.bytes = bytes_of(in, 0);
  add_bytes(cost, bytes_of(in, 1));
  if (const auto each = in.element_bytes(0)) add_bytes(cost, *each * outputs);
  const Shape& weight = in.shape(1);
  cost.odd_dims = odd(weight.dims[0]) || odd(weight.dims[1]);
  return cost;
}

// Of "[True, True, False]": of the input, of the weight. Both where it is not written.
std::pair<bool, bool> gradients_of(std::string_view mask) {
  if (!mask.starts_with('[')) return {true, true};
  const std::size_t comma = std::min(mask.find(','), mask.size());
  const std::string_view second = mask.substr(comma);
  return {mask.substr(0, comma).find("True") != std::string_view::npos,
          second.substr(0, second.find(',', 1)).find("True") != std::string_view::npos};
}

// Pairs of queries and keys.
double pairs(double queries, double keys, bool causal) {
  if (!causal) return queries * keys;
  const double short_rows = std::min(queries, keys);  // of which row i sees i + 1 keys
  return short_rows * (short_rows + 1) / 2 + (queries - short_rows) * keys;
}

// Tensors of [batch, heads, length, width]; `first`: place of the query, key and value behind it.
// `passes` of the forward's FLOPs.
Cost attention(const OpInputs& in, std::size_t first, std::size_t causal, double passes,
               double tensors, bool length_first) {
  const Shape& query = in.shape(first);
  const Shape& key = in.shape(first + 1);
  const Shape& value = in.shape(first + 2);
  for (const Shape* shape : {&query, &key, &value}) {
    if (!shape->known || shape->count != 4) return {};
  }
  const std::size_t length = length_first ? 1 : 2, heads = length_first ? 2 : 1;
  const auto dim = [](const Shape& shape, std::size_t i) {
    return static_cast<double>(shape.dims[i]);
  };
  OpCost cost = cost_of(in, first, OpClass::kAttention);
  cost.flops = passes * 2 * dim(query, 0) * dim(query, heads) *
               pairs(dim(query, length), dim(key, length), in.flag(causal).value_or(false)) *
               (dim(query, 3) + dim(value, 3));
  // Each of query, key, value and output; in the backward pass their gradients, too.
  cost.bytes = bytes_of(in, first);
  add_bytes(cost, bytes_of(in, first + 1));
  add_bytes(cost, bytes_of(in, first + 2));
  add_bytes(cost, bytes_of(in, first));
  if (cost.bytes) *cost.bytes *= tensors;
  return cost;
}

}  // namespace

Cost matrices(const OpInputs& in, const At& at) { return product(in, at[0], at[1], 2); }
Cost batches(const OpInputs& in, const At& at) { return product(in, at[0], at[1], 3); }
// With what is added to the product, which is read, too.
Cost added_matrices(const OpInputs& in, const At& at) {
  Cost cost = product(in, at[0], at[1], 2);
  if (cost) add_bytes(*cost, bytes_of(in, at[2]));
  return cost;
}
Cost added_batches(const OpInputs& in, const At& at) {
  Cost cost = product(in, at[0], at[1], 3);
  if (cost) add_bytes(*cost, bytes_of(in, at[2]));
  return cost;
}

// `at`: places of padding, stride and dilation; of `transposed`, 0 = it is not.
Cost forward_convolution(const OpInputs& in, const At& at) {
  const Shape& input = in.shape(0);
  const Shape& weight = in.shape(1);
  if (!is_convolution(input, weight)) return {};
  const bool transposed = at[3] != 0 && in.flag(at[3]).value_or(false);
  if (at[3] != 0 && !in.flag(at[3])) return {};
  const Shape padding = list_of(in.value(at[0])), stride = list_of(in.value(at[1]));
  const Shape dilation = list_of(in.value(at[2]));
  double places = 1;
  for (std::size_t i = 2; i < input.count; ++i) {
    const auto of = [&](const Shape& values) {
      return values.count == 1 ? values.dims[0] : values.dims[i - 2];
    };
    for (const Shape* values : {&padding, &stride, &dilation}) {
      if (!values->known || (values->count != 1 && values->count != input.count - 2)) return {};
    }
    const std::int64_t reach = of(dilation) * (weight.dims[i] - 1);
    if (of(stride) <= 0 || reach < 0) return {};
    const std::int64_t length =
        transposed ? (input.dims[i] - 1) * of(stride) - 2 * of(padding) + reach + 1
                   : (input.dims[i] + 2 * of(padding) - reach - 1) / of(stride) + 1;
    if (length <= 0) return {};
    places *= static_cast<double>(length);
  }
  const auto batch = static_cast<double>(input.dims[0]);
  if (!transposed) {
    const double outputs = batch * static_cast<double>(weight.dims[0]) * places;
    return convolution_of(in, outputs, filter_flops(weight, outputs));
  }
  // Each input element goes through a filter; groups are 1 for the output's bytes, at least.
  const double outputs = batch * static_cast<double>(weight.dims[1]) * places;
  return convolution_of(in, outputs, filter_flops(weight, input.elements()));
}

// `at`: places of the gradient, the input and the weight, and of output_mask.
Cost backward_of_convolution(const OpInputs& in, const At& at) {
  const Shape& gradient = in.shape(at[0]);
  const Shape& input = in.shape(at[1]);
  const Shape& weight = in.shape(at[2]);
  if (!is_convolution(input, weight) || !gradient.known || gradient.count != input.count) return {};
  const bool transposed = gradient.dims[1] != weight.dims[0] && input.dims[1] == weight.dims[0];
  const double pass = filter_flops(weight, transposed ? input.elements() : gradient.elements());
  const auto [of_input, of_weight] = gradients_of(in.value(at[3]));
  OpCost cost = cost_of(in, at[0], OpClass::kConvolution);
  cost.flops = pass * ((of_input ? 1 : 0) + (of_weight ? 1 : 0));
  cost.bytes = bytes_of(in, at[0]);
  if (of_weight) add_bytes(cost, bytes_of(in, at[1]));
  if (of_input) add_bytes(cost, bytes_of(in, at[2]));
  if (of_input) add_bytes(cost, bytes_of(in, at[1]));   // written
  if (of_weight) add_bytes(cost, bytes_of(in, at[2]));  // written
  cost.odd_dims = odd(weight.dims[0]) || odd(weight.dims[1]);
  return cost;
}

// `at`: places of the query and of is_causal.
Cost attention_forward(const OpInputs& in, const At& at) {
  return attention(in, at[0], at[1], 1, 1, false);
}
Cost attention_of_lengths(const OpInputs& in, const At& at) {
  return attention(in, at[0], at[1], 1, 1, true);
}
// Five products instead of two: the scores once more, and four for the gradients.
Cost attention_backward(const OpInputs& in, const At& at) {
  return attention(in, at[0], at[1], 2.5, 2, false);
}
Cost attention_backward_of_lengths(const OpInputs& in, const At& at) {
  return attention(in, at[0], at[1], 2.5, 2, true);
}

Cost convolution_of_outputs(const OpInputs& in, double outputs) {
  if (!is_convolution(in.shape(0), in.shape(1))) return {};
  return convolution_of(in, outputs, filter_flops(in.shape(1), outputs));
}

}  // namespace flatout::trace
