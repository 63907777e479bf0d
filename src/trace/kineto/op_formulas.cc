#include "trace/kineto/op_formulas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace flatout::trace {
namespace {

using run::NumberType;
using run::OpClass;
using run::OpCost;
using Cost = std::optional<OpCost>;

// What an op does with its inputs; `at` are places among them.
using At = std::array<std::uint8_t, 4>;
using Formula = Cost (*)(const OpInputs&, const At& at);

struct NamedFormula {
  std::string_view name;  // without "aten::"
  Formula formula;
  At at{};
};

// A cost above this says that a shape was made up.
constexpr double kMostWork = 1e24;

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

bool odd(std::int64_t dim) { return dim % 8 != 0; }

// --- products of matrices

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

// --- convolutions

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

// Of "[True, True, False]": of the input, of the weight. Both where it is not written.
std::pair<bool, bool> gradients_of(std::string_view mask) {
  if (!mask.starts_with('[')) return {true, true};
  const std::size_t comma = std::min(mask.find(','), mask.size());
  const std::string_view second = mask.substr(comma);
  return {mask.substr(0, comma).find("True") != std::string_view::npos,
          second.substr(0, second.find(',', 1)).find("True") != std::string_view::npos};
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

// --- attention

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

// --- what moves bytes

// Reads every input, the first one where `reads_first`. The output is as PyTorch broadcasts them.
struct Broadcast {
  Shape shape;
  double widest_bytes = 0;  // of an element of an input
  bool any = false;
};
Broadcast broadcast_of(const OpInputs& in) {
  Broadcast out;
  for (std::size_t i = 0; i < in.count(); ++i) {
    const Shape& shape = in.shape(i);
    if (shape.count == 0) continue;
    Shape both;
    both.count = std::max(out.shape.count, shape.count);
    for (std::size_t d = 0; d < both.count; ++d) {  // from the last one
      const auto at = [d](const Shape& of) { return d < of.count ? of.dims[of.count - 1 - d] : 1; };
      both.dims[both.count - 1 - d] = std::max(at(out.shape), at(shape));
    }
    out.shape = both;
    out.widest_bytes = std::max(out.widest_bytes, in.element_bytes(i).value_or(0));
    out.any = true;
  }
  return out;
}

OpCost reads_from(const OpInputs& in, std::size_t first, OpClass op_class) {
  OpCost cost = cost_of(in, 0, op_class);
  cost.bytes = 0;
  for (std::size_t i = first; i < in.count(); ++i) {
    if (in.shape(i).count != 0) add_bytes(cost, bytes_of(in, i));
  }
  return cost;
}

Cost mapped_to(const OpInputs& in, std::optional<double> output_bytes) {
  if (!in.known()) return {};
  const Broadcast out = broadcast_of(in);
  if (!out.any || out.widest_bytes == 0) return {};
  OpCost cost = reads_from(in, 0, OpClass::kElementwise);
  add_bytes(cost, output_bytes.value_or(out.widest_bytes) * out.shape.elements());
  return cost;
}
// Of the widest of its inputs' types.
Cost mapped(const OpInputs& in, const At& /*at*/) { return mapped_to(in, {}); }
Cost compared(const OpInputs& in, const At& /*at*/) { return mapped_to(in, 1); }

// Its first input is written; and read, too, where `at[0]` is 0.
Cost in_place(const OpInputs& in, const At& at) {
  if (!in.known() || in.shape(0).count == 0) return {};
  OpCost cost = reads_from(in, at[0], OpClass::kElementwise);
  add_bytes(cost, bytes_of(in, 0));
  return cost;
}

// Reads all, writes one tensor as its first input is.
Cost as_first(const OpInputs& in, OpClass op_class) {
  if (!in.known() || in.shape(0).count == 0) return {};
  OpCost cost = reads_from(in, 0, op_class);
  const auto each = in.element_bytes(0);
  add_bytes(cost, each ? std::optional(*each * in.shape(0).elements()) : std::nullopt);
  return cost;
}
Cost normalization(const OpInputs& in, const At& /*at*/) {
  return as_first(in, OpClass::kNormalization);
}
Cost softmax(const OpInputs& in, const At& /*at*/) { return as_first(in, OpClass::kSoftmax); }

// What it writes is small, and not known.
Cost reduction(const OpInputs& in, const At& /*at*/) {
  if (in.shape(0).count == 0) return {};
  OpCost cost = cost_of(in, 0, OpClass::kReduction);
  cost.bytes = bytes_of(in, 0);
  return cost;
}

// Places of arguments are those of PyTorch's native_functions.yaml.
constexpr auto kFormulas = std::to_array<NamedFormula>({
    {"mm", matrices, {0, 1}},
    {"addmm", added_matrices, {1, 2, 0}},
    {"addmm_", added_matrices, {1, 2, 0}},
    {"_addmm_activation", added_matrices, {1, 2, 0}},
    {"_scaled_mm", matrices, {0, 1}},
    {"_int_mm", matrices, {0, 1}},
    {"bmm", batches, {0, 1}},
    {"baddbmm", added_batches, {1, 2, 0}},
    {"baddbmm_", added_batches, {1, 2, 0}},

    {"convolution", forward_convolution, {4, 3, 5, 6}},
    {"cudnn_convolution", forward_convolution, {2, 3, 4}},
    {"miopen_convolution", forward_convolution, {3, 4, 5}},
    {"_conv_depthwise2d", forward_convolution, {5, 4, 6}},
    {"convolution_backward", backward_of_convolution, {0, 1, 2, 10}},
    {"cudnn_convolution_backward", backward_of_convolution, {1, 0, 2, 9}},
    {"miopen_convolution_backward", backward_of_convolution, {1, 0, 2, 9}},

    {"_scaled_dot_product_flash_attention", attention_forward, {0, 4}},
    {"_scaled_dot_product_efficient_attention", attention_forward, {0, 6}},
    {"_scaled_dot_product_cudnn_attention", attention_forward, {0, 6}},
    {"_flash_attention_forward", attention_of_lengths, {0, 8}},
    {"_scaled_dot_product_flash_attention_backward", attention_backward, {1, 11}},
    {"_scaled_dot_product_efficient_attention_backward", attention_backward, {1, 11}},
    {"_scaled_dot_product_cudnn_attention_backward", attention_backward, {1, 14}},
    {"_flash_attention_backward", attention_backward_of_lengths, {1, 11}},

    {"native_layer_norm", normalization},
    {"native_layer_norm_backward", normalization},
    {"native_group_norm", normalization},
    {"native_group_norm_backward", normalization},
    {"native_batch_norm", normalization},
    {"native_batch_norm_backward", normalization},
    {"cudnn_batch_norm", normalization},
    {"cudnn_batch_norm_backward", normalization},
    {"miopen_batch_norm", normalization},
    {"miopen_batch_norm_backward", normalization},
    {"_fused_rms_norm", normalization},
    {"_fused_rms_norm_backward", normalization},

    {"_softmax", softmax},
    {"_softmax_backward_data", softmax},
    {"_log_softmax", softmax},
    {"_log_softmax_backward_data", softmax},

    {"sum", reduction},
    {"mean", reduction},
    {"prod", reduction},
    {"max", reduction},
    {"min", reduction},
    {"amax", reduction},
    {"amin", reduction},
    {"argmax", reduction},
    {"argmin", reduction},
    {"var", reduction},
    {"var_mean", reduction},
    {"std", reduction},
    {"norm", reduction},
    {"linalg_vector_norm", reduction},
    {"any", reduction},
    {"all", reduction},
    {"logsumexp", reduction},

    {"copy_", in_place, {1}},
    {"fill_", in_place, {1}},
    {"zero_", in_place, {1}},
    {"normal_", in_place, {1}},
    {"uniform_", in_place, {1}},
    {"bernoulli_", in_place, {1}},

    {"eq", compared},
    {"ne", compared},
    {"lt", compared},
    {"le", compared},
    {"gt", compared},
    {"ge", compared},
    {"isnan", compared},
    {"logical_not", compared},
    {"logical_and", compared},
    {"logical_or", compared},
});

// One element after the other; with "_" behind it, in place.
constexpr auto kMapped = std::to_array<std::string_view>({
    "add",
    "sub",
    "rsub",
    "mul",
    "div",
    "neg",
    "abs",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log1p",
    "log2",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "square",
    "pow",
    "sin",
    "cos",
    "tan",
    "tanh",
    "erf",
    "sign",
    "floor",
    "ceil",
    "round",
    "remainder",
    "maximum",
    "minimum",
    "clamp",
    "clamp_min",
    "clamp_max",
    "lerp",
    "addcmul",
    "addcdiv",
    "where",
    "masked_fill",
    "sigmoid",
    "relu",
    "gelu",
    "silu",
    "mish",
    "elu",
    "softplus",
    "hardtanh",
    "hardswish",
    "hardsigmoid",
    "leaky_relu",
    "threshold",
    "native_dropout",
    "triu",
    "tril",
    "cumsum",
    "sigmoid_backward",
    "tanh_backward",
    "threshold_backward",
    "gelu_backward",
    "silu_backward",
    "elu_backward",
    "hardtanh_backward",
    "hardswish_backward",
    "hardsigmoid_backward",
    "leaky_relu_backward",
    "native_dropout_backward",
});

std::optional<NamedFormula> formula_of(std::string_view name) {
  constexpr std::string_view kLibrary = "aten::";
  if (!name.starts_with(kLibrary)) return std::nullopt;
  name.remove_prefix(kLibrary.size());
  const auto* const found = std::ranges::find(kFormulas, name, &NamedFormula::name);
  if (found != kFormulas.end()) return *found;
  const bool writes_first = name.ends_with('_');
  if (writes_first) name.remove_suffix(1);
  if (std::ranges::find(kMapped, name) == kMapped.end()) return std::nullopt;
  return NamedFormula{name, writes_first ? in_place : mapped, {}};
}

bool plausible(const OpCost& cost) {
  const auto fits = [](const std::optional<double>& work) {
    return !work || (std::isfinite(*work) && *work >= 0 && *work <= kMostWork);
  };
  return (cost.flops || cost.bytes) && fits(cost.flops) && fits(cost.bytes);
}

}  // namespace

std::optional<OpCost> op_cost(std::string_view name, const OpInputs& inputs) {
  const auto found = formula_of(name);
  if (!found) return std::nullopt;
  const Cost cost = found->formula(inputs, found->at);
  return cost && plausible(*cost) ? cost : std::nullopt;
}

bool has_formula(std::string_view name) { return formula_of(name).has_value(); }

bool is_forward_convolution(std::string_view name) {
  const auto found = formula_of(name);
  return found && found->formula == forward_convolution;
}

std::optional<OpCost> convolution_cost(const OpInputs& inputs, double output_elements) {
  if (!is_convolution(inputs.shape(0), inputs.shape(1))) return std::nullopt;
  const Cost cost =
      convolution_of(inputs, output_elements, filter_flops(inputs.shape(1), output_elements));
  return plausible(*cost) ? cost : std::nullopt;
}

std::optional<ConvolutionInputs> backward_convolution(std::string_view name) {
  const auto found = formula_of(name);
  if (!found || found->formula != backward_of_convolution) return std::nullopt;
  return ConvolutionInputs{found->at[0], found->at[1], found->at[2]};
}

}  // namespace flatout::trace
